import GRDB

extension CloudTransaction {
  /// Ties a node to an object of the app's.
  public func linkNodeID(_ node: NodeID, toKey key: String, inCollection collection: String) throws {
    try db.execute(
      sql: "INSERT INTO links (collection, key, node) VALUES (?, ?, ?)", arguments: [collection, key, node])
  }

  /// The node that is tied to an object.
  public func linkedNode(forKey key: String, inCollection collection: String) throws -> Node? {
    let id = try NodeID.fetchOne(
      db, sql: "SELECT node FROM links WHERE collection = ? AND key = ?", arguments: [collection, key])
    return try id.flatMap { try node($0) }
  }

  /// The object that a node is tied to.
  public func linkedKey(forNodeID node: NodeID) throws -> (collection: String, key: String)? {
    try Row.fetchOne(db, sql: "SELECT collection, key FROM links WHERE node = ?", arguments: [node])
      .map { ($0[0], $0[1]) }
  }

  /// Unties a node.
  public func unlink(_ node: NodeID) throws {
    try db.execute(sql: "DELETE FROM links WHERE node = ?", arguments: [node])
  }
}
