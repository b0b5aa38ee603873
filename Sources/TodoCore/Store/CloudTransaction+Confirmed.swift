import GRDB
import Treesystem

/// What this profile knows of its own stamps in a document, as the server has it (spec §7.3).
///
/// `confirmed` is the highest that it has seen there; `sent` the highest that it sealed last, which may stand there too.
extension CloudTransaction {
  /// Remembers, before content is sealed, how far this profile has written it.
  func noteSending(_ content: VersionedDocument, of node: NodeID, in table: DocumentTable) throws {
    guard let own = try ownTime(in: content.document) else { return }
    let statement = try db.cachedStatement(sql: "UPDATE \(table.rawValue) SET sent = ? WHERE node = ?")
    try statement.execute(arguments: [Int64(bitPattern: own), node])
  }

  /// What was sent has arrived.
  func noteSent(_ node: NodeID, in table: DocumentTable) throws {
    let statement = try db.cachedStatement(
      sql: "UPDATE \(table.rawValue) SET confirmed = sent WHERE node = ? AND sent IS NOT NULL")
    try statement.execute(arguments: [node])
  }

  /// Whether content from the server bears a stamp of this profile's replica that this profile never gave it: it came
  /// back from a backup, or somebody writes in its name.
  func isStrange(_ replica: Replica, in remote: Document, beside local: StoredDocument?) -> Bool {
    guard let time = remote.context[replica] else { return false }
    if let sent = local?.sent, sent == time { return false }
    let known = local.map { $0.confirmed ?? $0.content.document.context[replica] ?? 0 } ?? 0
    return time > known
  }

  /// The highest stamp that this profile's replica has in a document.
  func ownTime(in document: Document) throws -> UInt64? {
    guard let replica = try knownReplica() else { return nil }
    return document.context[replica]
  }
}
