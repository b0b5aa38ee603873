import CloudAPI
import GRDB
import Sealing
public import Signing

/// Name keys: the tokens of a node's children are made with its own (spec §5.4), so nobody draws a second one in a life.
extension CloudTransaction {
  /// From which the ids of a branch's nodes follow (spec §1.6): its root's name key, which all who read the branch have, and which no epoch
  /// changes. One is drawn where the root was never sent. Nil: it has one that is not here.
  public func derivationKey(of branch: BranchID) throws -> SecretBytes? {
    if let known = try knownDerivationKey(of: branch) { return known }
    guard let root = try root(of: branch) else { return nil }
    guard try !lacksNameKey(root) else { return nil }
    let key = SecretBytes(entropy.bytes(32))
    let statement = try db.cachedStatement(sql: "UPDATE nodes SET name_key = ? WHERE id = ?")
    try statement.execute(arguments: [key.column, root.id])
    return key
  }

  /// The same where one was drawn: without it no id was derived.
  public func knownDerivationKey(of branch: BranchID) throws -> SecretBytes? {
    try root(of: branch).flatMap { try nameKey(of: $0.id) }.map { SecretBytes(column: $0) }
  }

  /// Whether the log has a line of a node, believed or not.
  func hasLine(of cloudID: CloudID, in branch: BranchID) throws -> Bool {
    let statement = try db.cachedStatement(
      sql: "SELECT 1 FROM lines WHERE branch = ? AND cloud_id = ? AND kind <> 3 LIMIT 1")
    return try Int.fetchOne(statement, arguments: [branch, cloudID]) != nil
  }

  /// Whether a node has a name key that is not here: its last line is a header, and that row did not come or did not open.
  func lacksNameKey(_ node: Node) throws -> Bool {
    guard let cloudID = node.cloudID else { return false }
    let statement = try db.cachedStatement(
      sql: """
        SELECT kind, hash FROM lines WHERE branch = ? AND cloud_id = ? AND kind <> 3 ORDER BY number DESC LIMIT 1
        """)
    guard let last = try Row.fetchOne(statement, arguments: [node.branch, cloudID]), last[0] as Int64 == 1 else {
      return false
    }
    guard let known = try stateHash(of: cloudID, in: node.branch) else { return true }
    if try hasNameKey(node.id) { return false }
    // What went with a node above begins anew, and nothing hangs below it.
    return try known != last[1] as Hash32
      || LocalTree(transaction: self, branch: node.branch, line: .max).lives(cloudID)
  }

  func hasNameKey(_ node: NodeID) throws -> Bool {
    let statement = try db.cachedStatement(sql: "SELECT 1 FROM nodes WHERE id = ? AND name_key IS NOT NULL")
    return try Int.fetchOne(statement, arguments: [node]) != nil
  }

  /// Puts the children of a node again whose tokens do not fit its name key: somebody gave it another one. One that is being sent for the first
  /// time is sealed with the one before. Messages are not named by it.
  func putMisnamed(below node: NodeID, nameKey: SecretBytes) throws {
    guard let parent = try self.node(node), try mayWrite(parent.branch) else { return }
    for child in try children(of: node) {
      guard let cloudID = child.cloudID else { continue }
      let isMisnamed =
        if let header = try state(of: cloudID, in: parent.branch)?.header {
          header.nameToken.map { $0 != nameToken(child.name, key: nameKey) } ?? false
        } else {
          try hasUnconfirmedPut(child, in: parent.branch)
        }
      if isMisnamed { try queueUpload(of: child.id) }
    }
  }
}
