import CloudAPI
import Foundation
import GRDB
import Signing
public import Treesystem

extension CloudTransaction {
  /// Takes the account off this device and keeps its lists, as `keepTree` does. Each todo, comment and image gets another id: what is kept has
  /// nothing in common with a list that others still share, neither for a server nor for whoever is on both.
  public func keepLists() throws {
    try keepDefaultListHere()
    try disownCarried()
    // What was new of a list that others share is none of what is kept of it.
    try db.execute(sql: "UPDATE news SET state = ?", arguments: [NewsState.seen.rawValue])
    var (ids, images) = (try renewal(), try imagesInUse())
    try keepTree { node in
      // By now the list has a new key.
      guard let key = try derivationKey(of: node.branch),
        let id = try ids.renew(node.id, by: key, drawing: { try TodoID.draw(entropy, isFree: isFree) })
      else { return CloudID.random(entropy).description }
      return id.text
    }
    for todo in try NodeID.fetchAll(db, sql: "SELECT node FROM todos") {
      guard let node = try node(todo), let cloudID = node.cloudID else { continue }
      let id = ids.newID(of: todo) ?? TodoID(cloudID)
      try db.execute(sql: "UPDATE todos SET todo_id = ? WHERE node = ?", arguments: [id.text, todo])
      try nameImage(images[todo], of: node, id)
    }
  }

  /// The ids of all todos, and which of them follows which.
  private func renewal() throws -> IDRenewal {
    let rows = try Row.fetchAll(
      db, sql: "SELECT t.node, t.todo_id, n.branch FROM todos t JOIN nodes n ON n.id = t.node WHERE t.state <> 'other'")
    var renewal = IDRenewal()
    var keys: [BranchID: SecretBytes] = [:]
    for row in rows {
      guard let id = TodoID(text: row[1]) else { continue }
      renewal.old[row[0]] = id
      let branch: BranchID = row[2]
      guard let key = try keys[branch] ?? derivationKey(of: branch) else { continue }
      keys[branch] = key
      renewal.before[id.next(by: key)] = id
    }
    return renewal
  }

  /// The nodes of the images that todos have now.
  private func imagesInUse() throws -> [NodeID: NodeID] {
    let rows = try Row.fetchAll(
      db,
      sql: """
        SELECT t.node, i.id FROM todos t JOIN nodes n ON n.id = t.node
        JOIN nodes i ON i.branch = n.branch AND i.cloud_id = t.image AND i.parent = n.id
        """)
    return Dictionary(rows.map { ($0[0], $0[1]) }, uniquingKeysWith: { first, _ in first })
  }

  /// A todo names its image by that one's id: the new one, or none where it was not here. What it was called before is no value of anybody's.
  private func nameImage(_ image: NodeID?, of todo: Node, _ id: TodoID) throws {
    guard let content = try document(of: todo.id, in: .todos), let root = try root(of: todo.branch) else { return }
    let earlier = content.history.overwritten.filter { $0.field != Field.image.rawValue }
    let isUnnamed = content.document.image == nil && earlier.count == content.history.overwritten.count
    if isUnnamed { return }
    var document = content.document
    if document.image != nil {
      let cloudID = try image.flatMap { try node($0)?.cloudID }
      try document.write(.image, cloudID?.bytes ?? [], now: clock.now(), replica: replica())
    }
    try store(VersionedDocument(document, history: History(earlier)), of: id, node: todo.id, list: root.id)
    try db.execute(sql: "DELETE FROM action_steps WHERE node = ? AND kind = 'changed'", arguments: [todo.id])
  }
}

/// New ids for todos, which follow from nothing but where one is the next of another: ticking that again has to find it.
private struct IDRenewal {
  var old: [NodeID: TodoID] = [:]
  /// Of which todo each is the next one.
  var before: [TodoID: TodoID] = [:]
  private var new: [TodoID: TodoID] = [:]

  func newID(of todo: NodeID) -> TodoID? { old[todo].flatMap { new[$0] } }

  /// - Parameter key: of the list that the todo is kept on.
  mutating func renew(_ todo: NodeID, by key: SecretBytes, drawing draw: () throws -> TodoID) rethrows -> TodoID? {
    guard let id = old[todo] else { return nil }
    var chain = [id]
    while let first = before[chain[chain.count - 1]], new[first] == nil, chain.count <= old.count {
      chain.append(first)
    }
    for link in chain.reversed() where new[link] == nil {
      new[link] = try before[link].flatMap { new[$0]?.next(by: key) } ?? draw()
    }
    return new[id]
  }
}
