import ArgumentParser
import Sharing
import Signing
import Treesystem

/// `todo users [<query>]`
struct UsersCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "users",
    abstract: "Show the people you have met, or look somebody up on the server.",
    usage: "todo users [<name>]",
    discussion: """
      Examples:
        todo users
        todo users bob
      """)

  @OptionGroup var options: GlobalOptions

  @Argument(help: ArgumentHelp("Whom to look up.", valueName: "name"))
  var name: String?

  func run() async throws {
    let session = try Session.open(options)
    let account = try session.requireAccount()
    try await session.syncIfAsked()
    let people = try await name.asyncMap { [try await session.requirePerson($0)] }
    let known = try people ?? session.read { try $0.people() }
    try session.voice.tell(PeoplePage(people: known.filter { $0.user != account.user || name != nil }))
  }
}

extension Optional {
  fileprivate func asyncMap<Result>(_ body: (Wrapped) async throws -> Result) async throws -> Result? {
    guard let self else { return nil }
    return try await body(self)
  }
}

/// People, with the ids that their handles mean here.
struct PeoplePage: Page {
  let people: [Person]

  func lines(_ style: Style) -> [String] {
    if people.isEmpty { return ["you have met nobody yet"] }
    let width = people.map(\.display.count).max() ?? 0
    return people.map { "\(style.heading(pad(harmless($0.display), to: width)))  \(style.quiet($0.user.description))" }
  }

  var members: [JSON.Member] {
    [
      .init(
        key: "users",
        value: .array(people.map { ["handle": .string($0.handle), "user": .string($0.user.description)] }))
    ]
  }
}
