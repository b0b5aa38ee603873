import CloudAPI
import Foundation
import GRDB
import Signing

extension CloudTransaction {
  /// Deletes a node and everything below it. Rows of the app that refer to the nodes go with them.
  ///
  /// What the server never saw just goes. A pointer takes its branch off this user's tree; if the branch is this user's own
  /// and nobody else's, it is deleted on the server too.
  public func delete(_ id: NodeID) throws {
    guard let node = try node(id) else { throw TreeError.noSuchNode }
    guard node.parent != nil, let cloudID = node.cloudID else { throw TreeError.notABranch }
    if let branch = node.pointer { try deleteIfAlone(branch) }
    let wasSent = try state(of: cloudID, in: node.branch).map { !$0.isDeleted } ?? false
    let inFlight =
      try Int.fetchOne(
        db, sql: "SELECT 1 FROM operations WHERE node = ? AND state = 'sealed'", arguments: [id]) != nil
    if wasSent || inFlight {
      try enqueue(.delete, branch: node.branch, node: nil, cloudID: cloudID, read: cursor(of: node.branch))
    }
    try forget(node)
  }

  /// Queues the deletion of a branch that only its owner can read. The branch itself stays here until that is through.
  private func deleteIfAlone(_ branch: BranchID) throws {
    guard let me = try account()?.user, let body = try permissions(of: branch)?.body, body.owner == me,
      body.entries.map(\.user) == [me], let state = try state(of: body.branch, in: branch), !state.isDeleted
    else { return }
    try enqueue(.delete, branch: branch, node: nil, cloudID: body.branch, read: cursor(of: branch))
  }

  /// Removes a node, all below it, and the branches that hang there, from this database alone.
  func forget(_ node: Node) throws {
    for child in try children(of: node.id) { try forget(child) }
    try db.execute(
      sql: "DELETE FROM operations WHERE node = ? AND state <> 'sealed'", arguments: [node.id])
    try db.execute(sql: "DELETE FROM nodes WHERE id = ?", arguments: [node.id])
    if let branch = node.pointer {
      if let root = try root(of: branch) { try forget(root) }
      try db.execute(
        sql:
          "DELETE FROM branches WHERE id = ? AND NOT EXISTS (SELECT 1 FROM operations WHERE branch = branches.id AND kind = 'delete')",
        arguments: [branch])
    }
  }
}
