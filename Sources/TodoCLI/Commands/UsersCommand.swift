import ArgumentParser
import Sharing
import Signing
import TodoCore
import Treesystem

/// `todo users [<query>]`
struct UsersCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "users",
    abstract: "Show the people you have met, or look somebody up on the server.",
    usage: "todo users [<name> | verify <name> | block <name> | unblock <name>]",
    discussion: """
      Examples:
        todo users
        todo users bob
        todo users verify bob
      """,
    subcommands: [ShowUsersCommand.self, VerifyUserCommand.self, BlockUserCommand.self, UnblockUserCommand.self],
    defaultSubcommand: ShowUsersCommand.self)
}

/// `todo users` without a verb: a command that takes a name cannot have verbs as well.
struct ShowUsersCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "show",
    abstract: "Show the people you have met, or look somebody up on the server.",
    usage: "todo users [<name>]",
    discussion: """
      Example:
        todo users bob
      """,
    shouldDisplay: false)

  @OptionGroup var options: GlobalOptions

  @Argument(help: ArgumentHelp("Whom to look up.", valueName: "name"))
  var name: String?

  func run() async throws {
    let session = try Session.open(options)
    let account = try session.requireAccount()
    try await session.syncIfAsked()
    let people = try await name.asyncMap { [try await session.requirePerson($0)] }
    let known = try people ?? session.read { try $0.people() }
    let shown = known.filter { $0.user != account.user || name != nil }
    try session.voice.tell(session.read { try PeoplePage(shown, in: $0) })
  }
}

/// `todo users verify <name>`
struct VerifyUserCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "verify",
    abstract: "Compare sixty digits with somebody, to be sure that nobody stands between you.",
    usage: "todo users verify <name> [--number <digits>]",
    discussion: """
      Both of you run this and compare what it shows, by telephone or face to face. On a terminal it asks whether they are \
      the same; a script gives the digits that the other one sees.

      Example:
        todo users verify bob
      """)

  @OptionGroup var options: GlobalOptions

  @Option(help: ArgumentHelp("The number that the other one sees.", valueName: "digits"))
  var number: String?

  @Argument(help: ArgumentHelp("Whom.", valueName: "name"))
  var name: String

  func run() async throws {
    let session = try Session.open(options)
    let account = try session.requireAccount()
    let found = try await session.personNow(name)
    if found.person.user == account.user { throw Complaint.oneself }
    let safety = SafetyNumber(of: account.user, and: found.person.user)
    if let number, number.count(where: \.isNumber) != 60 { throw Complaint.noSafetyNumber }
    let answer = number.map(safety.matches) ?? ask(session, safety, found)
    if let answer {
      try session.database.write { try $0.setVerified(found.person.user, answer) }
      try await session.syncAfterwards()
    }
    if answer == false {
      let shared = try session.read { transaction in
        try transaction.lists().filter {
          try transaction.members(of: $0.node).contains {
            $0.user == found.person.user && $0.role != .owner && !$0.isLeaving
          }
        }
      }
      throw Complaint.otherNumber(found.person, on: shared.map(\.name))
    }
    let isSame = answer ?? false
    let person = try session.read { try $0.person(found.person.user) } ?? found.person
    try session.voice.tell(SafetyPage(person: person, number: safety, hasChanged: found.hasChanged && !isSame))
  }

  /// Nil: nobody could be asked, or nothing was said.
  private func ask(_ session: Session, _ safety: SafetyNumber, _ found: PersonNow) -> Bool? {
    guard session.voice.isConversation else { return nil }
    let page = SafetyPage(person: found.person, number: safety, hasChanged: found.hasChanged)
    let question = "do both of you see this? [y/n, nothing: later] "
    switch session.voice.ask(question, below: page.lines(.plain))?.lowercased() {
    case "y", "yes": return true
    case "n", "no": return false
    default: return nil
    }
  }
}

/// `todo users block <name>`
struct BlockUserCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "block",
    abstract: "Let nothing of somebody in any more.",
    usage: "todo users block <name>",
    discussion: """
      Their open invitations and unread messages go, and the server takes no more of them: it sees whom you block, and they see that \
      nothing of theirs reaches you. Lists that you share with them stay as they are, and so do messages that you have read.

      Example:
        todo users block mallory
      """)

  @OptionGroup var options: GlobalOptions

  @Argument(help: ArgumentHelp("Whom.", valueName: "name"))
  var name: String

  func run() async throws { try await Session.open(options).setBlocked(name, true) }
}

/// `todo users unblock <name>`
struct UnblockUserCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "unblock",
    abstract: "Let somebody's invitations and messages in again.",
    usage: "todo users unblock <name>",
    discussion: """
      What they sent while they were blocked is gone: they have to invite you or write to you again.

      Example:
        todo users unblock mallory
      """)

  @OptionGroup var options: GlobalOptions

  @Argument(help: ArgumentHelp("Whom.", valueName: "name"))
  var name: String

  func run() async throws { try await Session.open(options).setBlocked(name, false) }
}

extension Session {
  fileprivate func setBlocked(_ name: String, _ isBlocked: Bool) async throws {
    let person: Person
    do {
      person = try await requirePerson(name)
    } catch var complaint as Complaint where complaint.kind == Complaint.unknownUserKind {
      complaint.hint = "'todo users' shows the people you have met"
      throw complaint
    }
    if try requireAccount().user == person.user { throw Complaint.oneself }
    let wasBlocked = try read { try $0.regard(for: person.user).isBlocked }
    try database.write {
      try $0.setBlocked(person.user, isBlocked)
      try $0.setRefused(person.user, isBlocked)
    }
    try await syncAfterwards()
    try voice.tell(read { try PeoplePage([$0.person(person.user) ?? person], in: $0) })
    if wasBlocked, !isBlocked {
      voice.note(
        "what \(harmless(person.display)) sent while they were blocked is gone: ask them to invite you or write to you again"
      )
    }
  }

  /// Whom the server means by a name now, who may be somebody else than was met under it.
  fileprivate func personNow(_ name: String) async throws -> PersonNow {
    let server = try requireAccount().server
    let handle = try plainHandle(name, server: server)
    guard let found = try await withCloud({ try await $0.lookUpAgain(handle: handle) }) else {
      throw Complaint.unknownUser(handle, server: server)
    }
    return found
  }
}

extension Complaint {
  fileprivate static let oneself = usage(
    "that is you", hint: "name somebody else: 'todo users' shows the people you have met")

  fileprivate static let noSafetyNumber = Complaint(
    "number", .badData, "that is not a number of sixty digits",
    hint: "give the twelve groups that the other one sees, in quotes")

  /// - Parameter lists: those that both are on.
  fileprivate static func otherNumber(_ person: Person, on lists: [String]) -> Complaint {
    let commands = lists.map { "todo unshare \(shellQuoted($0)) --with \(person.handle)" }
    let unshare =
      commands.isEmpty ? "" : "; they stay on those they are on until you end that: \(commands.joined(separator: "; "))"
    return Complaint(
      "other_number", .notVerified, "that is not the number of you and \(shortened(person.display))",
      hint:
        "look whether both of you typed it well, and compare once more; until it is the same, no list more is shared with them: the server may show one of you somebody else\(unshare)"
    )
  }
}

extension Optional {
  fileprivate func asyncMap<Result>(_ body: (Wrapped) async throws -> Result) async throws -> Result? {
    guard let self else { return nil }
    return try await body(self)
  }
}
