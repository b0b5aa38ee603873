import ArgumentParser
import Sharing
import TodoCore
import Treesystem

/// `todo lists rm <list>`
struct ListsRmCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "rm",
    abstract: "Remove a list: your own into the trash, a shared one of yours for everybody, another's only from here.",
    usage: "todo lists rm <list>",
    discussion: """
      A list that nobody else has goes into the trash with all that is on it, and 'todo restore' takes it out. Whoever shares a list that you delete is told, and keeps what they have of it; 'todo lists keep' makes a list of their own of \
      it, and you have a copy of it in the trash. Whoever was invited and has not accepted gets nothing of it. Another's list only goes from your lists, and you stay a member: 'todo leave' ends that too. To leave a list of yours to the others, give it to one of them first: todo share <list> --with <user> --role owner.

      Example:
        todo lists rm Food
      """)

  @OptionGroup var options: GlobalOptions

  @Argument(help: "The list.")
  var list: String

  func run() async throws {
    let session = try Session.open(options)
    if let late = try session.read({ try $0.lateInviteIfUnknown(list) }) {
      try session.change { try $0.letGo(of: late.pointer) }
      return try await session.finish(LateInvitePage(title: late.invite.title, sender: late.invite.senderName))
    }
    if let unread = try session.read({ try $0.unreadListIfUnknown(list) }) {
      if unread.sender == nil {
        try session.confirm(
          "take '\(harmless(unread.name))' off your lists, which could not be read here and may be yours")
      }
      try session.change { transaction in
        if let pointer = try transaction.node(unread.pointer) { try transaction.letGo(of: pointer) }
      }
      return try await session.finish(LateInvitePage(title: unread.name, sender: unread.sender))
    }
    try await session.settleTakeover(of: list)
    // Whoever has accepted meanwhile is none of those who were only invited.
    if try session.read({ try $0.waitsForAnswers(list) }) { try await session.syncIfPossible() }
    let summary = try session.read { try $0.summaries(of: [$0.requireList(list)])[0] }
    let name = harmless(summary.list.name)
    try session.read { try $0.requireRemovable(summary, name) }
    if summary.isShared, summary.end == nil, summary.owner == nil {
      return try await session.deleteForEverybody(summary, name)
    }
    if let end = summary.end {
      try session.confirm("remove '\(name)', your copy of what \(end.owner) shared (or keep it: \(end.keep))")
    } else if summary.isShared {
      try session.confirm(
        "take '\(name)' off your lists and stay a member, who cannot leave it from here any more (to leave: \(summary.leave))"
      )
    }
    let isAlone = !summary.isShared && summary.end == nil && summary.owner == nil
    let isInTrash = try session.change { transaction in
      if isAlone { return try transaction.remove(summary.list) }
      try transaction.removeList(summary.list)
      return false
    }
    try await session.finish(NamesPage(verb: "removed list", lists: [summary], isInTrash: isInTrash))
    if summary.isShared, summary.end == nil {
      session.voice.note("you are still a member of '\(name)', until its owner or an admin takes you off it")
    }
  }
}

extension ListSummary {
  /// Whether others have it as well, and may still write there.
  fileprivate var isShared: Bool { !others.isEmpty && end?.kind != .deleted }

  fileprivate var leave: String { "todo leave \(shellQuoted(list.name))" }
}

extension Session {
  /// A list that this user has accepted to own may be theirs already: then it is deleted for everybody, or for nobody.
  fileprivate func settleTakeover(of name: String) async throws {
    guard try read({ try $0.takeover(of: $0.requireList(name).branch) }) != nil else { return }
    try await syncIfPossible()
    try read { transaction in
      let list = try transaction.requireList(name)
      guard let takeover = try transaction.takeover(of: list.branch) else { return }
      throw Complaint.takingOver(list, from: try transaction.displayName(of: takeover.owner), takeover.expires)
    }
  }

  /// It stays here until the server has taken it from everybody.
  fileprivate func deleteForEverybody(_ summary: ListSummary, _ name: String) async throws {
    let others = summary.others.map(harmless).joined(separator: ", ")
    try confirm("delete '\(name)' for everybody on it (\(others)), who keep what they read")
    let invited = try database.write { transaction in
      try transaction.asAction {
        let invited = try transaction.unanswered(at: summary.list.node).map(\.name)
        try transaction.keepInTrash(summary.list)
        try transaction.close(summary.list.node)
        return invited
      }
    }
    try await syncAfterwards()
    let isPending = try read { try $0.node(summary.list.node) != nil }
    if isPending, try read({ try !$0.isClosing(summary.list.branch) && !$0.isClosed(summary.list.branch) }) {
      throw Complaint(
        "changed_meanwhile", .tryAgain, "another device of yours has changed '\(name)', which was not seen here",
        hint: "it is here now, and was not deleted; look at it, and delete it again")
    }
    try voice.tell(DeletedListPage(summary: summary, invited: invited, isPending: isPending))
  }
}

