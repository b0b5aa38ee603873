import Foundation
import GRDB
import Signing
import Treesystem

extension CloudTransaction {
  /// This profile's replica id, drawn when it first writes.
  func replica() throws -> Replica { try knownReplica() ?? drawReplica() }

  /// This profile's replica id; nil while it never wrote.
  package func knownReplica() throws -> Replica? {
    let known = try db.cachedStatement(sql: "SELECT bytes FROM replica")
    return try Data.fetchOne(known).flatMap { Replica(bytes: $0) }
  }

  /// Has this profile write under a replica of its own device from now on, as soon as there is an account. What others may have seen already
  /// stays under the one from before.
  func bindReplica() throws {
    guard let account = try account(), let old = try knownReplica(), !old.belongs(to: account.user, account.device)
    else { return }
    try setWriter(account.user, of: old)
    _ = try renewReplica(old) { stored in stored.confirmed.map { max($0, stored.sent ?? 0) } }
  }

  /// Writes under a new replica id from now on, and gives it what nobody else has seen yet (spec §7.3). Returns it.
  /// - Parameter seen: the last time of the old one in a document that somebody else may have seen; nil: it stays as it is.
  func renewReplica(_ old: Replica, seen: (StoredDocument) -> UInt64? = { $0.confirmed }) throws -> Replica {
    let new = try drawReplica()
    for (node, table) in try documentsToUpload() {
      guard var stored = try storedDocument(of: node, in: table), let seen = seen(stored) else { continue }
      let before = stored.content
      stored.content.restamp(old, after: seen, as: new)
      guard stored.content != before else { continue }
      try replaceContent(stored.content, of: node, in: table)
      try restampSteps(of: node, old, after: seen, as: new)
      try queueDataUpload(forNodeID: node)
    }
    // Of the new one nobody has anything yet.
    for table in [DocumentTable.lists, .todos] {
      try db.execute(sql: "UPDATE \(table.rawValue) SET confirmed = 0, sent = NULL")
    }
    return new
  }

  /// A replica of this device's, or any while there is no account.
  private func drawReplica() throws -> Replica {
    let bytes: [UInt8]
    if let account = try account() {
      let replica = Replica(of: account.user, account.device, salt: entropy.bytes(Replica.saltLength))
      try setWriter(account.user, of: replica)
      bytes = replica.bytes
    } else {
      bytes = entropy.bytes(Replica.length)
    }
    try db.execute(sql: "INSERT OR REPLACE INTO replica (id, bytes) VALUES (1, ?)", arguments: [Data(bytes)])
    return try Replica(bytes: bytes) ?? { throw DocumentError.malformed }()
  }

  /// Nodes whose content the server has not confirmed.
  private func documentsToUpload() throws -> [(NodeID, DocumentTable)] {
    try operations().filter { $0.kind == .put }.compactMap { operation in
      try operation.node.flatMap { try node($0) }.map { ($0.id, $0.isBranchRoot ? .lists : .todos) }
    }
  }
}
