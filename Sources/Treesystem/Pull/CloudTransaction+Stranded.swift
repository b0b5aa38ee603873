import CloudAPI
import GRDB
import Signing

/// A pointer that another device of this user deleted, believing that others still read its branch, while this user's
/// alone is what the branch became: with the pointer gone nobody would find it again.
extension CloudTransaction {
  /// Whether with this pointer a living branch that nobody else can read would be on no tree.
  func wouldStrand(_ pointer: Node) throws -> Bool {
    guard let branch = pointer.pointer, try isAlone(in: branch), try !isClosed(branch),
      let root = try cloudID(of: branch)
    else { return false }
    return try LocalTree(transaction: self, branch: branch, line: .max).lives(root)
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
      guard let now = try node(pointer.id), let branch = now.pointer, try trouble(of: branch) == nil else { continue }
      let isWritten = try nodesWithUnsentBelow(in: now.branch).contains(now.id)
      // Nothing can be sent there any more: it stays in view until this user has decided about what was not.
      if try isWritten && isClosed(branch) { continue }
      // What was written there since its pointer was read as deleted brings it back as well.
      if try wouldStrand(now) || isWritten {
        try putAgain(now)
      } else {
        _ = try delegate.deliver(.deleted(now), in: self)
        try forget(now)
      }
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
      _ = try delegate.deliver(.deleted(pointer), in: self)
      try delete(id)
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
      try takeOffTree(branch, telling: delegate)
    }
  }

  private func trouble(of branch: BranchID) throws -> String? {
    try String.fetchOne(db, sql: "SELECT trouble FROM branches WHERE id = ?", arguments: [branch])
  }
}
