import TodoCore
import Treesystem

extension Session {
  /// Has the sync that follows try refused changes again; all of them if none is named.
  func retry(_ numbers: [Int64]) throws -> [QueuedChange] {
    let retried = try database.write { transaction in
      let changes = try transaction.queuedChanges().numbered(numbers)
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

  /// Gives changes up for good, with those that go with them. Returns all that went, those first that were meant.
  func discard(_ numbers: [Int64]) throws -> [QueuedChange] {
    let (meant, others) = try read { transaction in
      let all = try transaction.queuedChanges()
      let meant = try all.numbered(numbers)
      if let sent = meant.first(where: { $0.state == .sealed }) { throw Complaint.underWay(sent) }
      let going = try Set(numbers.flatMap { try transaction.operations(waitingFor: $0).map(\.sequence) })
        .subtracting(numbers)
      return (meant, all.filter { going.contains($0.number) && $0.state != .sealed })
    }
    try confirm("give up \(QueuedChange.words(meant, with: others))")
    let gone = try database.write { try $0.discard(numbers) }
    let discarded = (meant + others).filter { gone.contains($0.number) }
    tell("gave up", discarded)
    return discarded
  }

  /// A line for each change, on standard error: what the command prints is what the sync did.
  private func tell(_ verb: String, _ changes: [QueuedChange]) {
    for change in changes { voice.note("\(verb) \(change.number): \(change.words.text)") }
  }
}

extension CloudTransaction {
  /// Gives up what is still there of these. Returns the numbers of all that went.
  fileprivate func discard(_ numbers: [Int64]) throws -> Set<Int64> {
    let before = try Set(operations().map(\.sequence))
    for number in numbers { try discardOperation(number) }
    return try before.subtracting(operations().map(\.sequence))
  }
}

extension [QueuedChange] {
  /// Those with these numbers, or all if there are none; complains about a number that is nothing's.
  fileprivate func numbered(_ numbers: [Int64]) throws -> [QueuedChange] {
    let known = Set(map(\.number))
    if let unknown = numbers.first(where: { !known.contains($0) }) { throw Complaint.unknownChange(unknown) }
    return numbers.isEmpty ? self : filter { numbers.contains($0.number) }
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
