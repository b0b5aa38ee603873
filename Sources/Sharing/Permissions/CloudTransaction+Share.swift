import CloudAPI
import GRDB
public import Signing
public import Treesystem

/// Why something cannot be shared.
public enum ShareError: Error, Equatable, Sendable {
  /// This user may not share this branch.
  case notPermitted
  /// Sharing with oneself.
  case withOneself
  /// The owner's letters are the owner's.
  case ownerStays
  case noSuchInvite
  case unknownUser(String)
  /// The server means somebody else by this handle than was met under it.
  case identityChanged(String)
  case blocked(String)
  /// Whom it is for has deleted their account.
  case accountDeleted(String)
  /// Only the owner can give a list away.
  case notOwner
  /// Only a member can become the owner.
  case notAMember
  /// Changes of one's own wait there, which would be lost.
  case unsentChanges
  /// The offer or code has been good for long enough.
  case expired
  /// Its owner has ended it for everybody.
  case closed
}

extension CloudTransaction {
  /// Gives a user letters on the branch at a node, and on every branch below it. Returns one operation for each branch:
  /// an invitation depends on all of them. What is queued is the intent; the record is built at push.
  @discardableResult
  public func recursiveAddShareItem(
    _ item: ShareItem, forUserID user: UserID, nodeID: NodeID
  ) throws -> [CloudOperation] {
    try recursiveSet(item.letters, of: user, nodeID: nodeID)
  }

  /// Takes a user's letters away, on the branch at a node and on every branch below it; each gets a new epoch.
  @discardableResult
  public func recursiveRemoveShareItem(forUserID user: UserID, nodeID: NodeID) throws -> [CloudOperation] {
    try recursiveSet([], of: user, nodeID: nodeID)
  }

  private func recursiveSet(_ letters: Letters, of user: UserID, nodeID: NodeID) throws -> [CloudOperation] {
    guard let node = try node(nodeID), let cloudID = try cloudID(of: node.branch) else { throw TreeError.noSuchNode }
    guard node.trunk == nil, node.isBranchRoot else { throw TreeError.notABranch }
    try requireShare(of: node, user)
    if !letters.isEmpty, let keyring = try keyring(user), keyring.deleted != nil {
      throw ShareError.accountDeleted(keyring.handle)
    }
    let nested = try BranchID.fetchAll(
      db, sql: "SELECT pointer FROM nodes WHERE branch = ? AND pointer IS NOT NULL ORDER BY pointer",
      arguments: [node.branch])
    let own = try setIntent(letters, of: user, branch: node.branch, cloudID)
    return try [own]
      + nested.flatMap { branch in
        try root(of: branch).map { try recursiveSet(letters, of: user, nodeID: $0.id) } ?? []
      }
  }

  private func requireShare(of node: Node, _ user: UserID) throws {
    let me = try requireAccount().user
    guard user != me else { throw ShareError.withOneself }
    guard let permissions = try permissions(of: node.branch)?.body else { return }
    guard !permissions.isClosed else { throw ShareError.closed }
    guard permissions.letters(of: me).contains(.share) else { throw ShareError.notPermitted }
    guard user != permissions.owner else { throw ShareError.ownerStays }
    guard try !isLeaving(node.branch) else { throw ShareError.notPermitted }
  }

  /// A later intent for the same user replaces one that was not sealed yet, and one that was refused.
  func setIntent(
    _ letters: Letters, of user: UserID, branch: BranchID, _ cloudID: CloudID
  ) throws -> CloudOperation {
    // Whoever gets another role, or none, is offered nothing any more.
    try db.execute(sql: "DELETE FROM offers WHERE branch = ? AND successor = ?", arguments: [cloudID, user])
    try endTransfer(of: branch, to: user)
    let waiting = try Int64.fetchOne(
      db,
      sql:
        "SELECT sequence FROM operations WHERE branch = ? AND kind = 'permit' AND user = ? AND letters IS NOT NULL AND state <> 'sealed'",
      arguments: [branch, user])
    guard let waiting else {
      return try enqueue(
        .permit, branch: branch, node: nil, cloudID: cloudID, user: user, letters: letters, read: cursor(of: branch))
    }
    let read = try cursor(of: branch)
    try db.execute(
      sql: """
        UPDATE operations SET letters = ?, state = 'pending', reason = NULL, read_line = ?, read_hash = ? WHERE sequence = ?
        """, arguments: [Int64(letters.rawValue), read.map { Int64($0.line) }, read?.hash, waiting])
    return CloudOperation(sequence: waiting)
  }
}
