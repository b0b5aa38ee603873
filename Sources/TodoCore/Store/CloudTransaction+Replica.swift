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

  /// Writes under a new replica id from now on, and gives it what nobody else has seen yet (spec §7.3). Returns it.
  func renewReplica(_ old: Replica) throws -> Replica {
    let new = try drawReplica()
    for (node, table) in try documentsToUpload() {
      guard var stored = try storedDocument(of: node, in: table), let confirmed = stored.confirmed else { continue }
      let before = stored.content
      stored.content.restamp(old, after: confirmed, as: new)
      guard stored.content != before else { continue }
      try replaceDocument(stored.content.document, of: node, in: table)
      try queueDataUpload(forNodeID: node)
    }
    // Of the new one nobody has anything yet.
    for table in [DocumentTable.lists, .todos] {
      try db.execute(sql: "UPDATE \(table.rawValue) SET confirmed = 0, sent = NULL")
    }
    return new
  }

  private func drawReplica() throws -> Replica {
    let bytes = entropy.bytes(Replica.length)
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
