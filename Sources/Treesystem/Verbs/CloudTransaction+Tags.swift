import Foundation
import GRDB

extension CloudTransaction {
  /// Keeps a few bytes of the app's with a node; nil removes them. They stay on this device.
  public func setTag(_ tag: [UInt8]?, forNodeID node: NodeID, withIdentifier identifier: String) throws {
    guard let tag else {
      try db.execute(sql: "DELETE FROM tags WHERE node = ? AND identifier = ?", arguments: [node, identifier])
      return
    }
    try db.execute(
      sql: "INSERT OR REPLACE INTO tags (node, identifier, tag) VALUES (?, ?, ?)",
      arguments: [node, identifier, Data(tag)])
  }

  /// The bytes that `setTag` kept.
  public func tag(forNodeID node: NodeID, withIdentifier identifier: String) throws -> [UInt8]? {
    try Data.fetchOne(
      db, sql: "SELECT tag FROM tags WHERE node = ? AND identifier = ?", arguments: [node, identifier]
    ).map { Array($0) }
  }
}
