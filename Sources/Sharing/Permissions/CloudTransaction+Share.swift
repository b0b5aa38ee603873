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
  /// No invitation with this number is open.
  case noSuchInvite
  /// Nobody is known by this handle.
  case unknownUser(String)
  /// The server means somebody else by this handle than was met under it.
  case identityChanged(String)
  /// This user has blocked whoever has this handle.
  case blocked(String)
  /// Whom it is for has deleted their account.
  case accountDeleted(String)
  /// This user has compared numbers with whoever has this handle, and they were not the same.
  case otherNumber(String)
  /// Only the owner can give a list away.
  case notOwner
  /// Only a member can become the owner.
  case notAMember
  /// Changes of one's own wait there, which would be lost.
  case unsentChanges
  /// The offer or code has been good for long enough.
  case expired
  /// An offer that can be accepted no more: it was taken back, or whom it was for is on the list no more.
  case offerOver
  /// Its owner has ended it for everybody.
  case closed
  /// This user is about to end it for everybody.
  case closing
  /// This user is about to leave it.
  case leaving
  /// This user has accepted to own it, and it may become theirs at any moment.
  case takingOver
}

extension CloudTransaction {
  /// Gives a user letters on the branch at a node, and on every branch below it that is this user's to share. Returns one operation for each branch:
  /// an invitation depends on all of them. What is queued is the intent; the record is built at push.
  @discardableResult
  public func recursiveAddShareItem(
    _ item: ShareItem, forUserID user: UserID, nodeID: NodeID
  ) throws -> [CloudOperation] {
    try recursiveSet(item.letters, of: user, nodeID: nodeID)
  }

  /// Takes a user's letters away, on the branch at a node and on every branch below it that is this user's to share; each gets a
  /// new epoch. What they own there stays theirs.
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
    return try [setIntent(letters, of: user, branch: node.branch, cloudID)]
      + setBelow(node.branch, letters, of: user)
  }

  /// What hangs below and is not this user's to share stays as it is, and so does what belongs to whom it is about.
  private func setBelow(_ outer: BranchID, _ letters: Letters, of user: UserID) throws -> [CloudOperation] {
    try nestedBranches(below: outer).compactMap { branch in
      guard let cloudID = try cloudID(of: branch), try mayShare(branch, with: user) else { return nil }
      return try setIntent(letters, of: user, branch: branch, cloudID)
    }
  }

  private func mayShare(_ branch: BranchID, with user: UserID) throws -> Bool {
    guard let permissions = try permissions(of: branch)?.body else {
      // One that was made here will begin with those who are around it by then.
      return try permitOperations(of: branch).contains { $0.user == nil }
    }
    return try user != permissions.owner && !permissions.isClosed && !isLeaving(branch)
      && permissions.letters(of: requireAccount().user).contains(.share)
  }

  private func requireShare(of node: Node, _ user: UserID) throws {
    let me = try requireAccount().user
    guard user != me else { throw ShareError.withOneself }
    try requireSharing(of: node.branch)
    guard try user != permissions(of: node.branch)?.body.owner else { throw ShareError.ownerStays }
  }

  /// Refuses what would promise somebody a branch that this user cannot give, or that is about to end.
  func requireSharing(of branch: BranchID) throws {
    guard let permissions = try permissions(of: branch)?.body else { return }
    guard !permissions.isClosed else { throw ShareError.closed }
    guard try !isClosing(branch) else { throw ShareError.closing }
    guard try !isLeaving(branch) else { throw ShareError.leaving }
    guard try permissions.letters(of: requireAccount().user).contains(.share) else { throw ShareError.notPermitted }
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
