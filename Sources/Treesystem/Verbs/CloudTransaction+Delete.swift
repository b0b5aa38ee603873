import CloudAPI
import Foundation
import GRDB
import Signing

extension CloudTransaction {
  /// Deletes a node and everything below it. Rows of the app that refer to the nodes go with them.
  ///
  /// What the server never saw just goes. A pointer takes its branch with it; the branch itself is deleted on the
  /// server only by its owner, and only if it hangs nowhere else.
  public func delete(_ id: NodeID) throws {
    guard let node = try node(id) else { throw TreeError.noSuchNode }
    guard let parent = node.parent, let cloudID = node.cloudID else { throw TreeError.notABranch }
    _ = parent
    let wasSent = try state(of: cloudID, in: node.branch).map { !$0.isDeleted } ?? false
    let inFlight =
      try Int.fetchOne(
        db, sql: "SELECT 1 FROM operations WHERE node = ? AND state = 'sealed'", arguments: [id]) != nil
    if wasSent || inFlight {
      try enqueue(.delete, branch: node.branch, node: nil, cloudID: cloudID, read: cursor(of: node.branch))
    }
    try forget(node)
  }

  /// Removes a node, all below it, and the branches that hang there, from this database alone.
  func forget(_ node: Node) throws {
    for child in try children(of: node.id) { try forget(child) }
    try db.execute(
      sql: "DELETE FROM operations WHERE node = ? AND state <> 'sealed'", arguments: [node.id])
    try db.execute(sql: "DELETE FROM nodes WHERE id = ?", arguments: [node.id])
    if let branch = node.pointer {
      if let root = try root(of: branch) { try forget(root) }
      try db.execute(sql: "DELETE FROM branches WHERE id = ?", arguments: [branch])
    }
  }
}
