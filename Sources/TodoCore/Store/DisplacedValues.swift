import CloudAPI
import Foundation
import GRDB
import Signing
import Treesystem

/// What changes of others put out of its place on this device, kept here whatever travels: a node's history is the same for everybody, so
/// that whoever writes much can fill it (spec §7.5).
enum DisplacedValues {
  /// Time for people to notice, in milliseconds.
  static let life: Int64 = 30 * 24 * 60 * 60 * 1000
  /// So many values of one field of one node by one user: whoever writes more loses their own.
  static let limit = 32

  static let migration = AppMigration(name: "todo-17-displaced") { db in
    try db.execute(
      sql: """
        -- in whose version a replica was seen first: whose it is, unless they took somebody else's
        CREATE TABLE first_seen (
          replica BLOB PRIMARY KEY CHECK (length(replica) = 8),
          user BLOB NOT NULL CHECK (length(user) = 20)
        ) STRICT, WITHOUT ROWID;
        CREATE TABLE displaced (
          id INTEGER PRIMARY KEY,
          node INTEGER NOT NULL REFERENCES nodes (id) ON DELETE CASCADE,
          field INTEGER NOT NULL,
          -- whose it was; NULL: this device's
          user BLOB CHECK (length(user) = 20),
          -- who passed it on, where it was never seen under its writer's own signature
          via BLOB CHECK (length(via) = 20),
          time BLOB NOT NULL CHECK (length(time) = 8),
          replica BLOB NOT NULL CHECK (length(replica) = 8),
          value BLOB NOT NULL,
          -- by the clocks of here
          since INTEGER NOT NULL,
          UNIQUE (node, field, time, replica, value)
        ) STRICT;
        CREATE INDEX displaced_since ON displaced (since);
        CREATE TRIGGER account_left_displaced AFTER DELETE ON account BEGIN
          DELETE FROM first_seen;
        END;
        """)
  }
}

extension CloudTransaction {
  /// Keeps what a version of somebody's took away or wrote over, and remembers whose the new writes are.
  func keepDisplaced(of node: Node, from before: Document?, to after: Document) throws {
    if before == after { return }
    let own = try knownReplica()
    if let user = node.author { try noteFirstSeen(after, since: before, user, own) }
    guard let before else { return }
    let lost =
      before.registers.filter { after[$0.field]?.value != $0.value }
      + before.elements.filter { lost in
        !after.elements.contains { $0.field == lost.field && $0.value == lost.value }
      }
    for register in lost where register.field != Field.order.rawValue && !register.value.isEmpty {
      try keep(register, of: node.id, by: source(of: register, at: node, own))
    }
  }

  /// Whose a value is, and who passed it on: what somebody passes on in another's name takes no room from what that one wrote.
  private func source(of register: Register, at node: Node, _ own: Replica?) throws -> Deed {
    let replica = register.stamp.replica
    let carrier = try carrier(of: register, at: node.id)
    if replica == own, carrier == nil { return Deed(nil) }
    return Deed(try writer(of: replica, via: carrier) ?? firstSeen(replica), via: carrier)
  }

  /// What a node held and was displaced here, oldest first.
  func displaced(from node: NodeID) throws -> [Register] {
    try Row.fetchAll(
      db, sql: "SELECT field, value, time, replica FROM displaced WHERE node = ? ORDER BY since, id", arguments: [node]
    ).compactMap { row in
      guard let replica = Replica(bytes: row[3] as Data) else { return nil }
      let time = (row[2] as Data).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
      return Register(
        field: UInt32(row[0] as Int64), value: Array(row[1] as Data), stamp: Stamp(time: time, replica: replica))
    }
  }

  /// Lets go of what was displaced long ago. Called before a sync.
  func forgetDisplaced() throws {
    try db.execute(
      sql: "DELETE FROM displaced WHERE since < ?", arguments: [try earlierTime() - DisplacedValues.life])
  }

  private func keep(_ register: Register, of node: NodeID, by source: Deed) throws {
    try db.execute(
      sql: """
        INSERT OR IGNORE INTO displaced (node, field, user, via, time, replica, value, since) VALUES (?, ?, ?, ?, ?, ?, ?, ?)
        """,
      arguments: [
        node, Int64(register.field), source.user, source.via, Data(bigEndian(register.stamp.time)),
        Data(register.stamp.replica.bytes),
        Data(register.value), try earlierTime(),
      ])
    try db.execute(
      sql: """
        DELETE FROM displaced WHERE id IN (
          SELECT id FROM displaced WHERE node = ? AND field = ? AND user IS ? AND via IS ? ORDER BY id DESC LIMIT -1 OFFSET ?)
        """, arguments: [node, Int64(register.field), source.user, source.via, DisplacedValues.limit])
  }

  private func noteFirstSeen(_ document: Document, since before: Document?, _ user: UserID, _ own: Replica?) throws {
    let statement = try db.cachedStatement(sql: "INSERT OR IGNORE INTO first_seen (replica, user) VALUES (?, ?)")
    let writes = document.registers.filter { before?[$0.field] != $0 } + document.elements
    for replica in Set(writes.map(\.stamp.replica)) where replica != own {
      try statement.execute(arguments: [Data(replica.bytes), user])
    }
  }

  private func firstSeen(_ replica: Replica) throws -> UserID? {
    let statement = try db.cachedStatement(sql: "SELECT user FROM first_seen WHERE replica = ?")
    return try UserID.fetchOne(statement, arguments: [Data(replica.bytes)])
  }
}
