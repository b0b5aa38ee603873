import ArgumentParser
import CloudAPI
import Sharing
import TodoCore
import Treesystem

/// `todo status`
struct StatusCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "status",
    abstract: "Show what is not sent, what was refused, and what was not believed.",
    usage: "todo status",
    discussion: """
      Example:
        todo status
      """)

  @OptionGroup var options: GlobalOptions

  func run() async throws {
    let session = try Session.open(options)
    try await session.syncIfAsked()
    let page = try session.read { try $0.status(profile: session.profile) }
    try session.voice.tell(page)
  }
}

extension CloudTransaction {
  fileprivate func status(profile: Profile) throws -> StatusPage {
    let lists = try lists()
    let operations = try operations()
    return StatusPage(
      profile: profile, facts: try accountFacts(),
      refused: try operations.filter { $0.state == .refused }.map { operation in
        StatusPage.Problem(
          what: try operation.node.flatMap { try todo($0)?.title } ?? operation.kind.rawValue,
          list: lists.first { $0.branch == operation.branch }?.name, reason: operation.reason, since: operation.created)
      },
      quarantined: try quarantined().map { record in
        StatusPage.Problem(
          what: "line \(record.line)", list: lists.first { $0.branch == record.branch }?.name, reason: record.reason,
          since: record.since)
      },
      unreadable: try troubles().map { trouble in
        StatusPage.Problem(
          what: lists.first { $0.branch == trouble.branch }?.name ?? "your account's own tree", list: nil,
          reason: trouble.reason, since: trouble.since)
      })
  }
}

/// How things stand with the server.
struct StatusPage: Page {
  /// A change that was refused, or a record that was not believed.
  struct Problem {
    let what: String
    let list: String?
    let reason: Refusal?
    let since: Int64

    func line(_ style: Style) -> String {
      let place = list.map { " · \(harmless($0))" } ?? ""
      return "  \(harmless(what))\(style.quiet("\(place) · \(reason?.rawValue ?? "?") · since \(localTime(since))"))"
    }

    var json: JSON {
      ["what": .string(what), "list": .text(list), "reason": .text(reason?.rawValue), "since": .time(since)]
    }
  }

  let profile: Profile
  let facts: AccountFacts
  let refused: [Problem]
  let quarantined: [Problem]
  /// Branches whose history from the server does not continue what was read here.
  let unreadable: [Problem]

  func lines(_ style: Style) -> [String] {
    let who = facts.account.map { "\($0.handle) on \(harmless($0.server))" } ?? "none"
    let pending = facts.unsent - refused.count
    var lines = [
      fact("profile", "\(profile.name) in \(harmless(profile.directory))", style), fact("account", who, style),
    ]
    if facts.account != nil {
      lines.append(fact("last sync", facts.lastSync.map(localTime) ?? "never", style))
      lines.append(fact("not sent", pending == 0 ? "nothing" : counted(pending, "change"), style))
    }
    lines += problems("refused by the server", refused, style)
    lines += problems("not believed", quarantined, style)
    lines += problems("cannot be read any further", unreadable, style)
    if facts.account?.holdsRoot == true {
      lines.append("your recovery words were never checked: todo recovery")
    }
    return lines
  }

  private func fact(_ name: String, _ value: String, _ style: Style) -> String {
    "\(style.quiet(pad(name, to: 9)))  \(value)"
  }

  private func problems(_ name: String, _ problems: [Problem], _ style: Style) -> [String] {
    problems.isEmpty ? [] : [style.bad("\(name):")] + problems.map { $0.line(style) }
  }

  var members: [JSON.Member] {
    AccountPage(facts).members.filter { $0.key != "renamed_lists" } + [
      .init(key: "profile", value: .string(profile.name)),
      .init(key: "refused", value: .array(refused.map(\.json))),
      .init(key: "quarantined", value: .array(quarantined.map(\.json))),
      .init(key: "unreadable", value: .array(unreadable.map(\.json))),
    ]
  }
}
