import CloudAPI
import Sharing
import TodoCore
import Treesystem

extension Session {
  /// Gives the server back what it lost, and says of each list what came of it.
  func repairServer() async throws -> [Check] {
    _ = try requireAccount()
    guard options.sync != false else {
      throw Complaint.usage("'--repair-server' cannot keep off the network", hint: "leave out --no-sync")
    }
    voice.note("what the server lost is sent anew where you may write, and is shown as written by you from then on")
    let repairs = try await withCloud("asking the server what it lost") { cloud, line in
      try await cloud.repairServer { line.update($0) }
    }
    // What it was given is believed again, and what it lost of contents goes once more.
    _ = try? await sync()
    let lists = try read { try $0.lists() }
    let checks = try repairs.compactMap { repair -> Check? in
      let branch = try read { try $0.branch(repair.branch) }
      // Whoever was taken off a list by somebody who says so has nothing to give back.
      if case .refused(.letterMissing) = repair.outcome, let branch,
        try read({ try $0.removal(from: branch)?.by }) != nil
      {
        return nil
      }
      return check(repair.outcome, lists.first { $0.branch == branch }?.name ?? "your account")
    }
    return checks.isEmpty ? [Check("repair", "the server has everything that this device has")] : checks
  }

  private func check(_ outcome: ServerRepair.Outcome, _ name: String) -> Check? {
    switch outcome {
    case .whole: return nil
    case .restored(let lines, let again):
      let contents = again == 0 ? "" : ", \(todosOrLists(again)) sent anew and shown as written by you"
      return Check("repair", "\(name): \(counted(lines, "line")) given back to the server\(contents)", isMended: true)
    case .refused(.fork):
      return Check(
        "repair", "\(name): the server has gone on with another past",
        .init(exit: .notVerified, advice: ["nothing here is lost; see who wrote there: todo status"]))
    case .refused(let refusal):
      return Check(
        "repair", "\(name): the server does not take it back (\(refusal.rawValue))",
        .init(
          exit: .tryAgain,
          advice: ["everybody who shares it can give back what they have: todo doctor --repair-server, then try again"])
      )
    }
  }
}
