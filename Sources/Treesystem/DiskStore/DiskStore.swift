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

  /// How long one of which a part came is not crowded out after that, in milliseconds: at the slowest that a server bears with, a leaf takes half of it.
  static let leafPatience: Int64 = 10 * 60_000

  /// How long what came because it was marked as wanted stays until somebody uses it, in milliseconds.
  package static let wishPatience: Int64 = 7 * 24 * 3_600_000

  /// Takes away what is to go, and makes room, where there is anything to do: asking costs little. Files go with their nodes, but only when somebody calls
  /// this, after a change; a sync and a transfer do.
  public func tidy() throws {
    if try database.read({ try $0.isDiskStoreUntidy() }) { try makeRoom() }
  }

  /// Takes away what its note says is to go, what somebody stored and never gave to a node, and files that no table knows.
  public func sweep() throws {
    // Before the tables are asked: whatever is listed now was in one of them before it was there.
    let files = try folder.files()
    try database.write { transaction in
      try transaction.db.execute(
        sql: """
          DELETE FROM stored_sections WHERE used < ? AND NOT EXISTS
            (SELECT 1 FROM node_files f WHERE f.root = stored_sections.root)
          """, arguments: [transaction.clock.now() - Self.patience])
    }
    let (known, noted) = try database.read { transaction in
      (
        try Int64.fetchSet(transaction.db, sql: "SELECT id FROM stored_sections"),
        try Int64.fetchSet(transaction.db, sql: "SELECT id FROM removed_sections")
      )
    }
    let removed = noted.union(files.filter { !known.contains($0) }).sorted()
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

  /// Takes out of cache mode's pool what has expired, and what was not used for longest until the rest fits. What was used last stays however
  /// large it is: somebody has just looked at it, or sent it. Where there is to be no pool at all that holds for one that is being fetched alone. What is
  /// held stays too.
  package func makeRoom(sparing fetched: Hash32? = nil) throws {
    try database.write { transaction in
      try transaction.db.execute(
        sql: "DELETE FROM stored_sections WHERE mode = 'cache' AND expires <= ?1 AND ifnull(held, 0) <= ?1",
        arguments: [transaction.clock.now()])
      for section in try transaction.surplusSections(sparing: fetched) {
        try transaction.db.execute(sql: "DELETE FROM stored_sections WHERE id = ?", arguments: [section])
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

  /// So many bytes, and for so long.
  public init(pool: Int64, expiry: Int64 = -1) {
    self.pool = pool
    self.expiry = expiry
  }
}

extension CloudTransaction {
  /// How much may lie here.
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

  /// Whether files are to go, or the pool is too full, or something in it has expired, or something was stored and never given to a node.
  func isDiskStoreUntidy() throws -> Bool {
    let isUntidy = try Bool.fetchOne(
      db,
      sql: """
        SELECT EXISTS (SELECT 1 FROM removed_sections)
          OR EXISTS (SELECT 1 FROM stored_sections WHERE mode = 'cache' AND expires <= ?1 AND ifnull(held, 0) <= ?1)
          OR EXISTS (SELECT 1 FROM stored_sections s WHERE used < ?2
            AND NOT EXISTS (SELECT 1 FROM node_files f WHERE f.root = s.root))
        """, arguments: [clock.now(), clock.now() - DiskStore.patience])
    return try isUntidy == true || !surplusSections().isEmpty
  }

  /// What in cache mode is to go so that the rest fits.
  fileprivate func surplusSections(sparing fetched: Hash32? = nil) throws -> [Int64] {
    let limit = try diskLimits()
    var excess = try size(of: .cache) - limit.pool
    guard excess > 0 else { return [] }
    let newest = try fetched ?? (limit.pool > 0 ? lastUsedInCache() : nil)
    let rows = try Row.fetchAll(
      db,
      sql: """
        SELECT id, stored FROM stored_sections
        WHERE mode = 'cache' AND stored > 0 AND root IS NOT ? AND ifnull(held, 0) <= ? ORDER BY used, id
        """, arguments: [newest, clock.now()])
    var surplus: [Int64] = []
    for row in rows where excess > 0 {
      surplus.append(row[0])
      excess -= row[1] as Int64
    }
    return surplus
  }

  /// The root of what in cache mode was used last.
  private func lastUsedInCache() throws -> Hash32? {
    try Hash32.fetchOne(
      db,
      sql: "SELECT root FROM stored_sections WHERE mode = 'cache' AND stored > 0 ORDER BY used DESC, id DESC LIMIT 1")
  }

  /// How many bytes lie here in this mode.
  public func size(of mode: StorageMode) throws -> Int64 {
    try Int64.fetchOne(
      db, sql: "SELECT coalesce(sum(stored), 0) FROM stored_sections WHERE mode = ?", arguments: [mode.rawValue]) ?? 0
  }
}
