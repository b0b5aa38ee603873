import CloudAPI
import GRDB
import Signing

/// A pointer that another device of this user deleted, believing that the branch is somebody else's, or that others still read it, while
/// it is this user's: with the pointer gone nobody would find it again once the others have left.
extension CloudTransaction {
  /// Whether with this pointer a living branch of this user's would leave their tree, or one that nobody else can read would be on none.
  func wouldStrand(_ pointer: Node) throws -> Bool {
    guard let branch = pointer.pointer, let me = try account()?.user, try permissions(of: branch)?.body.owner == me,
      try !isClosed(branch), let root = try cloudID(of: branch)
    else { return false }
    // Elsewhere those who write there decide what hangs there.
    guard try isInHome(pointer) || isAlone(in: branch) else { return false }
    return try LocalTree(transaction: self, branch: branch, line: .max).lives(root)
  }

  private func isInHome(_ node: Node) throws -> Bool { try root(of: node.branch)?.trunk == .home }

  /// The branches of others that this user left on another device, with all of others' that is nested there. They stay in view while
  /// something waits here that was not sent; nothing is read or sent there before this user accepts them again.
  package func leftBranches() throws -> Set<BranchID> {
    let stranded = try strandedPointers().filter { $0.trunk == .home }
    if stranded.isEmpty { return [] }
    let hanging = try BranchID.fetchSet(
      db, sql: "SELECT pointer FROM nodes WHERE branch = ? AND pointer IS NOT NULL",
      arguments: [trunk(.home).branch]
    ).subtracting(stranded.compactMap(\.pointer))
    var left: Set<BranchID> = []
    for branch in stranded.compactMap(\.pointer) where try !isOwn(branch) {
      left.formUnion(try [branch] + nestedBranches(below: branch).filter { try !isOwn($0) })
    }
    return left.subtracting(hanging)
  }

  /// Whether this user took a branch off their tree, and its nodes were forgotten: it is read only for what is queued there, and all else
  /// once it hangs there again.
  func isOffTree(_ branch: BranchID) throws -> Bool {
    let offTree = try db.cachedStatement(
      sql: """
        SELECT 1 FROM branches b
        WHERE id = ? AND hollow = 1 AND trunk IS NULL AND NOT EXISTS (SELECT 1 FROM nodes WHERE pointer = b.id)
        """)
    return try Int.fetchOne(offTree, arguments: [branch]) != nil
  }

  private func isOwn(_ branch: BranchID) throws -> Bool { try permissions(of: branch)?.body.owner == account()?.user }

  /// Another name for a list that was left on another device is nothing to come back for.
  func forgetAlias(of pointer: Node) throws {
    guard let branch = pointer.pointer, try !isOwn(branch) else { return }
    try db.execute(sql: "DELETE FROM operations WHERE node = ? AND kind = 'put'", arguments: [pointer.id])
  }

  /// The pointers that the server has as deleted, and that are kept here until their branches have been read again.
  func strandedPointers() throws -> [Node] {
    try NodeID.fetchAll(
      db,
      sql: """
        SELECT n.id FROM nodes n JOIN node_states s ON s.branch = n.branch AND s.cloud_id = n.cloud_id
        WHERE n.pointer IS NOT NULL AND s.deleted = 1
          AND NOT EXISTS (SELECT 1 FROM operations o WHERE o.node = n.id AND o.kind = 'put')
        """
    ).compactMap { try node($0) }
  }

  /// Decides about those whose branches were read since: one whose branch lives and is this user's alone is put again, any
  /// other goes. A branch is deleted before its pointer, so that what has been read by now tells.
  func settle(stranded pointers: [Node], telling delegate: any TreesystemDelegate) throws {
    for pointer in pointers {
      try answering(pointer.cloudID, in: pointer.branch) { try settle(stranded: pointer, telling: delegate) }
    }
  }

  private func settle(stranded pointer: Node, telling delegate: any TreesystemDelegate) throws {
    guard let now = try node(pointer.id), let branch = now.pointer else { return }
    let trouble = try trouble(of: branch)
    // Given away or left on the device that deleted it: what was read of it here is from before.
    let isGone = trouble == .branchDenied
    guard trouble == nil || isGone else { return }
    let isWritten = try nodesWithUnsentBelow(in: now.branch).contains(now.id)
    // Nothing can be sent there any more: it stays in view until this user has decided about what was not.
    if try isWritten && (isGone || isClosed(branch) || hasDenied(in: branch)) { return }
    // What was written there since its pointer was read as deleted brings it back as well.
    if try !isGone && (wouldStrand(now) || isWritten) {
      try putAgain(now)
    } else if try !hasFork(of: branch) {
      _ = try delegate.deliver(.deleted(now), in: self)
      try forget(now)
    }
  }

  /// Takes away pointers to branches of one's own that were deleted: what was to bring them back has gone elsewhere, or was given
  /// up. What somebody else's deletion took stays in view of those who shared it.
  func deleteHollowPointers(telling delegate: any TreesystemDelegate) throws {
    let statement = try db.cachedStatement(
      sql: """
        SELECT n.id FROM nodes n JOIN branches b ON b.id = n.pointer
          JOIN node_states s ON s.branch = b.id AND s.cloud_id = b.cloud_id
        WHERE n.pointer IS NOT NULL AND s.deleted = 1 AND b.trouble IS NULL
          AND NOT EXISTS (SELECT 1 FROM operations o WHERE o.branch = b.id AND o.kind = 'put')
          AND NOT EXISTS (SELECT 1 FROM operations o WHERE o.node = n.id)
        """)
    for id in try NodeID.fetchAll(statement) {
      guard let pointer = try node(id), let branch = pointer.pointer,
        try permissions(of: branch)?.body.owner == account()?.user
      else { continue }
      try answering(pointer.cloudID, in: pointer.branch) {
        _ = try delegate.deliver(.deleted(pointer), in: self)
        try queueDeletion(of: pointer)
      }
    }
  }

  /// Takes away pointers to branches that this user has ended on another device, which sent that and came no further. What was not sent
  /// from here stays in view, until this user has decided about it.
  func deleteClosedPointers(telling delegate: any TreesystemDelegate) throws {
    let pointers = try NodeID.fetchAll(
      db,
      sql: """
        SELECT n.id FROM nodes n WHERE n.pointer IS NOT NULL
          AND NOT EXISTS (SELECT 1 FROM operations o WHERE o.node = n.id OR o.branch = n.pointer)
        """)
    for pointer in try pointers.compactMap({ try node($0) }) {
      guard let branch = pointer.pointer, try hasEnded(branch) else { continue }
      try answering(pointer.cloudID, in: pointer.branch) { try takeOffTree(branch, telling: delegate) }
    }
  }

  func trouble(of branch: BranchID) throws -> Refusal? {
    try String.fetchOne(db, sql: "SELECT trouble FROM branches WHERE id = ?", arguments: [branch])
      .map { Refusal(rawValue: $0) ?? .internal }
  }
}
