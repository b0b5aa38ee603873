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
    let (ids, images) = (try newIDs(), try imagesInUse())
    try keepTree { ids[$0.id]?.text ?? CloudID.random(entropy).description }
    for todo in try NodeID.fetchAll(db, sql: "SELECT node FROM todos") {
      guard let node = try node(todo), let cloudID = node.cloudID else { continue }
      let id = ids[todo] ?? TodoID(cloudID)
      try db.execute(sql: "UPDATE todos SET todo_id = ? WHERE node = ?", arguments: [id.text, todo])
      try nameImage(images[todo], of: node, id)
    }
  }

  /// For each todo an id that follows from nothing, but where it is the next of another one: ticking that again has to find it.
  private func newIDs() throws -> [NodeID: TodoID] {
    let rows = try Row.fetchAll(db, sql: "SELECT node, todo_id FROM todos WHERE state <> 'other'")
    let known = rows.compactMap { row in TodoID(text: row[1]).map { (node: row[0] as NodeID, id: $0) } }
    let next = Dictionary(known.map { ($0.id.next, $0.id) }, uniquingKeysWith: { first, _ in first })
    var new: [TodoID: TodoID] = [:]
    for (_, id) in known where new[id] == nil {
      var chain = [id]
      while let before = next[chain[chain.count - 1]], new[chain[chain.count - 1]] == nil { chain.append(before) }
      for old in chain.reversed() where new[old] == nil {
        new[old] = try next[old].flatMap { new[$0]?.next } ?? TodoID.draw(entropy, isFree: isFree)
      }
    }
    return Dictionary(
      known.compactMap { row in new[row.id].map { (row.node, $0) } }, uniquingKeysWith: { first, _ in first })
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
