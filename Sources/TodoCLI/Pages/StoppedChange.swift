import CloudAPI
import TodoCore
import Treesystem

/// A change that another sync alone does not send.
struct StoppedChange {
  let change: QueuedChange
  let obstacle: Obstacle

  /// `adding 'tea' to Groceries waits until the list can be read again (todo status)`. Not safe for a terminal.
  var notice: String { "\(words) (todo status)" }

  /// In the words of `todo status`.
  var words: String { "\(change.words.text) waits \(obstacle.meaning)" }
}

extension CloudTransaction {
  /// What was changed since a time, in milliseconds since 1970, and does not go with the next sync; nil: all of it does.
  func stopped(since time: Int64) throws -> StoppedChange? {
    for operation in try operations(since: time) {
      if let obstacle = try obstacle(to: operation) { return try stopped(operation, obstacle) }
    }
    return nil
  }

  /// What the sync after a change came to where it did not send everything; nil where it did.
  /// - Parameter before: the numbers of what had been refused before it, of which nobody has to be told.
  func complaintAfterSync(_ before: Set<Int64>) throws -> Complaint? {
    let operations = try operations()
    if operations.contains(where: { $0.state == .refused && !before.contains($0.sequence) }) {
      return Complaint(refused: try queuedChanges().filter { $0.state == .refused && !before.contains($0.number) })
    }
    for operation in operations {
      if let obstacle = try obstacle(to: operation) { return Complaint(try stopped(operation, obstacle)) }
    }
    return nil
  }

  private func stopped(_ operation: QueuedOperation, _ obstacle: Obstacle) throws -> StoppedChange? {
    try queuedChanges().first { $0.number == operation.sequence }.map { StoppedChange(change: $0, obstacle: obstacle) }
  }
}

extension Complaint {
  /// That the server took a change and refused it, in the words of `todo status`.
  init(refused changes: [QueuedChange]) {
    let first = changes[0]
    let alike = changes.filter {
      $0.reason == first.reason && $0.list == first.list && $0.words.isImage == first.words.isImage
    }
    let explanation = Explanation(of: alike)
    let what = changes.count == 1 ? first.words.text : counted(changes.count, "change")
    self.init(
      first.unsharedBy == nil ? "refused" : "not_shared", .notPermitted,
      "the server refused \(what): \(explanation.why)",
      hint: "it is kept here, do not repeat it; \(explanation.advice.joined(separator: "; "))")
  }

  /// That a change was not sent, and why another sync does not help.
  init?(_ stopped: StoppedChange?) {
    guard let stopped else { return nil }
    let kept = "it is kept here, do not repeat it"
    switch stopped.obstacle {
    case .unreadable(.branchDenied):
      self.init("not_shared", .notPermitted, stopped.words, hint: "\(kept); 'todo status' says what to do")
    case .unreadable(let reason):
      let explanation = Explanation(unreadable: reason)
      self.init(
        "not_verified", .notVerified, "\(stopped.words): \(explanation.why)",
        hint: "\(kept); \(explanation.advice.joined(separator: "; "))")
    case .refused, .keyMissing, .unattached, .contentMissing, .inboxFull, .restoreAwaited:
      self.init("unsent", .tryAgain, stopped.words, hint: "\(kept); 'todo status' says what to do")
    }
  }
}
