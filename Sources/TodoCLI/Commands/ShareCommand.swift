import ArgumentParser
import CloudAPI
import Sharing
import Signing
import TodoCore
import Treesystem

/// `todo share <list> --with <user>…`
struct ShareCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "share",
    abstract: "Share a list with others, or change their role.",
    usage: "todo share <list> --with <user>…|--code [--role viewer|editor|admin|owner] [-m <note>]",
    discussion: """
      Viewers read, editors change todos, admins also share. Everybody gets an invitation. With --code you get a code for \
      somebody whom you have not met, or who has no account yet: it lets one person in, within 7 days. With --role owner \
      the list becomes theirs when they accept that.

      Examples:
        todo share Groceries --with bob carol -m "let's tackle this holiday dinner"
        todo share Groceries --code
      """)

  @OptionGroup var options: GlobalOptions

  @Argument(help: "The list.")
  var list: String

  @Option(name: .customLong("with"), parsing: .upToNextOption, help: ArgumentHelp("With whom.", valueName: "user"))
  var users: [String] = []

  @Flag(name: .customLong("code"), help: "Print an invite code instead.")
  var wantsCode = false

  @Option(
    help: ArgumentHelp(
      "What they may do: viewer, editor or admin; or owner, to give the list away. Else editor, and who is on the list already keeps their role.",
      valueName: "role"), transform: roleToGive)
  var role: Role?

  @Option(name: [.customShort("m"), .customLong("note")], help: "A line to go with the invitation.")
  var note = ""

  func validate() throws {
    if !users.isEmpty, wantsCode {
      throw ValidationError("one of the two: --with <user>, or --code for somebody new")
    }
    if users.isEmpty, !wantsCode { throw ValidationError("say with whom: --with <user>, or --code for somebody new") }
    if role == .owner, wantsCode || users.count > 1 { throw ValidationError("a list has one owner: --with <user>") }
    if role == .owner, !note.isEmpty { throw ValidationError("no note goes with --role owner: leave out -m") }
    if note.utf8.count > Title.limit { throw ValidationError("the note is longer than \(Title.limit) bytes") }
  }

  func run() async throws {
    let session = try Session.open(options)
    _ = try session.requireAccount()
    try await session.syncIfPossible(isBeforeChange: true)
    try session.read { try $0.requireGoingOn($0.requireList(list)) }
    if wantsCode { return try await session.shareByCode(list, role: role ?? .editor, note: note) }
    let people = try await session.people(
      users, as: role,
      lowered: session.read { transaction in try role.map { try transaction.members(of: list, above: $0) } ?? [] },
      session.read { try $0.roles(on: list) })
    if role == .owner { return try await session.offer(list, to: people[0].person) }
    let shared = try session.database.write { transaction in
      let list = try transaction.requireList(list)
      for invited in people {
        try transaction.share(
          list.node, with: invited.person.user, role: invited.role, title: list.offeredTitle, note: note)
      }
      return list
    }
    let name = Complaint.shortened(shared.name)
    try await session.syncAfterwards { transaction in
      try transaction.requirePermitted(shared, people.map { ($0.person.user, $0.person.display) }) {
        "open '\(name)' to \($0)"
      }
    }
    let waiting = try session.read { try $0.members(of: shared.node).filter(\.pending).map(\.user) }
    try session.voice.tell(SharePage(list: shared.name, people: people, waiting: Set(waiting)))
  }
}

/// A role that can be given away.
private func roleToGive(_ text: String) throws -> Role {
  guard let role = Role(rawValue: text.lowercased()) else {
    throw ValidationError("the roles to give are viewer, editor, admin and owner")
  }
  return role
}

extension CloudTransaction {
  /// Complains if the server refused what was to change for any of these people.
  /// - Parameter what: what it refused, to those with these names.
  func requirePermitted(_ list: TodoList, _ people: [(UserID, name: String)], _ what: (String) -> String) throws {
    let refused = try permitOperations(of: list.branch).filter { $0.state == .refused }
    let names = people.filter { person in refused.contains { $0.user == person.0 } }.map(\.name)
    if names.isEmpty { return }
    let reasons = refused.filter { operation in people.contains { $0.0 == operation.user } }.map(\.reason)
    throw Complaint.refused(to: what(names.joined(separator: ", ")), reasons)
  }
}

