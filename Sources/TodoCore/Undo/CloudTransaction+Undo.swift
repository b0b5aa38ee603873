import CloudAPI
import Foundation
import GRDB
public import Treesystem

/// What taking back an action came to.
public struct Undone: Sendable {
  /// A todo or list that it had changed.
  public struct Step: Sendable {
    /// What had been done to it, in the words of news; `moved` where it was only hung elsewhere.
    public let did: [String]
    /// The todo as it is now; nil for a list.
    public let todo: Todo?
    /// The list as it is now, or was before it went; nil for a todo.
    public let list: TodoList?
    /// Whether something of it stays, because it was changed since.
    public var isKept: Bool
  }

  public let steps: [Step]
}

extension CloudTransaction {
  /// The lists that taking back the last action would change; nil where there is nothing to take back.
  public func listsOfLastAction() throws -> [NodeID]? {
    guard let action = try lastAction() else { return nil }
    return try NodeID.fetchAll(
      db,
      sql: """
        SELECT DISTINCT coalesce(t.list, l.node) FROM action_steps s LEFT JOIN todos t ON t.node = s.node
        LEFT JOIN lists l ON l.node = s.node WHERE s.action = ? AND coalesce(t.list, l.node) IS NOT NULL
        """, arguments: [action])
  }

  /// Takes back what this person did last, by new changes; what others have changed since stays as they made it.
  /// Nil where there is nothing to take back.
  /// - Throws: `ActionEnd` where it was for good: nothing changes then.
  public func undo() throws -> Undone? {
    guard let action = try lastAction() else { return nil }
    let end = try String.fetchOne(db, sql: "SELECT what_ended FROM actions WHERE id = ?", arguments: [action])
    if let end = end.flatMap(ActionEnd.init) { throw end }
    let list = try takeBackRemoval(in: action)
    let rows = try Row.fetchAll(
      db, sql: "SELECT node, kind, before, after, origin FROM action_steps WHERE action = ? ORDER BY id DESC",
      arguments: [action])
    let added = Set(rows.filter { $0[1] == ActionStep.added.rawValue }.map { $0[0] as NodeID })
    let staying = try followers(ofKept: rows)
    let steps = try rows.compactMap { row -> Undone.Step? in
      let node: NodeID = row[0]
      switch ActionStep(rawValue: row[1]) {
      case .added: return try takeBackAddition(of: node, isStaying: staying.contains(node))
      case .changed where !added.contains(node):
        return try takeBack(
          node, Document(bytes: Array(row[2] as Data)), Document(bytes: Array(row[3] as Data)))
      case .moved where !added.contains(node): return try moveBack(node, to: row[4])
      case .commented: return try takeBackComment(node)
      case .changed, .moved, nil: return nil
      }
    }
    try db.execute(sql: "DELETE FROM actions WHERE id = ?", arguments: [action])
    let back = list.map { [Undone.Step(did: ["removed"], todo: nil, list: $0, isKept: false)] } ?? []
    return Undone(steps: back + Self.once(steps.reversed()))
  }

  /// Makes a list again that an action removed with nothing on it. What came from there has its origin again, in earlier actions too.
  private func takeBackRemoval(in action: Int64) throws -> TodoList? {
    let name = try String.fetchOne(db, sql: "SELECT removed_list FROM actions WHERE id = ?", arguments: [action])
    guard let name else { return nil }
    for name in [name] + (2..<100).map({ "\(name) (\($0))" }) {
      guard case .list(let list) = try addList(ListName(name)) else { continue }
      try db.execute(
        sql: "UPDATE action_steps SET origin = ?, removed_by = NULL WHERE removed_by = ?",
        arguments: [list.node, action])
      return list
    }
    return nil
  }

  /// A list whose name and title were changed was changed once.
  private static func once(_ steps: [Undone.Step]) -> [Undone.Step] {
    var once: [Undone.Step] = []
    for step in steps {
      let known = once.firstIndex { $0.list != nil && $0.list?.node == step.list?.node && $0.did == step.did }
      if let known { once[known].isKept = once[known].isKept || step.isKept } else { once.append(step) }
    }
    return once
  }

  /// What an action made because it ticked something, where that tick stays, or where somebody has gone on with it: without it nothing open
  /// would be left of what comes back.
  private func followers(ofKept rows: [Row]) throws -> Set<NodeID> {
    var staying: Set<NodeID> = []
    let added = try rows.filter { $0[1] == ActionStep.added.rawValue }.compactMap { try todo($0[0]) }
    guard !added.isEmpty else { return [] }
    for row in rows where row[1] == ActionStep.changed.rawValue {
      guard let todo = try todo(row[0]), let branch = try node(todo.node)?.branch,
        let key = try knownDerivationKey(of: branch), var document = try document(of: todo.node, in: .todos)?.document
      else { continue }
      let (before, after) = (try Document(bytes: Array(row[2] as Data)), try Document(bytes: Array(row[3] as Data)))
      let isTick = before[Field.done.rawValue] != after[Field.done.rawValue]
      guard isTick, let next = added.first(where: { $0.id == todo.id.next(by: key) }) else { continue }
      let isWhole = try document.takeBack(before, after, now: clock.now(), replica: replica())
      let made = try [next] + allParts(of: next)
      let isUntouched = try made.allSatisfy { part in try added.contains { $0.node == part.node } && isAsMade(part) }
      if !isWhole || !isUntouched { staying.formUnion(made.map(\.node)) }
    }
    return staying
  }

