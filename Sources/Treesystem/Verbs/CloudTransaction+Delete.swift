import CloudAPI
import Foundation
import GRDB
import Signing

/// What became of a node that was to be taken back.
public enum Recall: Sendable {
  /// It never left this device, and is gone.
  case unsent
  /// The server had refused it, and it is given up: gone from here.
  case refused
  /// Somebody may have it.
  case stays
}

extension CloudTransaction {
  /// Deletes a node and everything below it. Rows of the app that refer to the nodes go with them.
  ///
  /// What the server never saw just goes. Anything else is kept aside until the deletion is accepted: if somebody changed
  /// it meanwhile, it comes back. A pointer takes its branch off this user's tree; if the branch is this user's own and
  /// nobody else's, it is deleted on the server too.
  public func delete(_ id: NodeID) throws {
    // What somebody took elsewhere meanwhile is gone from here.
    if let node = try settled(id) { try queueDeletion(of: node) }
  }

  /// Deletes a node as it is here, whatever is still to be decided about it.
  func queueDeletion(of node: Node) throws {
    guard node.parent != nil, let cloudID = node.cloudID else { throw TreeError.notABranch }
    let subtree = try subtree(of: node)
    var seen = [node.branch] as Set
    let branches = try subtree.compactMap { member in
      try member.pointer.flatMap { try hangsElsewhere($0, than: member.id) ? nil : deleteIfAlone($0, &seen) }
    }
    if try isOnServer(node) {
      let operation = try enqueue(
        .delete, branch: node.branch, node: nil, cloudID: cloudID, read: cursor(of: node.branch))
      // If a branch cannot go, what leads to it stays.
      try addDependencies(branches, to: operation)
      try keep(subtree, until: operation)
      try waitForPuts(below: cloudID, in: node.branch, operation)
      try waitForDepartures(below: cloudID, in: node.branch, operation)
    } else if let branch = branches.first, node.pointer != nil {
      try keep([node], until: branch, evenUnsent: true)
    }
    try forget(node)
  }

  /// Deletes a node that never left this device, or that the server refused, with all below it: nothing of it is sent any more, and there is nothing
  /// that could be tried again. Any other one stays: also where the server only said that it did not take it yet.
  @discardableResult
  public func recall(_ id: NodeID) throws -> Recall {
    guard let node = try node(id), try !isOnServer(node), try departures(of: id).isEmpty else { return .stays }
    let isRefused = try isRefused(id)
    guard try isRefused || isUnsent(id) else { return .stays }
    try queueDeletion(of: node)
    return isRefused ? .refused : .unsent
  }

  /// Whether the server refused a node's upload, which waits for its user's decision.
  public func isRefused(_ id: NodeID) throws -> Bool {
    try Int.fetchOne(
      db, sql: "SELECT 1 FROM operations WHERE node = ? AND kind = 'put' AND state = 'refused'", arguments: [id]) != nil
  }

  /// Queues the deletion of a branch that only its owner can read.
  private func deleteIfAlone(_ branch: BranchID, _ seen: inout Set<BranchID>) throws -> CloudOperation? {
    guard seen.insert(branch).inserted, try isAlone(in: branch), let root = try root(of: branch),
      let cloudID = root.cloudID, try isOnServer(root)
    else { return nil }
    // Who was to join it would find nothing.
    for permit in try permitOperations(of: branch) {
      if permit.state == .sealed {
        try discardOperations(waitingFor: permit.sequence)
      } else {
        try discardOperation(permit.sequence)
      }
    }
    let subtree = try subtree(of: root)
    let branches = try subtree.compactMap { try $0.pointer.flatMap { try deleteIfAlone($0, &seen) } }
    let operation = try enqueue(.delete, branch: branch, node: nil, cloudID: cloudID, read: cursor(of: branch))
    try addDependencies(branches, to: operation)
    try waitForDepartures(below: cloudID, in: branch, operation)
    try keep(subtree, until: operation)
    return operation
  }

  /// Whether this user owns a branch and nobody else can read it.
  func isAlone(in branch: BranchID) throws -> Bool {
    guard let me = try account()?.user, let body = try permissions(of: branch)?.body else { return false }
    return body.owner == me && body.entries.map(\.user) == [me] && !body.isClosed
  }

  /// Whether a node's upload waits that was never sealed before: with its first header a node gets its key.
  private func isUnsent(_ id: NodeID) throws -> Bool {
    try Int.fetchOne(
      db,
      sql: """
        SELECT 1 FROM operations o JOIN nodes n ON n.id = o.node
        WHERE n.id = ? AND n.node_key IS NULL AND o.kind = 'put' AND o.state = 'pending'
        """, arguments: [id]) != nil
  }

  /// Whether the server has a node, or may have it because its bytes are under way.
  func isOnServer(_ node: Node) throws -> Bool {
    guard let cloudID = node.cloudID else { return false }
    if try state(of: cloudID, in: node.branch) != nil,
      try LocalTree(transaction: self, branch: node.branch, line: .max).lives(cloudID)
    {
      return true
    }
    // By its id: one that left the branch and came back has nothing to do with the bytes any more, but they may arrive.
    return try Int.fetchOne(
      db, sql: "SELECT 1 FROM operations WHERE branch = ? AND cloud_id = ? AND kind = 'put' AND state = 'sealed'",
      arguments: [node.branch, cloudID]) != nil
  }

  /// A node and all below it in its branch, parents first.
  func subtree(of node: Node) throws -> [Node] {
    try [node] + children(of: node.id).flatMap { try subtree(of: $0) }
  }

  /// Removes a node, all below it, and the branches that hang there, from this database alone.
  func forget(_ node: Node) throws {
    for child in try children(of: node.id) { try forget(child) }
    try endDepartures(of: node)
    try db.execute(
      sql: "DELETE FROM operations WHERE node = ? AND state <> 'sealed'", arguments: [node.id])
    let isMeant = Defect.graveReachesAll.isPlanted ? "cloud_id = (SELECT cloud_id FROM nodes WHERE id = ?)" : "id = ?"
    try db.execute(sql: "DELETE FROM nodes WHERE \(isMeant)", arguments: [node.id])
    if let branch = node.pointer, try !hangsElsewhere(branch, than: node.id) {
      if let root = try root(of: branch) { try forget(root) }
      try dropIfOrphan(branch)
      try noteHollow(branch)
    }
  }

  /// Forgets a branch that hangs nowhere any more, unless a deletion in it is still queued.
  func dropIfOrphan(_ branch: BranchID) throws {
    if try orphans().contains(branch) { try drop(branch) }
  }

  private func drop(_ branch: BranchID) throws {
    // With the permits go their dependencies, and an invitation that waited would lead to nothing.
    for permit in try permitOperations(of: branch) { try discardOperations(waitingFor: permit.sequence) }
    try db.execute(sql: "DELETE FROM branches WHERE id = ?", arguments: [branch])
  }

  /// Forgets the branches whose last deletion is through, whether that was answered or read.
  func dropOrphans() throws {
    for branch in try orphans() { try drop(branch) }
  }

  private func orphans() throws -> [BranchID] {
    let statement = try db.cachedStatement(
      sql: """
        SELECT id FROM branches b WHERE trunk IS NULL AND NOT EXISTS (SELECT 1 FROM nodes WHERE pointer = b.id)
          AND NOT EXISTS (SELECT 1 FROM operations WHERE branch = b.id AND kind = 'delete')
        """)
    return try BranchID.fetchAll(statement)
  }
}
