import CloudAPI
import Sharing
import Signing
import Treesystem

/// How things stand with the server, as somebody reads it who is worried.
struct StatusPage: Page {
  /// Something from the server that was not taken over.
  struct Problem {
    let what: String
    let list: String?
    let reason: Refusal
    let since: Int64
    let explanation: Explanation
    /// Whether it is a list that has ended for this user, and nothing of it came.
    var hasEnded = false

    var json: JSON {
      .object(
        [
          .init(key: "what", value: .string(what)), .init(key: "list", value: .text(list)),
          .init(key: "reason", value: .string(reason.rawValue)), .init(key: "since", value: .time(since)),
        ] + explanation.members)
    }
  }

  /// What makes several changes one thing to decide.
  private struct Matter: Hashable {
    /// Where what to do about it depends on the list.
    let list: String?
    var reason: Refusal?
    var obstacle: Obstacle?
    var isUnshared = false
    var isImage = false
  }

  /// As many as one reads at a glance.
  private static let shownChanges = 10
  /// As many as fit a line.
  private static let shownLists = 3

  let facts: AccountFacts
  /// Everything that the server has not confirmed.
  let changes: [QueuedChange]
  let unbelieved: [Problem]
  let unreadable: [Problem]
  /// The lists that have ended for this user; those that are no longer shared cannot be read either.
  var ended: [EndedList] = []
  /// What the server showed that cannot all be true.
  var findings: [NamedFinding] = []
  /// Who is back on lists by a past that the server shows.
  var comebacks: [NamedComeback] = []
  /// Codes that were typed here and wait for an answer.
  var claims: [OpenClaim] = []
  /// Where the recovery words may lie, if that is another device.
  var wordsLeft: WordsLeft?
  let holdings: Holdings
  /// When the server is tried again by itself, after it could not be reached; nil where nothing holds that back.
  var nextTry: Int64?
  /// By how much this machine's clock is ahead of the server's, in milliseconds, where that is far.
  var clockAhead: Int64?
  /// How many messages wait to be sent.
  var messages = 0
  /// Whether somebody with the disk could read all this.
  var lock = LockState.open

  private var refused: [QueuedChange] { changes.filter { $0.state == .refused } }
  private var pending: [QueuedChange] { changes.filter { $0.state != .refused } }

  func lines(_ style: Style) -> [String] {
    endLines(style) + factLines(style) + sendableLines(style) + refusedLines(style) + waitingLines(style)
      + claimLines(style)
      + problems("not believed, and not shown", unbelieved, style) { problem in
        "\(harmless(problem.what + (problem.list.map { " on \($0)" } ?? "")))\(style.quiet(", since \(localTime(problem.since))"))"
      }
      + endedLines(style)
      + problems("cannot be read any further", unreadable.filter { !isOfEnded($0) }, style) { problem in
        "\(harmless(problem.what))\(style.quiet(", noticed \(localTime(problem.since))"))"
      }
      + comebackLines(style)
      + findingLines("what the server showed cannot all be true", findings.filter { !$0.isOver }, style)
      + findingLines(
        "what the server showed could not all be true, and is right again", findings.filter(\.isOver), style)
      + (facts.account?.holdsRoot == true ? ["your recovery words were never checked: todo recovery"] : [])
      + (facts.end == nil ? wordsLeft?.reminder ?? [] : [])
  }

  /// Above all else: nothing that follows helps.
  private func endLines(_ style: Style) -> [String] {
    guard let end = facts.end else { return [] }
    let complaint = Complaint(end)
    return [style.bad(harmless(complaint.message)), "  → \(harmless(complaint.hint))"]
  }

  private func factLines(_ style: Style) -> [String] {
    let who =
      facts.account.map { "\($0.handle) on \(harmless($0.server))" } ?? "none, and none is needed until you share"
    var lines = [fact("account", who, style)]
    if facts.account != nil {
      lines.append(fact("last sync", facts.lastSync.map(localTime) ?? "never", style))
      if let nextTry {
        lines.append(fact("next try", "\(localTime(nextTry)), by itself: the server could not be reached", style))
      }
      lines.append(fact("not sent", unsent, style))
      if messages > 0 { lines.append(fact("messages", "\(messages) to send", style)) }
    }
    if let clockAhead {
      let clock = ClockDifference(ahead: clockAhead)
      lines.append(fact("clock", style.bad("\(clock.words): \(ClockDifference.advice)"), style))
    }
    lines.append(fact("here", holdings.summary, style))
    if let words = holdings.files.words { lines.append(fact("images", words, style)) }
    lines.append(fact("profile", "\(holdings.profile.name) in \(harmless(holdings.profile.directory))", style))
    lines.append(fact("lock", lock.words, style))
    if let advice = lock.advice { lines.append("  → \(advice)") }
    return lines
  }

