import CloudAPI
import Sharing
import Signing
import TodoCore
import Treesystem

/// A change that the server has not confirmed, as people know it.
struct QueuedChange {
  /// As many as one reads at a glance.
  private static let shownAtOnce = 5

  /// Its number: `todo sync --retry` and `--discard` take it.
  let number: Int64
  let words: ChangeWords
  /// The list; nil where it is about none, or one that is gone.
  let list: String?
  /// Who owns the list, or "you", where it is no longer shared with this user: then no server takes the change.
  let unsharedBy: String?
  let state: QueuedOperation.State
  let reason: Refusal?
  let obstacle: Obstacle?
  /// Milliseconds since 1970.
  let since: Int64
  /// Whether the list is kept from this user by a server that was set back to a backup, which a repair may mend.
  var isRestored = false
  /// Whether whoever owned the list has deleted their account.
  var isOwnerGone = false
  /// Whether it goes to somebody's inbox.
  var isMessage = false

  /// Whether it is about who is on the list, and not about what is: a list that is kept begins with nobody else.
  var isAboutMembers: Bool { words.kinds.allSatisfy { [.shared, .unshared, .invited, .renewed].contains($0) } }

  var explanation: Explanation { Explanation(of: [self]) }

  /// Of a change that waits, and of one that was refused: what the one has and the other has not is null.
  var json: JSON {
    let explanation = state == .refused ? self.explanation : nil
    return [
      "number": .int(number), "what": .string(words.text), "kinds": .array(words.kinds.map { .string($0.rawValue) }),
      "title": .text(words.title), "list": .text(list), "since": .time(since), "sent": .bool(state == .sealed),
      "waits_for": .text(obstacle?.word), "waits_for_number": obstacle?.number.map { .int($0) } ?? .null,
      "reason": .text(reason?.rawValue), "why": .text(explanation?.why),
      "advice": .array((explanation?.advice ?? []).map { .string($0) }),
    ]
  }
}

extension QueuedChange {
  /// Changes that somebody means, with what goes when they go: `naming the list Work, and with it adding 'tea' to Work,
  /// adding 'milk' to Work and 3 more`.
  static func words(_ changes: [QueuedChange], with others: [QueuedChange]) -> String {
    let meant = changes.map { harmless($0.words.text) }.joined(separator: ", ")
    if others.isEmpty { return meant }
    // Todos first: they are what somebody would miss.
    let order = others.filter { $0.words.title != nil } + others.filter { $0.words.title == nil }
    let shown = order.prefix(shownAtOnce).map { harmless($0.words.text) }.joined(separator: ", ")
    let more = order.count > shownAtOnce ? " and \(order.count - shownAtOnce) more" : ""
    return "\(meant), and with \(changes.count == 1 ? "it" : "them") \(shown)\(more)"
  }
}

extension CloudTransaction {
  /// Everything that the server has not confirmed, in order.
  func queuedChanges() throws -> [QueuedChange] {
    let lists = try lists()
    let unshared = try unsharedBranches()
    let restored =
      try unshared.isEmpty || !isServerRestored() ? [] : unshared.filter { try removal(from: $0)?.by == nil }
    return try operations().map { operation in
      let list = lists.first { $0.branch == operation.branch }
      return QueuedChange(
        number: operation.sequence, words: try words(for: operation, lists), list: list?.name,
        unsharedBy: unshared.contains(operation.branch) ? try owner(of: operation.branch) : nil,
        state: operation.state, reason: operation.reason, obstacle: try obstacle(to: operation),
        since: operation.created, isRestored: restored.contains(operation.branch),
        isOwnerGone: unshared.contains(operation.branch)
          ? try permissions(of: operation.branch).map { try hasDeletedAccount($0.body.owner) } ?? false : false,
        isMessage: operation.kind == .copy)
    }
  }

  /// The handle of whoever owns a branch, as far as it was read, or "you".
  func owner(of branch: BranchID) throws -> String {
    guard let owner = try permissions(of: branch)?.body.owner else { return "somebody" }
    return try owner == account()?.user ? "you" : displayName(of: owner)
  }
}
