import ArgumentParser
import CloudAPI
import Sharing
import Signing
import TodoCore
import Treesystem

/// `todo unshare <list> --with <user>…|--codes`
struct UnshareCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "unshare",
    abstract: "Take people off a list that you share.",
    usage: "todo unshare <list> --with <user>…|--codes",
    discussion: """
      From then on they see nothing new. What they could read before stays known to them.

      Example:
        todo unshare Groceries --with bob
      """)

  @OptionGroup var options: GlobalOptions

  @Argument(help: "The list.")
  var list: String

  @Option(name: .customLong("with"), parsing: .upToNextOption, help: ArgumentHelp("Whom.", valueName: "user"))
  var users: [String] = []

  @Flag(help: "Withdraw the invite codes that were made on this device.")
  var codes = false

  func validate() throws {
    if users.isEmpty != codes { throw ValidationError("say whom: --with <user>, or --codes") }
  }

  func run() async throws {
    let session = try Session.open(options)
    let account = try session.requireAccount()
    if codes { return try session.withdrawCodes(for: list) }
    try await session.syncIfPossible(isBeforeChange: true)
    let (shared, people) = try session.database.write { try $0.unshare(list, with: users, as: account) }
    let name = Complaint.shortened(shared.name)
    try await session.syncAfterwards { transaction in
      try transaction.requirePermitted(shared, people.map { ($0.user, $0.name) }) { "take \($0) off '\(name)'" }
    }
    let leaving = try session.read { try $0.members(of: shared.node).filter(\.isLeaving).map(\.user) }
    try session.voice.tell(UnsharePage(list: shared.name, people: people, waiting: Set(leaving)))
  }
}

extension Session {
  fileprivate func withdrawCodes(for name: String) throws {
    let (list, count) = try database.write { transaction in
      let list = try transaction.requireList(name)
      guard let branch = try transaction.cloudID(of: list.branch) else { throw TreeError.noSuchNode }
      return (list, try transaction.withdrawCodes(for: branch))
    }
    try voice.tell(WithdrawnCodesPage(list: list.name, count: count))
  }
}

/// How many codes let nobody in any more.
struct WithdrawnCodesPage: Page {
  let list: String
  let count: Int

  func lines(_ style: Style) -> [String] {
    [
      count == 0
        ? "no code of this device is open" : "withdrew \(counted(count, "code")) for \(style.heading(harmless(list)))"
    ]
  }

  var members: [JSON.Member] {
    [.init(key: "list", value: .string(list)), .init(key: "withdrawn", value: .int(Int64(count)))]
  }
}

extension CloudTransaction {
  /// Takes all of these people off a list, or none.
  fileprivate func unshare(
    _ name: String, with handles: [String], as account: Account
  ) throws -> (list: TodoList, people: [Member]) {
    let list = try requireList(name)
    try requireGoingOn(list)
    let members = try members(of: list.node)
    let people = try handles.map { handle in
      let name = try plainHandle(handle, server: account.server)
      guard let member = members.first(where: { $0.name == name }) else {
        throw members.count < 2 ? Complaint.notShared(list) : Complaint.notAMember(name, list, members)
      }
      if member.role == .owner { throw Complaint.ownerStays(member, list) }
      if member.user == account.user { throw Complaint.oneself(list) }
      return member
    }
    guard try letters(of: account.user, on: list.node).contains(.share) || permissions(of: list.branch) == nil else {
      throw Complaint(
        "not_permitted", .notPermitted, "your role does not let you take people off this list",
        hint: "ask its owner or an admin: 'todo members <list>'")
    }
    for person in people { try unshare(list.node, with: person.user) }
    return (list, people)
  }
}

extension Complaint {
  fileprivate static func notAMember(_ name: String, _ list: TodoList, _ members: [Member]) -> Complaint {
    let similar = TodoCore.similar(to: name, among: members.map(\.name))
    return Complaint(
      "not_a_member", .notFound, "\(shortened(name)) does not share '\(shortened(list.name))'",
      hint: similar.isEmpty ? "who does: todo members \(shellQuoted(list.name))" : didYouMean(similar),
      candidates: similar)
  }

  fileprivate static func notShared(_ list: TodoList) -> Complaint {
    Complaint(
      "not_a_member", .notFound, "'\(shortened(list.name))' is not shared with anybody",
      hint:
        "'todo lists' shows which lists are; a code that was made for it: todo unshare \(shellQuoted(list.name)) --codes"
    )
  }

  fileprivate static func ownerStays(_ owner: Member, _ list: TodoList) -> Complaint {
    Complaint(
      "owner_stays", .notPermitted, "'\(shortened(list.name))' belongs to \(owner.name)",
      hint: "the owner cannot be taken off a list; 'todo members' shows who else is on it")
  }

  fileprivate static func oneself(_ list: TodoList) -> Complaint {
    Complaint(
      "usage", .usage, "that is you",
      hint: "to leave the list: todo leave \(shellQuoted(list.name))")
  }
}

/// Who was taken off a list, and what that does not undo.
struct UnsharePage: Page {
  let list: String
  let people: [Member]
  /// Those for whom the server has not confirmed it.
  let waiting: Set<UserID>

  func lines(_ style: Style) -> [String] {
    let name = style.heading(harmless(list))
    let removed = people.map { person in
      waiting.contains(person.user)
        ? "\(harmless(person.name)) goes off \(name) with the next 'todo sync', and reads on until then"
        : "took \(harmless(person.name)) off \(name)"
    }
    return removed + ["what they could read until now stays known to them"]
  }

  var members: [JSON.Member] {
    let users: [JSON] = people.map { person in
      [
        "handle": .string(person.name), "user": .string(person.user.description),
        "pending": .bool(waiting.contains(person.user)),
      ]
    }
    return [.init(key: "list", value: .string(list)), .init(key: "users", value: .array(users))]
  }
}
