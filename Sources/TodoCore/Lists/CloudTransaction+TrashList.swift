import CloudAPI
import GRDB
import Sharing
public import Treesystem

/// A list in the trash hangs in home and is read like any other, but nothing of it is shown (spec §7.14).
extension CloudTransaction {
  /// Puts one of this person's own lists into the trash, with all that is on it.
  /// - Throws: `ShareError.ownerStays` for one that others read.
  public func trashList(_ list: TodoList) throws {
    guard !list.isShared else { throw ShareError.ownerStays }
    try keepNames()
    try setTrashed(clock.now(), list)
  }

  /// Takes a list out of the trash. Where another one has its name meanwhile, it gets a new one.
  public func restoreList(_ list: TodoList) throws -> TodoList {
    guard let pointer = try pointer(to: list.node) else { throw TreeError.noSuchNode }
    try keepNames()
    let taken = try Set(lists().map { folded($0.name) })
    if taken.contains(folded(list.name)) {
      let free = (2...).lazy.map { "\(list.name) (\($0))" }.first { !taken.contains(folded($0)) }
      try setAlias(free, of: pointer)
    }
    try setTrashed(nil, list)
    return try self.list(list.node) ?? { throw TreeError.noSuchNode }()
  }

  /// Deletes lists that are in the trash, for good, with all that is on them. One that was taken out meanwhile stays.
  public func deleteForGood(_ lists: [TodoList]) throws {
    let doomed = Set(lists.map(\.node))
    for list in try listsInTrash() where doomed.contains(list.node) { try removeList(list) }
  }

  /// The roots of the lists in the trash.
  func trashedRoots() throws -> Set<NodeID> {
    // Hardly ever any: asking for one costs nothing.
    let any = try db.cachedStatement(sql: "SELECT 1 FROM nodes WHERE trashed_at IS NOT NULL LIMIT 1")
    return try Int.fetchOne(any) == nil ? [] : Set(listsInTrash().map(\.node))
  }

  /// Puts a list back into the trash, or takes it out, where an action did the other. False where it is there already.
  func takeBackTrash(of root: NodeID, to isInTrash: Bool) throws -> Bool {
    guard let list = try (isInTrash ? lists() : listsInTrash()).first(where: { $0.node == root }), !list.isShared else {
      return false
    }
    if isInTrash { try trashList(list) } else { _ = try restoreList(list) }
    return true
  }

  private func setTrashed(_ time: Int64?, _ list: TodoList) throws {
    guard let pointer = try pointer(to: list.node) else { throw TreeError.noSuchNode }
    let name = try alias(of: pointer)
    try remember(pointer.id, from: said(name, isInTrash: time == nil), to: said(name, isInTrash: time != nil))
    try setTrashed(time, pointer)
  }
}
