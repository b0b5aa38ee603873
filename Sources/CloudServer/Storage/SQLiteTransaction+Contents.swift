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
    ).map { StoredContent(content: try $0.fixed("content"), bytes: try bytes($0)) }
  }

  func contentHash(_ content: ContentID, in branch: CloudID) throws -> Hash32? {
    // By its own choice SQLite looks through all branches that have the content.
    let small = try row(
      "SELECT hash FROM content_references INDEXED BY content_references_in_branch WHERE branch = ? AND content = ? LIMIT 1",
      [branch.blob, content.blob])
    return try small?.fixed("hash") ?? file(content, in: branch)?.root
  }

  func content(_ content: ContentID, in branch: CloudID) throws -> [UInt8]? {
    try row(
      """
      SELECT bytes FROM content_references INDEXED BY content_references_in_branch JOIN contents USING (content, hash)
      WHERE branch = ? AND content = ? LIMIT 1
      """, [branch.blob, content.blob]
    ).map { try bytes($0) }
  }

  func store(_ bytes: [UInt8], of content: ContentReference) throws {
    try run(
      "INSERT INTO contents (content, hash, bytes) VALUES (?, ?, ?) ON CONFLICT DO NOTHING",
      [content.content.blob, content.hash.blob, Data(bytes)])
    try meter.count(bytes: bytes.count)
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

  func hasClosed(before time: Int64) throws -> Bool {
    try row("SELECT 1 FROM closings WHERE purged = 0 AND closed < ? LIMIT 1", [time]) != nil
  }

  func purge(closedBefore time: Int64, limit: Int) throws -> Bool {
    let due = try row(
      "SELECT branch FROM closings WHERE purged = 0 AND closed < ? ORDER BY closed, branch LIMIT 1", [time])
    guard let branch: CloudID = try due?.fixed("branch") else { return false }
    if try dropContents(of: branch, limit: limit) < limit {
      try run("UPDATE closings SET purged = 1 WHERE branch = ?", [branch.blob])
    }
    return true
  }

  /// Drops the contents of at most so many nodes of a branch; returns of how many.
  func dropContents(of branch: CloudID, limit: Int) throws -> Int {
    let nodes = try rows(
      """
      SELECT cloud_id FROM (SELECT DISTINCT cloud_id FROM content_references WHERE branch = :branch LIMIT :limit)
      UNION
      SELECT cloud_id FROM (SELECT cloud_id FROM file_references WHERE branch = :branch LIMIT :limit)
      LIMIT :limit
      """, ["branch": branch.blob, "limit": limit])
    for row in nodes {
      let cloudID: CloudID = try row.fixed("cloud_id")
      try dropContents(of: cloudID, in: branch)
    }
    return nodes.count
  }

  /// Drops the contents of several nodes at once.
  func dropContents(of nodes: [CloudID], in branch: CloudID) throws {
    let places = Self.places(nodes.count)
    let key = StatementArguments([branch.blob] + nodes.map(\.blob))
    let files = try rows("SELECT cloud_id FROM file_references WHERE branch = ? AND cloud_id IN (\(places))", key)
    for row in files { try setFile(nil, nil, of: row.fixed("cloud_id"), in: branch, by: nil) }
    let gone = try rows(
      "DELETE FROM content_references WHERE branch = ? AND cloud_id IN (\(places)) RETURNING content, hash", key)
    try inShares(gone) { rows in
      let pairs = Array(repeating: "(?, ?)", count: rows.count).joined(separator: ", ")
      // The pairs first: the other way around it looks through the contents of everybody.
      try run(
        """
        DELETE FROM contents WHERE rowid IN (
          SELECT c.rowid FROM (VALUES \(pairs)) AS gone CROSS JOIN contents AS c
            ON c.content = gone.column1 AND c.hash = gone.column2
          WHERE NOT EXISTS (SELECT 1 FROM content_references AS other
            WHERE other.content = c.content AND other.hash = c.hash))
        """, StatementArguments(rows.flatMap { [$0["content"] as Data, $0["hash"] as Data] }))
    }
  }

  /// Does something with many rows in few statements, of which there are two lengths: each is prepared once.
  func inShares<Value>(_ values: [Value], _ body: ([Value]) throws -> Void) throws {
    let share = 100
    var rest = values[...]
    while !rest.isEmpty {
      let some = rest.prefix(rest.count >= share ? share : 1)
      try body(Array(some))
      rest = rest.dropFirst(some.count)
    }
  }

  static func places(_ count: Int) -> String { Array(repeating: "?", count: count).joined(separator: ", ") }

  private func bytes(_ row: Row) throws -> [UInt8] {
    guard let bytes: Data = row["bytes"] else { throw StorageFailure.damaged }
    try meter.count(bytes: bytes.count)
    return Array(bytes)
  }
}
