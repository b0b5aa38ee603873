import CloudAPI
import GRDB
import Treesystem

/// What lists are called here: the name in the pointer, which only this person's devices write (spec §7.14).
extension CloudTransaction {
  /// Writes into each pointer what its list is called here, where that does not stand there yet: from then on nobody's title, and no list
  /// that comes or goes, changes it. One of which nothing could be read yet has no name to keep.
  func keepNames() throws {
    for list in try hangingLists() where !list.isNamed && list.isNameKnown || list.isInUse {
      guard let pointer = try node(list.pointer) else { continue }
      // When the others have gone, it stays where this person sees it.
      if list.isInUse { try setTrashed(nil, pointer) }
      guard !list.isNamed && list.isNameKnown else { continue }
      // A first name gives way to one that this person gave elsewhere. A second one, where two lists had the same, stays: two devices that
      // read each other's would give new ones for ever.
      try setAlias(list.name, of: pointer, isGiven: alias(of: pointer) != nil)
    }
  }

  /// Calls a list by another name here, and on this person's other devices.
  func setName(_ name: String, of list: NodeID) throws {
    guard let pointer = try pointer(to: list) else { throw TreeError.noSuchNode }
    let (old, new) = (try alias(of: pointer), ListName.suiting(name))
    guard old != new else { return }
    let isInTrash = try trashedAt(of: pointer) != nil
    try remember(pointer.id, from: said(old, isInTrash: isInTrash), to: said(new, isInTrash: isInTrash))
    try setAlias(new, of: pointer)
  }

  /// What each list that was read was to be called, also where two were given the same name.
  func givenNames() throws -> [(root: NodeID, name: String)] {
    try hangingLists().compactMap { list in
      guard let root = list.root, let pointer = try node(list.pointer) else { return nil }
      return (root, try alias(of: pointer) ?? list.name)
    }
  }

  /// Takes back what this person said of a list, as far as that is still so. Nil where it does not hang here any more.
  func takeBackSaying(of pointer: Node, _ before: Document, _ after: Document) throws -> (
    list: TodoList, isWhole: Bool
  )? {
    guard let root = try pointer.pointer.flatMap({ try self.root(of: $0) }) else { return nil }
    var isWhole = true
    if before.title != after.title {
      isWhole = try alias(of: pointer) == after.title
      if isWhole { try setAlias(before.title.isEmpty ? nil : before.title, of: pointer) }
    }
    if before.isDeleted != after.isDeleted { isWhole = try takeBackTrash(of: root.id, to: before.isDeleted) && isWhole }
    return try (list(root.id) ?? listsInTrash().first { $0.node == root.id }).map { ($0, isWhole) }
  }

  /// What this person says of a list, as an action remembers it: its name, and deleted where it is in the trash.
  func said(_ name: String?, isInTrash: Bool) throws -> Document {
    var document = Document()
    let (now, replica) = (clock.now(), try replica())
    try document.write(.title, Array((name ?? "").utf8), now: now, replica: replica)
    if isInTrash { document.delete(now: now, replica: replica) }
    return document
  }
}