  /// `3 changes since 2026-11-20 21:40: Groceries 2, Todo 1`
  private var unsent: String {
    guard let first = changes.map(\.since).min() else { return "nothing" }
    let counts = Dictionary(grouping: changes) { $0.list ?? "" }.mapValues(\.count)
    let sorted = counts.sorted { $0.key < $1.key }
    let isLong = sorted.count > Self.shownLists + 1
    var places = sorted.prefix(isLong ? Self.shownLists : sorted.count).map { list, count -> String in
      let place = list.isEmpty ? "your account" : harmless(list)
      return sorted.count == 1 ? place : "\(place) \(count)"
    }
    if isLong { places.append("and \(sorted.count - Self.shownLists) more lists") }
    let kept = refused.isEmpty ? "" : pending.isEmpty ? "; see below" : "; for \(refused.count) of them see below"
    return "\(counted(changes.count, "change")) since \(localTime(first)): \(places.joined(separator: ", "))\(kept)"
  }

  /// Lists that nobody writes to this user on any more.
  private func endedLines(_ style: Style) -> [String] {
    let never = unreadable.filter(\.hasEnded)
    if ended.isEmpty, never.isEmpty { return [] }
    var lines = [style.bad("go on without you, or not at all:")]
    for end in ended {
      lines += ["  \(harmless(end.name))\(style.quiet(", \(harmless(end.words))"))"] + reasons(Explanation(end))
    }
    for problem in never {
      let noticed = style.quiet(", noticed \(localTime(problem.since))")
      lines += ["  \(problem.what)\(noticed)"] + reasons(problem.explanation)
    }
    return lines
  }

  private func isOfEnded(_ problem: Problem) -> Bool {
    problem.hasEnded
      || problem.reason == .branchDenied && ended.contains { $0.kind == .unshared && $0.name == problem.list }
  }

  /// What was refused for one reason is one thing to decide, on however many lists.
  private func refusedLines(_ style: Style) -> [String] {
    let groups = Dictionary(grouping: refused) { change in
      let isEnded = change.unsharedBy != nil || change.reason == .branchClosed
      return Matter(
        list: isEnded ? change.list : nil, reason: change.reason,
        isUnshared: change.unsharedBy != nil && !change.isRestored,
        isImage: change.words.isImage)
    }
    func lines(_ heading: String, isUnshared: Bool) -> [String] {
      let meant = groups.filter { $0.key.isUnshared == isUnshared }.values.sorted { $0[0].number < $1[0].number }
      return meant.isEmpty ? [] : [style.bad(heading)] + meant.flatMap { matter($0, style) }
    }
    return lines("refused by the server, and kept here:", isUnshared: false)
      + lines("kept here, on a list that is no longer shared with you:", isUnshared: true)
  }

  private func matter(_ changes: [QueuedChange], _ style: Style) -> [String] {
    let width = changes.map { String($0.number).count }.max() ?? 0
    let more = changes.count - Self.shownChanges
    return changes.prefix(Self.shownChanges).map { change in
      let number = style.id(pad(String(change.number), to: width, left: true))
      return "  \(number)  \(harmless(change.words.text))\(style.quiet(", since \(localTime(change.since))"))"
    } + (more > 0 ? ["  … and \(more) more (todo status --json)"] : []) + reasons(Explanation(of: changes))
  }

  /// What the next sync sends, unless it is too much to read.
  private func sendableLines(_ style: Style) -> [String] {
    let sendable = pending.filter { $0.obstacle == nil }
    guard !sendable.isEmpty, facts.end == nil, facts.account != nil else { return [] }
    let width = sendable.map { String($0.number).count }.max() ?? 0
    let more = sendable.count - Self.shownChanges
    return ["go with the next sync:"]
      + sendable.prefix(Self.shownChanges).map { change in
        "  \(style.id(pad(String(change.number), to: width, left: true)))  \(harmless(change.words.text))"
      } + (more > 0 ? ["  … and \(more) more"] : [])
  }

