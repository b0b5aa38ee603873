import CloudAPI
import Sharing
import Signing
import TodoCore
import Treesystem

/// A change that the server has not confirmed, as people know it.
struct QueuedChange {
  /// Its number: `todo sync --retry` and `--discard` take it.
  let number: Int64
  /// Such as 'eggs', or taking somebody off; not safe for a terminal.
  let what: String
  /// The list; nil where it is about none, or one that is gone.
  let list: String?
  let state: QueuedOperation.State
  let reason: Refusal?
  let obstacle: Obstacle?
  /// Milliseconds since 1970.
  let since: Int64

  /// `'eggs' on Groceries`
  var named: String { list.map { "\(what) on \($0)" } ?? what }

  var explanation: Explanation { Explanation(changes: [number], refused: reason) }

  var json: JSON {
    let members: [JSON.Member] = [
      .init(key: "number", value: .int(number)), .init(key: "what", value: .string(what)),
      .init(key: "list", value: .text(list)), .init(key: "since", value: .time(since)),
    ]
    if state != .refused {
      return .object(
        members + [
          .init(key: "sent", value: .bool(state == .sealed)), .init(key: "waits_for", value: .text(obstacle?.word)),
          .init(key: "waits_for_number", value: obstacle?.number.map { .int($0) } ?? .null),
        ])
    }
    return .object(members + [.init(key: "reason", value: .text(reason?.rawValue))] + explanation.members)
  }
}

extension Obstacle {
  /// The refused change that stands in the way.
  var number: Int64? { if case .refused(let number) = self { number } else { nil } }

  /// For scripts.
  var word: String {
    switch self {
    case .refused: "refused_change"
    case .unreadable: "unreadable_list"
    case .keyMissing: "access"
    case .unattached: "removed_list"
    }
  }

  /// Whether waiting may never end, so that giving up is an answer.
  var mayLast: Bool { self == .unreadable(.letterMissing) || self == .unattached }

  /// For people: what changes wait for.
  var meaning: String {
    switch self {
    case .refused(let number): "for change \(number), which was refused"
    case .unreadable(.letterMissing): "because the list is no longer shared with you"
    case .unreadable: "until the list can be read again"
    case .keyMissing: "until this device can open the list; somebody who shares it may have to sync"
    case .unattached: "for a list that is not among yours"
    }
  }
}

extension CloudTransaction {
  /// Everything that the server has not confirmed, in order.
  func queuedChanges() throws -> [QueuedChange] {
    let lists = try lists()
    return try operations().map { operation in
      QueuedChange(
        number: operation.sequence, what: try name(operation, lists),
        list: lists.first { $0.branch == operation.branch }?.name, state: operation.state, reason: operation.reason,
        obstacle: try obstacle(to: operation), since: operation.created)
    }
  }

  private func name(_ operation: QueuedOperation, _ lists: [TodoList]) throws -> String {
    switch operation.kind {
    case .delete: return "a deletion"
    case .copy: return try "the invitation of \(person(operation))"
    case .permit:
      guard operation.user != nil else { return "the new list" }
      return try operation.letters?.isEmpty == true
        ? "taking off \(person(operation))" : "sharing with \(person(operation))"
    case .put:
      guard let node = try operation.node.flatMap({ try self.node($0) }) else { return "a change" }
      if let todo = try todo(node.id) { return "'\(Complaint.shortened(todo.title))'" }
      if let list = lists.first(where: { $0.branch == node.pointer }) { return "the list '\(list.name)' among yours" }
      return node.trunk == .outbox ? "a message" : node.isBranchRoot ? "the list's name" : "a change"
    }
  }

  private func person(_ operation: QueuedOperation) throws -> String {
    try operation.user.map { try displayName(of: $0) } ?? "somebody"
  }
}
