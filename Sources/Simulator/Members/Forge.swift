import CloudAPI
import Foundation
import GRDB
import Signing
import TodoCore
import Treesystem

/// The hostile member's own database, under their hands.
struct Forge {
  let transaction: CloudTransaction
  let member: HostileMember

  /// A put that waits, and what it will carry.
  struct Put {
    let node: NodeID
    let branch: BranchID
    let cloudID: CloudID
    let name: String
    let isRoot: Bool
    /// Whether the server has nothing of the node yet.
    let isNew: Bool

    var table: String { isRoot ? "lists" : "todos" }
    var words: String { "\(isRoot ? "list" : "node") \("\(cloudID)".prefix(6))" }
  }

  /// A put that is queued in a branch where this user may write; now and then one that is queued for this only.
  func pick(where fits: (Put) -> Bool = { _ in true }) throws -> Put? {
    let queued = try puts("o.sequence IS NOT NULL").filter(fits)
    if let put = member.dice.pick(queued), !member.dice.chance(300) { return put }
    guard let put = member.dice.pick(try puts("1").filter(fits)) else { return nil }
    try transaction.queueDataUpload(forNodeID: put.node)
    return put
  }

  private func puts(_ condition: String) throws -> [Put] {
    let rows = try Row.fetchAll(
      transaction.db,
      sql: """
        SELECT n.id, n.branch, n.cloud_id, n.name, n.parent IS NULL, NOT EXISTS (SELECT 1 FROM node_states s
          WHERE s.branch = n.branch AND s.cloud_id = n.cloud_id)
        FROM nodes n JOIN branches b ON b.id = n.branch
        LEFT JOIN operations o ON o.node = n.id AND o.kind = 'put' AND o.state = 'pending'
        WHERE b.trunk IS NULL AND n.pointer IS NULL AND n.cloud_id IS NOT NULL AND \(condition) ORDER BY n.id
        """)
    let puts = rows.map {
      Put(node: $0[0], branch: $0[1], cloudID: $0[2], name: $0[3], isRoot: $0[4], isNew: $0[5])
    }
    let writable = Set(try Set(puts.map(\.branch)).filter { try transaction.mayWrite($0) })
    return puts.filter { writable.contains($0.branch) }
  }

  func content(of put: Put) throws -> VersionedDocument? {
    let sql = "SELECT document, history FROM \(put.table) WHERE node = ?"
    guard let row = try Row.fetchOne(transaction.db, sql: sql, arguments: [put.node]) else { return nil }
    return VersionedDocument(
      try Document(bytes: Array(row[0] as Data)), history: try TodoCore.History(bytes: Array(row[1] as Data)))
  }

  /// Puts another document in the place of the one that would be sent.
  func write(_ document: Document, history: TodoCore.History, to put: Put) throws {
    try transaction.db.execute(
      sql: "UPDATE \(put.table) SET document = ?, history = ? WHERE node = ?",
      arguments: [Data(document.bytes), Data(history.bytes), put.node])
  }

  /// Gives a node another cloudID, before anything of it was sent.
  func rename(_ put: Put, to cloudID: CloudID) throws {
    try transaction.db.execute(
      sql: "UPDATE nodes SET cloud_id = ? WHERE id = ?", arguments: [cloudID, put.node])
    try transaction.db.execute(
      sql: "UPDATE operations SET cloud_id = ? WHERE node = ? AND kind = 'put'", arguments: [cloudID, put.node])
  }

  /// An id of somebody else's branch, its root's included: everybody who was ever there knows it, and tombstones tell.
  func foreignID(except branch: BranchID) throws -> CloudID? {
    let here = try transaction.cloudID(of: branch)
    let foreign = member.authorship.places.filter { $0.branch != here }
    let roots = foreign.filter { $0.branch == $0.node }
    return member.dice.pick(member.dice.chance(300) ? roots : foreign)?.node
  }

  /// One of this user's own replicas; nil before the first write.
  var ownReplica: Replica? { member.dice.pick(member.authorship.replicas.sorted()) }

  /// The replica of somebody else.
  func foreignReplica(_ content: VersionedDocument) -> Replica? {
    let known = content.document.context.stamps.map(\.replica).filter { !member.authorship.replicas.contains($0) }
    return member.dice.pick(known.isEmpty ? member.authorship.others : known)
  }

  /// A text that nobody else wrote.
  func text() -> [UInt8] {
    member.world.titles += 1
    return Array("\(Oracle.marker) \(member.world.titles) by \(HostileMember.handle)".utf8)
  }

  /// What time it is there.
  var now: Int64 { transaction.clock.now() }

  /// A time: earlier, now, or later.
  func time(_ content: VersionedDocument) -> UInt64 {
    let now = UInt64(max(0, now))
    let highest = content.document.context.stamps.map(\.time).max() ?? now
    return member.dice.pick([highest &- 1, now, highest &+ 1]) ?? now
  }
}
