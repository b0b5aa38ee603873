import CloudAPI
import Sharing
import Signing
import TodoCore
import Treesystem

extension Session {
  /// Every list's past, computed again from its first line.
  func checkHistory(mending: Bool) throws -> Check {
    try read { transaction in
      let lists = try transaction.lists()
      let broken = try transaction.branchesWithBrokenLog()
      let missing = try transaction.branchesWithMissingRows()
      if broken.isEmpty, missing.isEmpty {
        return Check("history", "computed again for \(counted(lists.count, "list")), nothing was changed afterwards")
      }
      let ill = broken.isEmpty ? missing : broken
      let names = Set(ill.map { branch in lists.first { $0.branch == branch }?.name ?? "your account" })
      return Check(
        "history",
        "\(broken.isEmpty ? "something is missing" : "does not add up"): \(names.sorted().joined(separator: ", "))",
        .init(
          exit: .notVerified,
          advice: (mending ? [] : ["fetch it again: todo doctor --repair"]) + [
            "the files here were changed by something else than todo; check the disk",
            "send what is unsent (todo sync), then sign out and in again: todo logout, todo login",
          ], isMendable: !mending))
    }
  }

  /// Whether this device can open what it should, and would be believed.
  /// - Parameter unknown: what is to be said where the server has never heard of this device.
  func checkAccess(_ unknown: Complaint?) throws -> Check {
    if let unknown { return Check("access", unknown.message, .init(exit: unknown.exit, advice: [unknown.hint])) }
    return try read { transaction in
      let lists = try transaction.lists()
      let problems = try transaction.keyProblems()
      if problems.isEmpty { return Check("access", "this device is yours, and opens \(counted(lists.count, "list"))") }
      if problems.contains(.deviceInactive) {
        if let end = try transaction.endedHere() {
          let complaint = Complaint(end)
          return Check("access", complaint.message, .init(exit: complaint.exit, advice: [complaint.hint]))
        }
        return Check(
          "access", "this device is not among your devices any more",
          .init(exit: .notPermitted, advice: ["sign in again: todo logout, todo login"]))
      }
      let branches = problems.compactMap { if case .branchKey(let branch, _) = $0 { branch } else { nil } }
      let names = Set(branches.map { branch in lists.first { $0.branch == branch }?.name ?? "your account" })
      return Check(
        "access",
        "this device cannot open all of \(names.isEmpty ? "your account" : names.sorted().joined(separator: ", "))",
        .init(
          exit: .notVerified,
          advice: ["ask somebody who shares it to sync, then do so here: todo sync", "or sign in again on this device"])
      )
    }
  }

  /// Whether what the server showed can all be true.
  func checkPast() throws -> Check {
    let open = try read { try $0.namedFindings().filter { !$0.isOver } }
    if open.isEmpty { return Check("past", "the server shows what it showed before") }
    let places = Set(open.map(\.place)).sorted().joined(separator: ", ")
    if !open.isEmpty, open.allSatisfy({ $0.finding.kind == .rollback }) {
      return Check(
        "past", "the server was set back to a backup: \(places)",
        .init(
          exit: .notVerified,
          advice: ["give it back what it lost: todo doctor --repair-server", "see more: todo status"]))
    }
    return Check(
      "past", "what the server showed cannot all be true: \(places)",
      .init(exit: .notVerified, advice: ["see what, and what to do: todo status"]))
  }

  /// Whether all that came was believed.
  func checkTrust(mending: Bool) throws -> Check {
    let distrust = try read { try $0.distrust() }
    if distrust.isEmpty { return Check("trust", "everything that came was what it claimed to be") }
    return Check(
      "trust", distrust.words,
      .init(
        exit: .notVerified, advice: ["see what, and why: todo status"],
        isMendable: distrust.quarantined > 0 && !mending))
  }

  /// The lists that have ended for this user, which is no illness; nil if none has.
  func checkEnded() throws -> Check? {
    let ended = try read { try $0.endedLists() }
    if ended.isEmpty { return nil }
    return Check(
      "sharing", ended.map { "\($0.name) \($0.kind == .deleted ? "was" : "is") \($0.words)" }.joined(separator: "; "))
  }

  /// Whether everything that only this device has is on its way.
  func checkQueue(mending: Bool) throws -> Check {
    let forgotten = try read { try $0.forgottenNodes() }
    if mending, !forgotten.isEmpty {
      try database.write { transaction in
        for node in forgotten { try transaction.queueDataUpload(forNodeID: node) }
      }
    }
    let changes = try read { try $0.queuedChanges() }
    let refused = changes.count { $0.state == .refused }
    let stuck = changes.count { $0.obstacle != nil }
    let circle = Set(try read { try $0.waitingInCircles() })
    if !circle.isEmpty {
      let names = changes.filter { circle.contains($0.number) }.map { "\($0.words.text) (\($0.number))" }
      return Check(
        "changes", "these wait for each other: \(names.joined(separator: ", "))",
        .init(
          exit: .tryAgain,
          advice: ["give one of them up: todo sync --discard <number>; and please report it, it should not happen"]))
    }
    let found = changes.isEmpty ? "everything was sent" : "\(counted(changes.count, "change")) to send"
    if !forgotten.isEmpty, !mending {
      return Check(
        "changes", "\(todosOrLists(forgotten.count)) would stay on this device",
        .init(exit: .tryAgain, advice: ["send them: todo doctor --repair, then todo sync"], isMendable: true))
    }
    if refused + stuck > 0 {
      return Check(
        "changes", "\(refused) refused, \(stuck) waiting, of \(changes.count) to send",
        .init(exit: refused > 0 ? .notPermitted : .tryAgain, advice: ["see which, and what to do: todo status"]))
    }
    return Check("changes", found, isMended: !forgotten.isEmpty)
  }
}
