import ArgumentParser
import CloudAPI
import Sharing
import TodoCore
import Treesystem

/// `todo accept <invite> [--as NAME]`
struct AcceptCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "accept",
    abstract: "Take a list that somebody offers you.",
    usage: "todo accept <invite> [--as <name>]",
    discussion: """
      Examples:
        todo accept 1
        todo accept Groceries --as "Bob's groceries"
        todo accept 7K2Q-MXPA-HJ4S-9VWD-3TQE-C0RN.alice@todo.example.org
      """)

  @OptionGroup var options: GlobalOptions

  @Option(name: .customLong("as"), help: ArgumentHelp("What to call the list here.", valueName: "name"))
  var alias: String?

  @Argument(
    help: ArgumentHelp("The number that 'todo invites' shows, the list's title, or a code.", valueName: "invite"))
  var invite: String

  func run() async throws {
    let session = try Session.open(options)
    if let code = try TypedCode(invite) { return try await session.accept(code, alias: alias) }
    _ = try session.requireAccount()
    let failure = try await session.syncIfPossible()
    if let page = try session.read({ try $0.acceptedBefore(invite) }) {
      try session.read { try $0.requireOpen(page.invite) }
      if let alias, let list = page.list, !areSameName(list.name, alias) {
        throw Complaint.acceptedAs(list.name, not: alias)
      }
      return try session.voice.tell(page)
    }
    let accepted: (invite: Invite, pointer: Node)
    do {
      accepted = try session.database.write { try $0.accept(invite, alias: alias) }
    } catch ShareError.noSuchInvite {
      if let deleted = try session.read({ try $0.deletedInvite(invite) }) { throw Complaint(deleted) }
      throw failure.map { Complaint.unknownInvite($0) } ?? Complaint(ShareError.noSuchInvite as any Error)
    }
    try await session.syncAfterwards { try $0.requireAccepted(accepted.invite, at: accepted.pointer) }
    if let unread = try session.read({ try $0.unreadLists() }).first(where: { $0.pointer == accepted.pointer.id }) {
      throw Complaint(
        "not_verified", .notVerified, "accepted, but \(unread.notice)",
        hint: "nothing of it was believed; 'todo status' says what to do")
    }
    try session.read { try $0.requireOpen(accepted.invite) }
    try session.voice.tell(
      AcceptPage(invite: accepted.invite, list: try session.read { try $0.list(hangingAt: accepted.pointer) }))
  }
}

extension Complaint {
  /// It may be waiting on a server that did not answer.
  fileprivate static func unknownInvite(_ failure: CloudFailure) -> Complaint {
    var complaint = Complaint(failure as any Error)
    complaint.message = "no such invitation here, and \(complaint.message)"
    complaint.hint = "'todo invites' shows those that came; try again when the server can be reached"
    return complaint
  }

  /// It has a name here already.
  fileprivate static func acceptedAs(_ name: String, not other: String) -> Complaint {
    usage(
      "that was accepted already, as '\(shortened(name))'",
      hint: "to call it otherwise: todo lists rename \(shellQuoted(name)) \(shellQuoted(other))")
  }
}

extension CloudTransaction {
  /// What became of an invitation that was accepted already, unless another waits under the same name.
  fileprivate func acceptedBefore(_ reference: String) throws -> AcceptPage? {
    let isMeant: (Invite) -> Bool = { invite in
      Int(reference).map { $0 == invite.number } ?? areSameName(invite.title, reference)
    }
    guard try !invites().contains(where: isMeant), let invite = try acceptedInvites().last(where: isMeant) else {
      return nil
    }
    // A later offer to own it is meant, which is over.
    let isOver = try isOfferOver { number, title in
      number > invite.number && Int(reference) == nil && areSameName(title, reference)
    }
    if isOver { throw ShareError.offerOver }
    let root = try branch(invite.branch).flatMap { try self.root(of: $0) }
    return AcceptPage(
      invite: invite, list: try root.flatMap { try list($0.id) }, isRepeated: true,
      unread: try unreadLists().first { $0.cloudID == invite.branch })
  }

