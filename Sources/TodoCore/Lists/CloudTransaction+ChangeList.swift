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
  /// Makes a list: a branch of its own, so that it can be shared as it is.
  public func addList(_ name: ListName) throws -> ListOutcome {
    if let other = try list(named: name) { return .taken(other) }
    let pointer = TodoID.draw(entropy) { _ in true }
    let root = try createBranch(withPath: Treepath(.home, pointer.text))
    let now = clock.now()
    let replica = try replica()
    var document = Document()
    try document.write(.kind, Array(Kind.list.rawValue.utf8), now: now, replica: replica)
    try document.write(.created, timeValue(now), now: now, replica: replica)
    try document.write(.title, Array(name.text.utf8), now: now, replica: replica)
    try store(VersionedDocument(document), ofList: root.id, confirmed: 0)
    try remember(.added, root.id)
    guard let list = try list(root.id) else { throw TreeError.noSuchNode }
    return .list(list)
  }

  /// Gives a list another title, for all its members; one that has a name of its own here gets another only here.
  public func renameList(_ list: TodoList, to name: ListName) throws -> ListOutcome {
    if let other = try self.list(named: name), other.node != list.node { return .taken(other) }
    try keepNames()
    try forgetNames(of: list.node)
    if let pointer = try pointer(to: list.node), try alias(of: pointer) != nil {
      try setAlias(name.text, of: pointer)
    } else {
      try setTitle(name.text, ofList: list.node)
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
    try letGo(of: pointer)
  }

  /// Renames those of one's own lists that have the name of one that came with an account: "Groceries (2)".
  ///
  /// Two lists that share a name by chance are two lists; nothing is merged behind the user's back.
  /// - Parameter local: the lists that were here before signing in.
  public func keepApart(_ local: Set<NodeID>) throws -> [TodoList] {
    try forgetNames()
    let all = try lists()
    var taken = Set(all.filter { !local.contains($0.node) }.map { folded($0.title) })
    return try all.filter { local.contains($0.node) }.compactMap { list in
      let others = taken
      taken.insert(folded(list.title))
      guard others.contains(folded(list.title)) else { return nil }
      let base = list.title.wholeMatch(of: #/(.+) \([0-9]{1,2}\)/#).map { String($0.1) } ?? list.title
      let name = (2...).lazy.map { "\(base) (\($0))" }.first { !others.contains(folded($0)) } ?? list.title
      taken.insert(folded(name))
      try setTitle(name, ofList: list.node)
      return try self.list(list.node)
    }
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
    guard var content = try storedDocument(of: node, in: .lists)?.broughtBack(in: self) else {
      throw TreeError.noSuchNode
    }
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
