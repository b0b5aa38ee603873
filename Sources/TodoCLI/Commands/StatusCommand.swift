import ArgumentParser
import CloudAPI
import Sharing
import TodoCore
import Treesystem

/// `todo status`
struct StatusCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "status",
    abstract: "Show what is not sent, what was refused, what was not believed, and what to do about it.",
    usage: "todo status",
    discussion: """
      Example:
        todo status
      """)

  @OptionGroup var options: GlobalOptions

  func run() async throws {
    let session = try Session.open(options)
    try session.settleDiskLimits()
    try await session.syncIfAsked()
    var page = try session.read { try $0.status(of: session.profile) }
    page.lock = session.lock
    page.messages = try session.read { try $0.unsentMessages() }
    page.clockAhead = try session.read { try $0.clockAhead() }
    if session.config.backgroundSync, page.facts.account != nil {
      page.nextTry = try session.read { try $0.nextContact() }
    }
    try session.voice.tell(page)
  }
}

extension CloudTransaction {
  fileprivate func status(of profile: Profile) throws -> StatusPage {
    let lists = try lists()
    let changes = try queuedChanges()
    return StatusPage(
      facts: try accountFacts(), changes: changes, unbelieved: try unbelieved(lists),
      unreadable: try unreadable(lists), ended: try endedLists(), findings: try namedFindings(),
      comebacks: try namedComebacks(),
      claims: try openClaims(), wordsLeft: try wordsLeft(), holdings: try holdings(of: profile, lists))
  }

  /// How many messages have not gone to everybody whom they are for.
  fileprivate func unsentMessages() throws -> Int {
    let nodes = try Set(operations().filter { $0.kind == .copy }.compactMap(\.node))
    return try nodes.filter { try messageKind(of: $0) == .post }.count
  }

  /// What is in quarantine. Several records of one list and reason are one problem: a list may have thousands.
  private func unbelieved(_ lists: [TodoList]) throws -> [StatusPage.Problem] {
    let groups = Dictionary(grouping: try quarantined()) { Place(branch: $0.branch, reason: $0.reason) }
    return try groups.map { place, records in
      let titles = try records.compactMap { try node($0.cloudID, in: $0.branch).flatMap { try todo($0.id)?.title } }
      let what =
        titles.count == 1 && records.count == 1 ? "a change of '\(titles[0])'" : counted(records.count, "change")
      return StatusPage.Problem(
        what: what, list: lists.first { $0.branch == place.branch }?.name, reason: place.reason,
        since: records.map(\.since).min() ?? 0, explanation: try explanation(of: place))
    }.sorted { ($0.since, $0.what) < ($1.since, $1.what) }
  }

  private func explanation(of place: Place) throws -> Explanation {
    guard place.reason == .contentMissing else { return Explanation(unbelieved: place.reason) }
    if try root(of: place.branch)?.trunk == .inbox { return Explanation(lost: .message) }
    return Explanation(lost: try mayDelete(in: place.branch) ? .writable : .readable)
  }

  private func unreadable(_ lists: [TodoList]) throws -> [StatusPage.Problem] {
    let unread = try unreadLists()
    return try troubles().map { trouble in
      if let list = unread.first(where: { $0.branch == trouble.branch }) {
        return StatusPage.Problem(
          what: list.name, list: nil, reason: trouble.reason, since: trouble.since, explanation: Explanation(list))
      }
      let found = lists.first { $0.branch == trouble.branch }
      let list = found?.name
      if list == nil, let invite = try lateInvite(to: trouble.branch) {
        return StatusPage.Problem(
          what: invite.title, list: nil, reason: trouble.reason, since: trouble.since,
          explanation: try hasLeft(trouble.branch)
            ? Explanation(left: invite.title, by: invite.senderName)
            : Explanation(
              late: invite.title, by: invite.senderName, isGone: hasDeletedAccount(invite.sender)))
      }
      if trouble.reason == .branchDenied, try root(of: trouble.branch) == nil {
        return StatusPage.Problem(
          what: "a list of which nothing came to this device", list: nil, reason: trouble.reason, since: trouble.since,
          explanation: try hasLeft(trouble.branch) ? .leftUnread : .neverRead, hasEnded: true)
      }
      return StatusPage.Problem(
        what: list ?? "your account", list: list, reason: trouble.reason, since: trouble.since,
        explanation: try found.flatMap { try end(of: $0) }.map { Explanation($0) }
          ?? explanation(unreadable: trouble.branch, trouble.reason))
    }
  }

  /// Who is back by what the server has stands before what leads there.
  private func explanation(unreadable branch: BranchID, _ reason: Refusal) throws -> Explanation {
    let cloudID = try cloudID(of: branch)
    let back = try namedComebacks().filter { $0.comeback.branch == cloudID }.map(\.warning)
    let explanation = Explanation(unreadable: reason)
    return Explanation(explanation.why, advice: back + explanation.advice)
  }

  /// Whether this user has left a list, as another device of theirs says.
  private func hasLeft(_ branch: BranchID) throws -> Bool {
    guard let me = try account()?.user else { return false }
    return try removal(from: branch)?.by == me
  }

  private func holdings(of profile: Profile, _ lists: [TodoList]) throws -> Holdings {
    func count(_ state: TodoState) throws -> Int { try lists.reduce(0) { try $0 + todoCount(in: $1.node, state) } }
    return Holdings(
      profile: profile, bytes: profile.size, lists: lists.count, open: try count(.open), done: try count(.done),
      trash: try count(.trash), files: try fileHoldings())
  }
}

/// Where and why something was not believed.
private struct Place: Hashable {
  let branch: BranchID
  let reason: Refusal
}
