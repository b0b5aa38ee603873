import CloudAPI
import Foundation
import GRDB
import Sealing
import Signing

/// Two children of one parent cannot have one name. The one that the server does not have yet gives way.
extension CloudTransaction {
  /// Gives a node another name where it is, and tells the app, which may go by names.
  @discardableResult
  func rename(_ node: Node, to name: String, telling app: (any TreesystemDelegate)?) throws -> Node {
    try db.execute(sql: "UPDATE nodes SET name = ? WHERE id = ?", arguments: [name, node.id])
    guard let renamed = try self.node(node.id) else { throw TreeError.noSuchNode }
    if let parent = node.parent { _ = try app?.receive(.moved(renamed, from: parent), in: self) }
    return renamed
  }

  /// Gives a node the next free name, "name (2)", and queues it, because another node has its name.
  func displace(_ node: Node, telling app: (any TreesystemDelegate)?) throws {
    guard let parent = node.parent else { return }
    try rename(node, to: freeName(like: node.name, in: parent), telling: app)
    // One that gets a name of its own with a row that is still to be opened has nothing to send.
    let hasRow = try Int.fetchOne(
      db,
      sql: """
        SELECT 1 FROM waiting w JOIN node_states s ON s.branch = w.branch AND s.line = w.line
        WHERE s.branch = ? AND s.cloud_id = ?
        """, arguments: [node.branch, node.cloudID])
    if hasRow == nil { try queueDataUpload(forNodeID: node.id) }
  }

  /// Renames a node about to be sealed if the server has another of its name.
  func giveWay(_ node: Node, telling app: any TreesystemDelegate) throws -> Node {
    guard let parent = node.parent, let token = try token(of: node.name, in: parent),
      let other = try holder(of: token, in: parent), other != node.cloudID,
      try predecessor(of: node)?.cloudID != other
    else { return node }
    return try rename(node, to: freeName(like: node.name, in: parent), telling: app)
  }

  private func freeName(like name: String, in parent: NodeID) throws -> String {
    for number in 2... {
      let suffix = " (\(number))"
      var stem = name
      while stem.utf8.count + suffix.utf8.count > Limits.nameBytes { stem.removeLast() }
      guard try child(named: stem + suffix, of: parent) == nil else { continue }
      if let token = try token(of: stem + suffix, in: parent), try holder(of: token, in: parent) != nil { continue }
      return stem + suffix
    }
    throw TreeError.nameTaken
  }

  private func token(of name: String, in parent: NodeID) throws -> Hash32? {
    try Data.fetchOne(db, sql: "SELECT name_key FROM nodes WHERE id = ? AND name_key IS NOT NULL", arguments: [parent])
      .map { nameToken(name, key: SecretBytes(column: $0)) }
  }

  /// The live child of this token, as far as the server's tree is known here.
  private func holder(of token: Hash32, in parent: NodeID) throws -> CloudID? {
    guard let parent = try node(parent), let cloudID = parent.cloudID else { return nil }
    return try LocalTree(transaction: self, branch: parent.branch, line: .max).child(of: cloudID, token: token)
  }
}