  /// Complains where nothing of what was accepted comes any more.
  fileprivate func requireOpen(_ invite: Invite) throws {
    if let deleted = try deletedInvites().first(where: { $0.number == invite.number }) { throw Complaint(deleted) }
    guard let branch = try branch(invite.branch), try lateInvite(to: branch) != nil else { return }
    throw Complaint.notShared(invite, isSenderGone: try hasDeletedAccount(invite.sender))
  }

  /// The one that somebody referred to, of those whose lists were deleted.
  fileprivate func deletedInvite(_ reference: String) throws -> DeletedInvite? {
    try deletedInvites().last { invite in
      Int(reference).map { $0 == invite.number } ?? areSameName(invite.title, reference)
    }
  }

  fileprivate func accept(_ reference: String, alias: String?) throws -> (invite: Invite, pointer: Node) {
    let invite = try requireInvite(reference)
    if try regard(for: invite.sender).isOther { throw ShareError.otherNumber(invite.senderName) }
    let name = try alias.map { try ListName(alias: $0).text }
    if let name, case .one(let other) = try findList(name) { throw Complaint.listExists(other.name) }
    return (invite, try graftInvite(invite.number, named: name))
  }

  /// Complains if the server refused to keep the list for this account.
  fileprivate func requireAccepted(_ invite: Invite, at pointer: Node) throws {
    let refused = try operations().first { $0.node == pointer.id && $0.state == .refused }
    guard let refused else { return }
    throw Complaint(
      "refused", .notPermitted,
      "the server refused to keep '\(Complaint.shortened(invite.title))' (\(refused.reason?.rawValue ?? "?"))",
      hint: "'todo status' shows what it refused; ask \(invite.senderName) for another invitation")
  }

  /// The list at a pointer; nil before it was fetched.
  fileprivate func list(hangingAt pointer: Node) throws -> TodoList? {
    try pointer.pointer.flatMap { try root(of: $0) }.flatMap { try list($0.id) }
  }
}

extension ListName {
  /// What somebody wants to call a list that they accept.
  init(alias: String) throws {
    do {
      try self.init(alias)
    } catch {
      var complaint = Complaint(error)
      if error == .title(.empty) { complaint.hint = "say what to call the list here, or leave out --as" }
      throw complaint
    }
  }
}

/// A list that was accepted.
struct AcceptPage: Page {
  let invite: Invite
  /// Nil before it was fetched.
  let list: TodoList?
  /// Whether it was accepted before.
  var isRepeated = false
  /// Why nothing of it is here.
  var unread: UnreadList?

  func lines(_ style: Style) -> [String] {
    if isRepeated {
      let name = style.heading(harmless(list?.name ?? invite.title))
      let fetch = list == nil ? unread == nil ? "; 'todo sync' fetches it" : "; it cannot be read (todo status)" : ""
      return ["already accepted: \(name) from \(harmless(invite.senderName))\(fetch)"]
    }
    let from = "from \(harmless(invite.senderName))"
    if invite.isOwnership {
      return [
        "you take \(style.heading(harmless(list?.name ?? invite.title))) \(from): it is yours when their device has synced"
      ]
    }
    guard let list else {
      return ["accepted \(style.heading(harmless(invite.title))) \(from), it comes with the next 'todo sync'"]
    }
    return ["accepted \(style.heading(harmless(list.name))) \(from)"]
  }

  var members: [JSON.Member] {
    [
      .init(key: "number", value: .int(Int64(invite.number))), .init(key: "title", value: .string(invite.title)),
      .init(key: "from", value: .string(invite.senderName)), .init(key: "list", value: .text(list?.name)),
      .init(key: "list_id", value: .text(list?.id)), .init(key: "already", value: .bool(isRepeated)),
    ]
  }
}
