import TodoCore
import Treesystem

extension Session {
  /// Has the sync that follows try refused changes again; all of them if none is named.
  func retry(_ numbers: [Int64]) throws -> [QueuedChange] {
    let retried = try database.write { transaction in
      let changes = try transaction.requireChanges(numbers)
      if let sent = changes.first(where: { $0.state != .refused && !numbers.isEmpty }) {
        throw Complaint.notRefused(sent)
      }
      let refused = changes.filter { $0.state == .refused }
      let sendable = refused.filter { $0.unsharedBy == nil }
      if let change = refused.first(where: { $0.unsharedBy != nil }), !numbers.isEmpty || sendable.isEmpty {
        throw Complaint.notShared(change)
      }
      for change in sendable { try transaction.retryOperation(change.number) }
      return sendable
    }
    tell("trying again", retried)
    return retried
  }

  /// Gives changes up for good, with those that wait for them.
  func discard(_ numbers: [Int64]) throws -> [QueuedChange] {
    let (changes, dependents) = try read { transaction in
      let changes = try transaction.requireChanges(numbers)
      if let sent = changes.first(where: { $0.state == .sealed }) { throw Complaint.underWay(sent) }
      let dependents = try Set(changes.flatMap { try transaction.operations(waitingFor: $0.number).map(\.sequence) })
      return (changes, dependents.subtracting(numbers).count)
    }
    let others =
      dependents == 0 ? "" : ", and \(counted(dependents, "change")) waiting for \(changes.count == 1 ? "it" : "them")"
    try confirm("give up \(changes.map { harmless($0.words.text) }.joined(separator: ", "))\(others)")
    try database.write { transaction in
      for change in changes where try transaction.operations().contains(where: { $0.sequence == change.number }) {
        try transaction.discardOperation(change.number)
      }
    }
    tell("gave up", changes)
    return changes
  }

  /// A line for each change, on standard error: what the command prints is what the sync did.
  private func tell(_ verb: String, _ changes: [QueuedChange]) {
    for change in changes { voice.note("\(verb) \(change.number): \(harmless(change.words.text))") }
  }
}

extension CloudTransaction {
  /// The changes with these numbers, or all if there are none; complains about a number that is nothing's.
  fileprivate func requireChanges(_ numbers: [Int64]) throws -> [QueuedChange] {
    let all = try queuedChanges()
    return try numbers.isEmpty
      ? all
      : numbers.map { number in
        guard let change = all.first(where: { $0.number == number }) else { throw Complaint.unknownChange(number) }
        return change
      }
  }
}

extension Complaint {
  fileprivate static func unknownChange(_ number: Int64) -> Complaint {
    Complaint(
      "unknown_change", .notFound, "no change has the number \(number)",
      hint: "'todo status' shows those that wait; one that was sent has none any more")
  }

  fileprivate static func notRefused(_ change: QueuedChange) -> Complaint {
    Complaint(
      "not_refused", .notFound, "change \(change.number) was not refused",
      hint: "it is sent with the next 'todo sync'")
  }

  fileprivate static func notShared(_ change: QueuedChange) -> Complaint {
    Complaint(
      "not_shared", .notPermitted,
      "change \(change.number) is for \(change.list.map { "'\($0)', which is" } ?? "a list that is") not shared with you any more",
      hint: "trying again is no use; \(change.explanation.advice[0]), or 'todo sync --discard \(change.number)'")
  }

  fileprivate static func underWay(_ change: QueuedChange) -> Complaint {
    Complaint(
      "under_way", .tryAgain, "change \(change.number) was sent, and may have arrived",
      hint: "run 'todo sync' first: it is taken or refused then")
  }
}