  /// A list goes only if nothing is on it, not even in its trash: there is what was added with it, and whatever others made of that.
  private func takeBackAddition(of node: NodeID, isStaying: Bool) throws -> Undone.Step? {
    if let list = try self.list(node) {
      let isShared = try isShared(list)
      guard try !isShared && [.open, .done, .trash].allSatisfy({ try todos(in: node, $0).isEmpty }) else {
        let isUsed = try isShared || [.open, .done].contains { try !todos(in: node, $0).isEmpty }
        return isUsed ? Undone.Step(did: ["added"], todo: nil, list: list, isKept: true) : nil
      }
      try removeList(list)
      return Undone.Step(did: ["added"], todo: nil, list: list, isKept: false)
    }
    guard let todo = try todo(node) else { return nil }
    if isStaying { return Undone.Step(did: ["added"], todo: todo, list: nil, isKept: true) }
    let now = todo.state == .trash ? todo : try removeTodo(todo)
    return Undone.Step(did: ["added"], todo: now, list: nil, isKept: false)
  }

  private func isShared(_ list: TodoList) throws -> Bool {
    try (permissions(of: list.branch)?.body.entries.count ?? 1) > 1
  }

  private func takeBack(_ node: NodeID, _ before: Document, _ after: Document) throws -> Undone.Step? {
    var isKept = false
    if let todo = try todo(node) {
      let now = try change(todo) { document, now, replica in
        isKept = try !document.takeBack(before, after, now: now, replica: replica)
      }
      return Undone.Step(did: Self.kinds(before, after, isList: false), todo: now, list: nil, isKept: isKept)
    }
    if let pointer = try self.node(node), pointer.pointer != nil {
      guard let (list, isWhole) = try takeBackSaying(of: pointer, before, after) else { return nil }
      let did: News.Kind = before.isDeleted == after.isDeleted ? .retitled : after.isDeleted ? .removed : .restored
      return Undone.Step(did: [did.rawValue], todo: nil, list: list, isKept: !isWhole)
    }
    guard try list(node) != nil else { return nil }
    try changeList(node) { document, now, replica in
      isKept = try !document.takeBack(before, after, now: now, replica: replica)
    }
    return Undone.Step(
      did: Self.kinds(before, after, isList: true), todo: nil, list: try list(node), isKept: isKept)
  }

  private func lastAction() throws -> Int64? { try Int64.fetchOne(db, sql: "SELECT max(id) FROM actions") }

  private static func kinds(_ before: Document, _ after: Document, isList: Bool) -> [String] {
    let kinds = News.Kind.between(before, after, isList).map(\.rawValue)
    return kinds.isEmpty ? ["moved"] : kinds
  }

  /// - Parameter origin: nil where that is gone.
  private func moveBack(_ node: NodeID, to origin: NodeID?) throws -> Undone.Step? {
    guard let todo = try todo(node) else { return nil }
    guard let origin, let parent = try self.node(origin), let target = try root(of: parent.branch),
      try mayWrite(parent.branch)
    else {
      return Undone.Step(did: ["moved"], todo: todo, list: nil, isKept: true)
    }
    let now =
      target.id == origin ? try moveTodo(todo, to: origin) : try self.todo(origin).map { try moveTodo(todo, below: $0) }
    return Undone.Step(did: ["moved"], todo: now ?? todo, list: nil, isKept: now == nil)
  }

  private func takeBackComment(_ id: NodeID) throws -> Undone.Step? {
    guard let node = try node(id), let todo = try node.parent.flatMap({ try self.todo($0) }) else { return nil }
    try deleteForGood(id)
    return Undone.Step(did: [News.Kind.commented.rawValue], todo: todo, list: nil, isKept: false)
  }
}

extension Document {
  /// Writes again what stood here before a change, wherever what the change wrote still stands here. False: something else does.
  mutating func takeBack(
    _ before: Document, _ after: Document, now: Int64, replica: Replica
  ) throws(DocumentError) -> Bool {
    var isWhole = true
    // Who took something away is said anew, with the deletion below.
    let fields = Set((before.registers + after.registers).map(\.field)).subtracting([Field.taken.rawValue]).sorted()
    for field in fields where before[field] != after[field] {
      if self[field]?.value == after[field]?.value {
        try write(field, before[field]?.value ?? [], now: now, replica: replica)
      } else if self[field]?.value != before[field]?.value {
        isWhole = false
      }
    }
    let added = Set(after.elements).subtracting(before.elements)
    try remove(now: now, replica: replica) { added.contains($0) }
    for element in before.elements where !after.elements.contains(element) {
      let isHere = elements.contains { $0.field == element.field && $0.value == element.value }
      if !isHere { try add(element.field, element.value, now: now, replica: replica) }
    }
    if after.isDeleted, !before.isDeleted, isDeleted { try restore(now: now, replica: replica) }
    if before.isDeleted, !after.isDeleted, !isDeleted { delete(now: now, replica: replica) }
    return isWhole
  }
}
