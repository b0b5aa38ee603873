import CloudAPI
import GRDB
import Sharing
import Signing
public import Treesystem

/// What making or renaming a list came to.
public enum ListOutcome: Sendable {
  case list(TodoList)
  /// Another list has this name already.
  case taken(TodoList)
}

extension CloudTransaction {
  /// Makes a list: a branch of its own, so that it can be shared as it is, under a name in its pointer.
  public func addList(_ name: ListName) throws -> ListOutcome {
    if let other = try list(named: name) { return .taken(other) }
    let root = try createBranch(withPath: Treepath(.home, TodoID.draw(entropy) { _ in true }.text))
    let now = clock.now()
    let replica = try replica()
    var document = Document()
    try document.write(.kind, Array(Kind.list.rawValue.utf8), now: now, replica: replica)
    try document.write(.created, timeValue(now), now: now, replica: replica)
    try document.write(.title, Array(name.text.utf8), now: now, replica: replica)
    try store(VersionedDocument(document), ofList: root.id, confirmed: 0)
    if let pointer = try self.pointer(to: root.id) { try setAlias(ListName.suiting(name.text), of: pointer) }
    try remember(.added, root.id)
    guard let list = try list(root.id) else { throw TreeError.noSuchNode }
    return .list(list)
  }

  /// Calls a list otherwise. Its title, which all its members have, changes with that where it is this person's own list, or where they call it
  /// by its title and may write there; else the name is for them alone.
  public func renameList(_ list: TodoList, to name: ListName) throws -> ListOutcome {
    if let other = try self.list(named: name), other.node != list.node { return .taken(other) }
    try keepNames()
    try setName(name.text, of: list.node)
    let isOwn = try list.owner == nil || list.owner == account()?.user
    let isForAll = try (isOwn || list.title == list.name) && mayWrite(list.node)
    if isForAll, list.title != name.text {
      try setTitle(name.text, ofList: list.node)
    } else {
      try logOwn(.retitled, list.node, on: list.node, title: name.text, detail: list.name)
    }
    return try self.list(list.node).map { .list($0) } ?? { throw TreeError.noSuchNode }()
  }

  /// Removes a list for good: one's own with all its todos, another person's from here only.
  /// - Throws: `ShareError.ownerStays` for one's own that others share: they could leave it too, and nobody would find it again.
  ///   `close` ends it for all of them.
  public func removeList(_ list: TodoList) throws {
    guard let pointer = try pointer(to: list.node) else { throw TreeError.noSuchNode }
    guard try !isOwnAndShared(list) else { throw ShareError.ownerStays }
    try keepNames()
    let isEmpty = try [.open, .done, .trash].allSatisfy { try todos(in: list.node, $0).isEmpty }
    let isOwn = try list.owner == nil || list.owner == account()?.user
    if isEmpty, isOwn { try noteRemoved(list) } else { try noteEnd(.listRemoved) }
    try letGo(of: pointer)
  }

  /// Renames those of one's own lists that have the name of one that came with an account: "Groceries (2)".
  ///
  /// Two lists that share a name by chance are two lists; nothing is merged behind the user's back.
  /// - Parameter local: the lists that were here before signing in.
  public func keepApart(_ local: Set<NodeID>) throws -> [TodoList] {
    let all = try givenNames()
    var taken = Set(all.filter { !local.contains($0.root) }.map { folded($0.name) })
    let renamed = try all.filter { local.contains($0.root) }.compactMap { root, old -> NodeID? in
      let others = taken
      taken.insert(folded(old))
      guard others.contains(folded(old)) else { return nil }
      let base = old.wholeMatch(of: #/(.+) \([0-9]{1,2}\)/#).map { String($0.1) } ?? old
      let name = (2...).lazy.map { "\(base) (\($0))" }.first { !others.contains(folded($0)) } ?? old
      taken.insert(folded(name))
      try setName(name, of: root)
      try setTitle(name, ofList: root)
      return root
    }
    return try renamed.compactMap { try list($0) }
  }

  private func setTitle(_ title: String, ofList node: NodeID) throws {
    try changeList(node) { document, now, replica in
      try document.write(.title, Array(title.utf8), now: now, replica: replica)
    }
  }

  /// Changes a list's document, and queues its upload.
  func changeList(
    _ node: NodeID, _ body: (inout Document, _ now: Int64, _ replica: Replica) throws -> Void
  ) throws {
    // One that somebody has made unreadable begins anew.
    var content =
      try storedDocument(of: node, in: .lists)?.broughtBack(of: node, in: self) ?? VersionedDocument(Document())
    let (now, replica) = (clock.now(), try replica())
    let before = content.document
    try content.change { document in try body(&document, now, replica) }
    content.fit()
    try logOwn(of: node, on: node, from: before, to: content.document, isList: true)
    try remember(node, from: before, to: content.document)
    try store(content, ofList: node)
    try queueDataUpload(forNodeID: node)
  }

  private func isOwnAndShared(_ list: TodoList) throws -> Bool {
    guard let body = try permissions(of: list.branch)?.body, try body.owner == account()?.user else { return false }
    return try !body.isClosed && body.entries.count > 1 && removal(from: list.branch) == nil
  }

  private func list(named name: ListName) throws -> TodoList? {
    try lists().first { folded($0.name) == folded(name.text) }
  }
}