extension Complaint {
  /// That the server refused a change of who shares a list. Whoever may make it is not sent to ask somebody who may.
  static func refused(to what: String, _ reasons: [Refusal?]) -> Complaint {
    Complaint(
      "refused", .notPermitted, "the server refused to \(what)",
      hint: reasons.contains(.refusalUnfounded)
        ? "it had no ground to: it is tried again with every sync, and nothing else on this list is sent before it"
        : "that takes the role owner or admin; ask one of those that 'todo members' shows")
  }
}

extension CloudTransaction {
  /// Which role each has who is on a list and does not own it.
  fileprivate func roles(on name: String) throws -> [UserID: Role] {
    let members = try members(of: requireList(name).node).filter { $0.role != .owner }
    return Dictionary(members.map { ($0.user, $0.role) }, uniquingKeysWith: { first, _ in first })
  }

  /// Those on a list who may do more than a role permits: to give them less is no trust.
  fileprivate func members(of name: String, above role: Role) throws -> Set<UserID> {
    let letters = ShareItem(role: role).letters
    let members = try members(of: requireList(name).node).filter { $0.role != .owner }
    return Set(members.filter { ShareItem(role: $0.role).letters.isStrictSuperset(of: letters) }.map(\.user))
  }
}

extension Session {
  /// Whoever was met under this name, unless the server means somebody else by now. One that cannot be asked is not.
  /// - Parameter lowered: those who only lose by it, whoever they are.
  private func requirePersonToShareWith(_ handle: String, lowered: Set<UserID>) async throws -> Person {
    let person = try await requirePerson(handle)
    if lowered.contains(person.user) { return person }
    if person.regard.isBlocked { throw ShareError.blocked(person.handle) }
    if person.regard.isOther { throw ShareError.otherNumber(person.handle) }
    guard options.sync != false else { return person }
    do {
      let now = try await withCloud { try await $0.lookUpAgain(handle: person.handle) }
      if now?.hasChanged == true { throw ShareError.identityChanged(person.handle) }
    } catch CloudFailure.unreachable {
    }
    return person
  }

  /// Looks everybody up before anything changes.
  /// - Parameter roles: what those may do who are on the list already, which they may do as before where nothing else is said.
  fileprivate func people(
    _ handles: [String], as role: Role?, lowered: Set<UserID>, _ roles: [UserID: Role]
  ) async throws -> [SharePage.Invited] {
    let known = try read { try Set($0.people().map(\.user)) }
    var people: [SharePage.Invited] = []
    for handle in handles {
      let person = try await requirePersonToShareWith(handle, lowered: lowered)
      if people.contains(where: { $0.person.user == person.user }) { continue }
      people.append(
        .init(person: person, role: role ?? roles[person.user] ?? .editor, isNew: !known.contains(person.user)))
    }
    return people
  }
}

/// With whom a list is shared now.
struct SharePage: Page {
  struct Invited {
    let person: Person
    let role: Role
    /// Whether this is the first contact: from now on the handle means this person here.
    let isNew: Bool
  }

  let list: String
  let people: [Invited]
  /// Those for whom the server has not confirmed it.
  let waiting: Set<UserID>

  func lines(_ style: Style) -> [String] {
    people.map { invited in
      let person = invited.person
      let pinned = invited.isNew ? style.quiet(" · first contact, id \(person.user.description)") : ""
      let who = "\(harmless(person.display)) (\(invited.role.rawValue))"
      let list = style.heading(harmless(list))
      guard waiting.contains(person.user) else { return "shared \(list) with \(who)\(pinned)" }
      return "\(who) gets \(list) with the next 'todo sync'\(pinned)"
    }
  }

  var members: [JSON.Member] {
    [
      .init(key: "list", value: .string(list)),
      .init(
        key: "users",
        value: .array(
          people.map {
            [
              "handle": .string($0.person.handle), "user": .string($0.person.user.description),
              "role": .string($0.role.rawValue), "first_contact": .bool($0.isNew),
              "pending": .bool(waiting.contains($0.person.user)),
            ]
          })),
    ]
  }
}
