import CloudAPI
import GRDB
package import Signing

/// The sealed files of a profile on this disk: what waits for its upload or was pinned in persistent mode, what can be fetched again in
/// cache mode.
///
/// A row is there before its file and says how much of it is durable, and a note outlives a row until its file is gone. So a crash at any point
/// leaves nothing that is not in a table, and any number of processes may use the store.
public struct DiskStore: Sendable {
  let database: CloudDatabase
  var folder: any SectionFolder { database.files.sections }

  /// How long sections may lie here without a node, in milliseconds: whoever was storing them may be at it still.
  package static let patience: Int64 = 24 * 3_600_000

  /// Takes away what its note says is to go, and what somebody stored and never gave to a node.
  public func sweep() throws {
    try database.write { transaction in
      try transaction.db.execute(
        sql: """
          DELETE FROM stored_sections WHERE used < ? AND NOT EXISTS
            (SELECT 1 FROM node_files f WHERE f.content = stored_sections.content)
          """, arguments: [transaction.clock.now() - Self.patience])
    }
    let removed = try database.read { try Int64.fetchAll($0.db, sql: "SELECT id FROM removed_sections") }
    guard !removed.isEmpty else { return }
    for id in removed { try folder.remove(id) }
    // A file that a power cut brought back would lie there for ever once its note is gone.
    try folder.keepRemovals()
    try database.write { transaction in
      for id in removed {
        try transaction.db.execute(sql: "DELETE FROM removed_sections WHERE id = ?", arguments: [id])
      }
    }
  }

  /// Makes room and sweeps where there is anything to do.
  package func makeRoomIfNeeded() throws {
    if try database.read({ try $0.isDiskStoreUntidy() }) { try makeRoom() }
  }

  /// Takes out of cache mode's pool what has expired, and what was not used for longest until the rest fits.
  /// - Parameter newest: stays however large it is: somebody has just asked for it.
  package func makeRoom(sparing newest: ContentID? = nil) throws {
    try database.write { transaction in
      let limit = try transaction.diskLimits()
      try transaction.db.execute(
        sql: "DELETE FROM stored_sections WHERE mode = 'cache' AND expires <= ?", arguments: [transaction.clock.now()])
      var excess = try transaction.size(of: .cache) - limit.pool
      let rows = try Row.fetchAll(
        transaction.db,
        sql: """
          SELECT id, stored FROM stored_sections WHERE mode = 'cache' AND stored > 0 AND content IS NOT ?
          ORDER BY used, id
          """, arguments: [newest])
      for row in rows where excess > 0 {
        try transaction.db.execute(sql: "DELETE FROM stored_sections WHERE id = ?", arguments: [row[0] as Int64])
        excess -= row[1] as Int64
      }
    }
    try sweep()
  }
}

/// How much the disk store may hold.
public struct DiskLimits: Equatable, Sendable {
  /// Of the sections in cache mode together, in bytes.
  public var pool: Int64
  /// How long one of them stays after its last use, in milliseconds; negative: as long as there is room.
  public var expiry: Int64

  public init(pool: Int64, expiry: Int64 = -1) {
    self.pool = pool
    self.expiry = expiry
  }
}

extension CloudTransaction {
  public func diskLimits() throws -> DiskLimits {
    guard let row = try Row.fetchOne(db, sql: "SELECT pool, expiry FROM disk_store") else { throw StoreError.damaged }
    return DiskLimits(pool: row[0], expiry: row[1])
  }

  /// Settles how much may lie here from now on. What is there already goes when room is made next.
  public func setDiskLimits(_ limits: DiskLimits) throws {
    try db.execute(
      sql: "UPDATE disk_store SET pool = max(?, 0), expiry = max(?, -1)", arguments: [limits.pool, limits.expiry])
    try db.execute(
      sql: """
        UPDATE stored_sections SET expires = iif(d.expiry < 0, NULL, used + d.expiry) FROM disk_store d
        WHERE mode = 'cache'
        """)
  }

  /// Whether files are to go, or the pool is too full, or something in it has expired.
  func isDiskStoreUntidy() throws -> Bool {
    try Bool.fetchOne(
      db,
      sql: """
        SELECT EXISTS (SELECT 1 FROM removed_sections)
          OR EXISTS (SELECT 1 FROM stored_sections WHERE mode = 'cache' AND expires <= ?)
          OR (SELECT coalesce(sum(stored), 0) FROM stored_sections WHERE mode = 'cache') > (SELECT pool FROM disk_store)
        """, arguments: [clock.now()]) ?? false
  }

  /// How many bytes lie here in this mode.
  public func size(of mode: StorageMode) throws -> Int64 {
    try Int64.fetchOne(
      db, sql: "SELECT coalesce(sum(stored), 0) FROM stored_sections WHERE mode = ?", arguments: [mode.rawValue]) ?? 0
  }
}
