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
      guard let cloudID = repair.branch else {
        return Check(
          "repair", "your account: the server has gone on with other devices than this one knows",
          .init(
            exit: .notVerified,
            advice: [
              "nothing here is lost; see which devices the server has, on one that still signs in: todo devices",
              Explanation.startAgain,
            ]))
      }
      let branch = try read { try $0.branch(cloudID) }
      // Whoever was taken off a list by somebody who says so has nothing to give back.
      if case .refused(.letterMissing) = repair.outcome, let branch,
        try read({ try $0.removal(from: branch)?.by }) != nil
      {
        return nil
      }
      let name = try lists.first { $0.branch == branch }?.name ?? read { try $0.nameOfOther(branch) }
      let back = try read { try $0.namedComebacks().filter { $0.comeback.branch == repair.branch } }
      return check(repair.outcome, name, back)
    }
    if checks.isEmpty { return [Check("repair", "the server has everything that this device has")] }
    return try checks + checkInvitations(after: repairs)
  }

  /// An invitation that nobody had read when the server was set back is lost: no device has what was sealed.
  private func checkInvitations(after repairs: [ServerRepair]) throws -> [Check] {
    let restored = repairs.filter { if case .restored = $0.outcome { true } else { false } }.map(\.branch)
    guard !restored.isEmpty else { return [] }
    return try read { transaction in
      try transaction.lists().flatMap { list in
        try transaction.members(of: list.node, history: true)
          .filter { $0.hasJoined == false && !$0.hasDeclined && !$0.pending && $0.role != .owner }
          .map { member in
            let again = "todo share '\(list.name)' --with \(member.name) --role \(member.role.rawValue)"
            return Check(
              "invites",
              "\(list.name): \(member.name) has not answered; an invitation that is lost goes again with \(again)")
          }
      }
    }
  }

  private func check(_ outcome: ServerRepair.Outcome, _ name: String, _ back: [NamedComeback]) -> Check? {
    switch outcome {
    case .whole: return nil
    case .restored(let lines, let again, let lacking):
      let anew = "\(todosOrLists(again)) sent anew and shown as written by you"
      if lines == 0 { return Check("repair", "\(name): \(anew)", isMended: true) }
      let given = "\(name): \(counted(lines, "line")) given back to the server"
      guard lacking == 0 else {
        return Check(
          "repair", "\(given), which lacks what \(todosOrLists(lacking)) \(lacking == 1 ? "says" : "say")",
          .init(
            exit: .tryAgain,
            advice: [
              "run this on every device of everybody who shares it, then here once more: todo doctor --repair-server",
              "it is sent then on top of what they gave back; before that it would shut out whoever has read more than you",
            ]))
      }
      return Check("repair", again == 0 ? given : "\(given), \(anew)", isMended: true)
    case .refused(.fork):
      return Check(
        "repair", "\(name): the server has gone on with another past",
        .init(
          exit: .notVerified,
          advice: back.map(\.warning) + [
            "nothing here is lost; see who wrote there: todo status",
            Explanation.startAgain + (back.isEmpty ? "" : "; what you may undo of that is undone then"),
          ]))
    case .refused(.letterMissing):
      return Check(
        "repair", "\(name): by what the server has, you are not on it",
        .init(
          exit: .tryAgain,
          advice: [
            "whoever shares it gives back that you are, if you are: todo doctor --repair-server there, then try again",
            "if you were taken off it after the backup was made, it stays so: 'todo lists keep' makes a list of your own of it",
          ]))
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

extension CloudTransaction {
  /// What a branch is for its user that is none of their lists.
  func nameOfOther(_ branch: BranchID?) throws -> String {
    guard let branch, let root = try root(of: branch) else { return "a list that is not among yours any more" }
    return switch root.trunk {
    case .home: "your account, which lists are yours"
    case .prefs: "your account, names and settings"
    case .outbox: "your account, what you sent to others"
    case .inbox: "your account, what others sent to you"
    case nil: "something that belongs to a list"
    }
  }
}
