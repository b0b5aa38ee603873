import GRDB
import Signing

extension CloudTransaction {
  /// Uploads of which the server may have parts, and that no node here has any more.
  func abandonedUploads() throws -> [ContentID] {
    try ContentID.fetchAll(
      db,
      sql: """
        SELECT content FROM abandoned_uploads a
        WHERE NOT EXISTS (SELECT 1 FROM node_files f WHERE f.content = a.content) ORDER BY content
        """)
  }

  /// The server knows, or never heard of it.
  func forgetAbandoned(_ content: ContentID) throws {
    try db.execute(sql: "DELETE FROM abandoned_uploads WHERE content = ?", arguments: [content])
  }
}
