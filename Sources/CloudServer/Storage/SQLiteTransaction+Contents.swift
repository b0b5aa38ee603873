import CloudAPI
import Foundation
import GRDB
import Signing

extension SQLiteTransaction {
  func contents(of cloudID: CloudID, in branch: CloudID) throws -> [StoredContent] {
    try rows(
      """
      SELECT content, bytes FROM content_references JOIN contents USING (content, hash)
      WHERE branch = ? AND cloud_id = ? ORDER BY section
      """, [branch.blob, cloudID.blob]
    ).map { StoredContent(content: try $0.fixed("content"), bytes: try Self.bytes($0)) }
  }

  func contentHash(_ content: ContentID, in branch: CloudID) throws -> Hash32? {
    let small = try row(
      "SELECT hash FROM content_references WHERE branch = ? AND content = ? LIMIT 1", [branch.blob, content.blob])
    return try small?.fixed("hash") ?? file(content, in: branch)?.root
  }

  func content(_ content: ContentID, in branch: CloudID) throws -> [UInt8]? {
    try row(
      """
      SELECT bytes FROM content_references JOIN contents USING (content, hash)
      WHERE branch = ? AND content = ? LIMIT 1
      """, [branch.blob, content.blob]
    ).map { try Self.bytes($0) }
  }

  func store(_ bytes: [UInt8], of content: ContentReference) throws {
    try run(
      "INSERT INTO contents (content, hash, bytes) VALUES (?, ?, ?) ON CONFLICT DO NOTHING",
      [content.content.blob, content.hash.blob, Data(bytes)])
  }

  func setContents(
    _ contents: [ContentReference], file: UInt64?, of cloudID: CloudID, in branch: CloudID, by author: UserID?
  ) throws {
    try setFile(file, contents.first { $0.file != nil }?.content, of: cloudID, in: branch, by: author)
    let before = try rows(
      "SELECT content, hash, payer FROM content_references WHERE branch = ? AND cloud_id = ?",
      [branch.blob, cloudID.blob])
    if !before.isEmpty {
      try run("DELETE FROM content_references WHERE branch = ? AND cloud_id = ?", [branch.blob, cloudID.blob])
    }
    for content in contents where content.file == nil {
      let carried = before.first {
        $0["content"] as Data? == content.content.blob && $0["hash"] as Data? == content.hash.blob
      }
      try run(
        """
        INSERT INTO content_references (branch, cloud_id, section, content, hash, payer)
        VALUES (?, ?, ?, ?, ?, coalesce(?, \(Self.payer)))
        """,
        [
          branch.blob, cloudID.blob, Int64(content.section.rawValue), content.content.blob, content.hash.blob,
          carried?["payer"] as Int64?, author?.blob,
        ])
    }
    for row in before {
      let content: ContentID = try row.fixed("content")
      let hash: Hash32 = try row.fixed("hash")
      try run(
        """
        DELETE FROM contents WHERE content = :content AND hash = :hash AND NOT EXISTS
          (SELECT 1 FROM content_references WHERE content = :content AND hash = :hash)
        """, ["content": content.blob, "hash": hash.blob])
    }
  }

  func noteClosing(of branch: CloudID, at time: Int64) throws {
    try run("INSERT INTO closings (branch, closed) VALUES (?, ?) ON CONFLICT DO NOTHING", [branch.blob, time])
  }

  func purge(closedBefore time: Int64, limit: Int) throws {
    let due = try rows(
      "SELECT branch FROM closings WHERE purged = 0 AND closed < ? ORDER BY closed, branch LIMIT ?", [time, limit]
    ).map { row -> CloudID in try row.fixed("branch") }
    for branch in due {
      try dropContents(of: branch)
      try run("UPDATE closings SET purged = 1 WHERE branch = ?", [branch.blob])
    }
  }

  /// Drops the contents of all nodes of a branch.
  func dropContents(of branch: CloudID) throws {
    let nodes = try rows(
      """
      SELECT cloud_id FROM content_references WHERE branch = :branch
      UNION SELECT cloud_id FROM file_references WHERE branch = :branch
      """, ["branch": branch.blob])
    for row in nodes { try dropContents(of: row.fixed("cloud_id"), in: branch) }
  }

  private static func bytes(_ row: Row) throws -> [UInt8] {
    guard let bytes: Data = row["bytes"] else { throw StorageFailure.damaged }
    return Array(bytes)
  }
}
