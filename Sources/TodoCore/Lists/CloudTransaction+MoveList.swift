public import Treesystem

extension CloudTransaction {
  /// Puts a list away, or takes it out again, for all its members.
  public func setArchived(_ archived: Bool, _ list: TodoList) throws {
    guard archived != list.isArchived else { return }
    try changeList(list.node) { document, now, replica in
      try document.write(.archived, archived ? [0x31] : [], now: now, replica: replica)
    }
  }

  /// Puts a list behind another one, or before all others, for all its members.
  ///
  /// Lists that nobody moved stand behind those that somebody did; so all that come before its new place are given one.
  public func moveList(_ list: TodoList, after other: TodoList?) throws {
    let others = try lists().filter { $0.node != list.node }
    let above = others.firstIndex { $0.node == other?.node }.map { $0 + 1 } ?? 0
    guard other == nil || above > 0 else { throw TreeError.noSuchNode }
    var lower: OrderGap.Placed?
    for here in others[..<above] {
      let placed = try placed(here)
      lower = isOrdered(lower, placed) ? placed : try put(here, after: lower, among: others)
    }
    _ = try put(list, after: lower, among: others)
  }

  /// Gives a list the next place after another one's, and returns it.
  private func put(
    _ list: TodoList, after lower: OrderGap.Placed?, among others: [TodoList]
  ) throws -> OrderGap.Placed? {
    let upper = try others.map { try placed($0) }.first { $0.node != list.node && isOrdered(lower, $0) }
    var new = OrderGap.Placed(node: list.node)
    guard let key = OrderGap(lower: lower, upper: upper, moved: new).keys(entropy).first?.key else { return lower }
    new.key = key
    guard try mayWrite(list.node) else { return new }
    try changeList(list.node) { document, now, replica in
      try document.write(.order, Array(key.text.utf8), now: now, replica: replica)
    }
    return new
  }

  private func isOrdered(_ lower: OrderGap.Placed?, _ upper: OrderGap.Placed) -> Bool {
    guard let above = upper.key else { return false }
    guard let below = lower?.key else { return true }
    return below < above
  }

  private func placed(_ list: TodoList) throws -> OrderGap.Placed {
    let moved = try document(of: list.node, in: .lists)?.document[Field.order.rawValue]?.stamp
    return OrderGap.Placed(node: list.node, key: list.place, moved: moved)
  }
}