extension CloudTransaction {
  /// Removes a list that nobody else has. One with nothing on it goes at once, and `undo` makes it again. Returns whether it is in the trash.
  fileprivate func remove(_ list: TodoList) throws -> Bool {
    let isEmpty = try [.open, .done, .trash].allSatisfy { try todoCount(in: list.node, $0) == 0 }
    if isEmpty { try removeList(list) } else { try trashList(list) }
    return !isEmpty
  }

  /// Whether somebody on a list of one's own has not answered, as far as is known here.
  fileprivate func waitsForAnswers(_ name: String) throws -> Bool {
    guard case .one(let list) = try findList(name), try end(of: list) == nil else { return false }
    return try !unanswered(at: list.node).isEmpty
  }

  /// What others wait for must not vanish with a list.
  fileprivate func requireRemovable(_ summary: ListSummary, _ name: String) throws {
    guard !summary.others.isEmpty else { return }
    let unsent = try operations().filter { $0.branch == summary.list.branch }
    if unsent.isEmpty { return }
    let giveUp = "todo sync --discard \(ChangeNumbers(unsent.map(\.sequence)).text)"
    if let end = summary.end {
      let before =
        end.kind == .deleted
        ? "it was deleted"
        : end.by == "you" ? "you left it" : end.by == nil ? "you left it or were taken off" : "you were taken off"
      throw Complaint(
        "unsent_changes", .notPermitted, "changes of '\(name)' were not sent before \(before)",
        hint: "keep it as a list of your own: \(end.keep); or give them up first: \(giveUp)")
    }
    let refused = unsent.filter { $0.state == .refused }.map(\.sequence)
    if !refused.isEmpty {
      throw Complaint(
        "unsent_changes", .notPermitted, "changes of '\(name)' were refused by the server",
        hint: "'todo status' says why; to give them up: todo sync --discard \(ChangeNumbers(refused).text)")
    }
    if let unreadable = try unreadable(summary.list) { throw unreadable }
    throw Complaint(
      "unsent_changes", .tryAgain, "changes of '\(name)' were not sent yet", hint: "run 'todo sync' first")
  }
}

extension Complaint {
  fileprivate static func takingOver(_ list: TodoList, from owner: String, _ expires: Int64) -> Complaint {
    Complaint(
      "taking_over", .tryAgain,
      "you accepted to own '\(shortened(list.name))', and \(shortened(owner)) has not handed it over yet",
      hint:
        "it is yours to delete once their device has synced and yours after it, or not at all after \(localTime(expires)); to leave it instead: todo leave \(shellQuoted(list.name))"
    )
  }
}

/// A list that its owner has deleted for everybody.
struct DeletedListPage: Page {
  let summary: ListSummary
  /// Those whose invitations were withdrawn with it.
  let invited: [String]
  /// Whether the server has not confirmed it.
  let isPending: Bool

  func lines(_ style: Style) -> [String] {
    let name = style.heading(harmless(summary.list.name))
    let readers = summary.others.filter { !invited.contains($0) }
    func names(_ people: [String]) -> String { people.map(harmless).joined(separator: ", ") }
    return [
      isPending
        ? "\(name) is deleted for everybody on it with the next 'todo sync'" : "deleted \(name) for everybody on it"
    ] + (isPending ? [] : ["a copy of it is in your trash: todo restore \(shellQuoted(summary.list.name))"])
      + (readers.isEmpty ? [] : ["what they have read of it stays with them: \(names(readers))"])
      + (invited.isEmpty ? [] : ["invited, not accepted yet, and getting nothing of it: \(names(invited))"])
  }

  var members: [JSON.Member] {
    [
      .init(key: "change", value: .string("deleted list")), .init(key: "list", value: .string(summary.list.name)),
      .init(key: "list_id", value: .string(summary.list.id)),
      .init(key: "shared_with", value: .array(summary.others.map { .string($0) })),
      .init(key: "withdrawn_from", value: .array(invited.map { .string($0) })),
      .init(key: "pending", value: .bool(isPending)),
    ]
  }
}