  /// What another sync alone does not send.
  private func waitingLines(_ style: Style) -> [String] {
    let stuck = pending.filter { $0.obstacle != nil }
    if stuck.isEmpty { return [] }
    let groups = Dictionary(grouping: stuck) { Matter(list: $0.list, obstacle: $0.obstacle) }
    return [style.bad("waiting:")]
      + groups.values.sorted { $0[0].number < $1[0].number }.flatMap { changes in waiting(changes) }
  }

  /// Codes: what they wait for is a device of somebody else.
  private func claimLines(_ style: Style) -> [String] {
    claims.isEmpty ? [] : ["codes:"] + claims.map { "  \(harmless($0.words))" }
  }

  private func waiting(_ changes: [QueuedChange]) -> [String] {
    guard let first = changes.first, let obstacle = first.obstacle else { return [] }
    let isOne = changes.count == 1
    let what = isOne ? first.words.text : counted(changes.count, "change") + (first.list.map { " on \($0)" } ?? "")
    let line = "  \(harmless(what)) \(isOne ? "waits" : "wait") \(obstacle.meaning)"
    guard obstacle.mayLast else { return [line] }
    let numbers = ChangeNumbers(changes.map(\.number)).text
    return [line, "      → or give \(isOne ? "it" : "them") up: todo sync --discard \(numbers)"]
  }

  private func problems(_ name: String, _ problems: [Problem], _ style: Style, head: (Problem) -> String) -> [String] {
    if problems.isEmpty { return [] }
    return [style.bad("\(name):")] + problems.flatMap { ["  \(head($0))"] + reasons($0.explanation) }
  }

  private func findingLines(_ name: String, _ findings: [NamedFinding], _ style: Style) -> [String] {
    if findings.isEmpty { return [] }
    return [style.bad("\(name):")]
      + findings.flatMap { found in
        let times = ", first seen \(localTime(found.finding.firstSeen)), last \(localTime(found.finding.lastSeen))"
        return ["  \(style.id(String(found.finding.number)))  \(harmless(found.place))\(style.quiet(times))"]
          + reasons(found.explanation)
      }
  }

  /// Of lists that were taken from the server again: of one that still contradicts it stands with the finding.
  private func comebackLines(_ style: Style) -> [String] {
    let open = Set(findings.filter { !$0.isOver }.map(\.finding.branch))
    let back = comebacks.filter { !open.contains($0.comeback.branch) }
    if back.isEmpty { return [] }
    return [style.bad("back by a past that the server shows:")]
      + back.flatMap { ["  \(harmless("\($0.list): \($0.words)"))", "      → \(harmless($0.remedy))"] }
  }

  private func reasons(_ explanation: Explanation) -> [String] {
    ["      \(harmless(explanation.why))"] + explanation.advice.map { "      → \(harmless($0))" }
  }

  private func fact(_ name: String, _ value: String, _ style: Style) -> String {
    "\(style.quiet(pad(name, to: 9)))  \(value)"
  }

  var members: [JSON.Member] {
    AccountPage(facts).members.filter { $0.key != "renamed_lists" } + ownMembers
  }

  private var ownMembers: [JSON.Member] {
    [
      .init(key: "ended_at", value: .time(facts.end?.end.at)),
      .init(key: "ended_by", value: .text(facts.end?.end.by?.description)),
      .init(key: "account_deleted", value: .bool(facts.end?.end.isDeletion ?? false)),
      .init(key: "words_on", value: wordsLeft?.json ?? JSON.null),
      .init(key: "next_try", value: .time(nextTry)),
      .init(key: "clock_ahead", value: clockAhead.map { .int($0 / 1000) } ?? .null),
      .init(key: "profile", value: .string(holdings.profile.name)),
      .init(key: "unsent_messages", value: .int(Int64(messages))),
      .init(key: "pending", value: .array(pending.map(\.json))),
      .init(key: "refused", value: .array(refused.map(\.json))),
      .init(key: "quarantined", value: .array(unbelieved.map(\.json))),
      .init(key: "unreadable", value: .array(unreadable.map(\.json))),
      .init(key: "ended", value: .array(ended.map(\.json))),
      .init(key: "findings", value: .array(findings.map(\.json))),
      .init(key: "storage", value: holdings.json),
      .init(key: "lock", value: lock.json),
    ]
  }
}
