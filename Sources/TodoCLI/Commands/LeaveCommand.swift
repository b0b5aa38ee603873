import ArgumentParser
import CloudAPI
import Sharing
import TodoCore
import Treesystem

/// `todo leave <list>`
struct LeaveCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "leave",
    abstract: "Leave a list that somebody shares with you.",
    usage: "todo leave <list>",
    discussion: """
      What you have written there is sent first, and stays with the others. They can invite you again.

      Example:
        todo leave Groceries
      """)

  @OptionGroup var options: GlobalOptions

  @Argument(help: "The list.")
  var list: String

  func run() async throws {
    let session = try Session.open(options)
    let account = try session.requireAccount()
    try await session.syncIfPossible()
    let left = try session.database.write { transaction in
      try transaction.requireRead(list)
      let list = try transaction.requireList(list)
      if try transaction.permissions(of: list.branch)?.body.owner ?? account.user == account.user {
        throw try transaction.otherMembers(of: list).isEmpty ? Complaint.unsharedList(list) : Complaint.ownList(list)
      }
      do {
        try transaction.leave(list.node)
      } catch ShareError.unsentChanges {
        throw try transaction.end(of: list).map { Complaint.unsent($0) }
          ?? Complaint(ShareError.unsentChanges as any Error)
      }
      return list
    }
    try await session.syncAfterwards()
    let isPending = try session.read { try $0.node(left.node) != nil }
    try session.voice.tell(LeftPage(list: left, isPending: isPending))
  }
}

extension CloudTransaction {
  /// Says the truth about a list that was accepted and of which nothing was read here: what takes a member off is made on top of the list's
  /// own records.
  fileprivate func requireRead(_ name: String) throws {
    if let late = try lateInviteIfUnknown(name) { throw Complaint.goneUnread(late.invite.title) }
    if let unread = try unreadListIfUnknown(name) { throw Complaint.unread(unread) }
    guard case .unknown = try findList(name) else { return }
    for pointer in try children(of: trunk(.home).id) {
      guard let branch = pointer.pointer, try isUnread(branch), let cloudID = try cloudID(of: branch),
        let title = try alias(of: pointer) ?? answeredInvite(to: cloudID)?.title, areSameName(title, name)
      else { continue }
      throw Complaint.notReadYet(title)
    }
  }
}

extension Complaint {
  fileprivate static func notReadYet(_ title: String) -> Complaint {
    Complaint(
      "not_read", .tryAgain, "nothing of '\(shortened(title))' has come to this device yet",
      hint: "it comes with the next 'todo sync': leave it then")
  }

  fileprivate static func goneUnread(_ title: String) -> Complaint {
    Complaint(
      "not_shared", .notPermitted, "'\(shortened(title))' is not shared with you, and nothing of it came",
      hint: "there is nothing to leave; to take it off your lists: todo lists rm \(shellQuoted(title))")
  }

  fileprivate static func unread(_ list: UnreadList) -> Complaint {
    Complaint(
      "not_verified", .notVerified, "nothing of '\(shortened(list.name))' was believed (\(list.reason.rawValue))",
      hint: "take it off your lists: \(list.remove); whoever shares it can take you off it")
  }

  fileprivate static func unsharedList(_ list: TodoList) -> Complaint {
    Complaint(
      "owner_stays", .notPermitted, "'\(shortened(list.name))' is yours, and nobody shares it",
      hint: "to remove it: todo lists rm \(shellQuoted(list.name))")
  }

  fileprivate static func unsent(_ end: EndedList) -> Complaint {
    Complaint(
      "unsent_changes", .badData,
      "changes of yours on '\(shortened(end.name))' were not taken, and would be lost with it",
      hint: "make it a list of your own, with them: \(end.keep); or give them up: see 'todo status'")
  }

  fileprivate static func ownList(_ list: TodoList) -> Complaint {
    Complaint(
      "owner_stays", .notPermitted, "'\(shortened(list.name))' is yours",
      hint: "give it to somebody who shares it: todo share \(shellQuoted(list.name)) --with <user> --role owner")
  }
}

/// A list that somebody left.
struct LeftPage: Page {
  let list: TodoList
  /// Whether the server has not confirmed it.
  let isPending: Bool

  func lines(_ style: Style) -> [String] {
    let name = style.heading(harmless(list.name))
    return [isPending ? "you leave \(name) with the next 'todo sync'" : "left \(name)"]
  }

  var members: [JSON.Member] {
    [
      .init(key: "list", value: .string(list.name)), .init(key: "list_id", value: .string(list.id)),
      .init(key: "pending", value: .bool(isPending)),
    ]
  }
}
