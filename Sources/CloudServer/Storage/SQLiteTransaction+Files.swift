import CloudAPI
import Foundation
import GRDB
import Signing

extension SQLiteTransaction {
  private static let fileColumns = "f.file, f.user, f.content, f.length, f.metadata, f.thumbnail, f.missing, f.root"

  func file(_ content: ContentID, of user: UserID) throws -> StoredFile? {
    try row(
      "SELECT \(Self.fileColumns) FROM files f WHERE user = ? AND content = ?", [user.blob, content.blob]
    ).map { try Self.file($0) }
  }

  func file(_ content: ContentID, in branch: CloudID) throws -> StoredFile? {
    // Several may have uploaded the same: one is as good as the other.
    try row(
      """
      SELECT \(Self.fileColumns) FROM file_references r INDEXED BY file_references_in_branch
      JOIN files f ON f.file = r.file
      WHERE r.branch = ? AND r.content = ? LIMIT 1
      """, [branch.blob, content.blob]
    ).map { try Self.file($0) }
  }

  func file(numbered number: UInt64) throws -> StoredFile? {
    guard let number = Self.column(number) else { return nil }
    return try row("SELECT \(Self.fileColumns) FROM files f WHERE file = ?", [number]).map { try Self.file($0) }
  }

  func parts(of file: StoredFile) throws -> [UInt64] {
    try rows("SELECT part FROM file_parts WHERE file = ? ORDER BY part", [Int64(file.number)])
      .map { try $0.number("part") }
  }

  func leaves(of file: StoredFile, part: UInt64) throws -> [UInt8]? {
    guard let part = Self.column(part) else { return nil }
    return try row("SELECT leaves FROM file_parts WHERE file = ? AND part = ?", [Int64(file.number), part])
      .map { try Self.leaves($0) }
  }

  func leaves(of file: StoredFile, from part: UInt64, limit: Int) throws -> [[UInt8]] {
    guard let part = Self.column(part) else { return [] }
    return try rows(
      "SELECT leaves FROM file_parts WHERE file = ? AND part >= ? ORDER BY part LIMIT ?",
      [Int64(file.number), part, limit]
    ).map { try Self.leaves($0) }
  }

  func hasFilesToCollect(unlistedBefore time: Int64) throws -> Bool {
    try row("SELECT 1 FROM files WHERE unlisted IS NOT NULL AND unlisted < ? LIMIT 1", [max(time, 1)]) != nil
  }

  func addFile(_ content: ContentID, _ layout: FileLayout, of user: UserID, at time: Int64) throws -> StoredFile {
    try run(
      "INSERT INTO files (user, content, length, metadata, thumbnail, missing, unlisted) VALUES (?, ?, ?, ?, ?, ?, ?)",
      [
        user.blob, content.blob, Int64(layout.length), Int64(layout.metadata), Int64(layout.thumbnail),
        Int64(FileParts(of: layout).count), max(time, 1),
      ])
    guard let file = try file(content, of: user) else { throw StorageFailure.damaged }
    return file
  }

  func addPart(_ part: UInt64, leaves: [UInt8], to file: StoredFile, at time: Int64) throws -> UInt64 {
    guard let number = Self.column(part) else { throw StorageFailure.damaged }
    try run(
      "INSERT INTO file_parts (file, part, leaves) VALUES (?, ?, ?)", [Int64(file.number), number, Data(leaves)])
    try run(
      "UPDATE files SET missing = missing - 1, unlisted = ? WHERE file = ?", [max(time, 1), Int64(file.number)])
    guard let file = try self.file(numbered: file.number) else { throw StorageFailure.damaged }
    return file.missing
  }

  func setRoot(_ root: Hash32, of file: StoredFile) throws {
    try run("UPDATE files SET root = ? WHERE file = ?", [root.blob, Int64(file.number)])
  }

  func removeUpload(_ content: ContentID, of user: UserID) throws -> BlobName? {
    let row = try row(
      "SELECT \(Self.fileColumns) FROM files f WHERE user = ? AND content = ? AND unlisted IS NOT NULL",
      [user.blob, content.blob])
    guard let file = try row.map({ try Self.file($0) }) else { return nil }
    try forget(file)
    return file.blob
  }

  private func forget(_ file: StoredFile) throws {
    try run("DELETE FROM file_parts WHERE file = ?", [Int64(file.number)])
    try run("DELETE FROM files WHERE file = ?", [Int64(file.number)])
  }

  func collectFiles(unlistedBefore time: Int64, now: Int64, limit: Int) throws -> [BlobName] {
    try run("UPDATE files SET unlisted = ? WHERE unlisted = 0", [max(now, 1)])
    let due = try rows(
      "SELECT \(Self.fileColumns) FROM files f WHERE unlisted IS NOT NULL AND unlisted < ? ORDER BY unlisted, file LIMIT ?",
      [time, limit]
    ).map { try Self.file($0) }
    for file in due { try forget(file) }
    return due.map(\.blob)
  }

  /// Which file a node lists, and who brought it there; what nothing lists any more is collected later.
  func setFile(
    _ file: UInt64?, _ content: ContentID?, of cloudID: CloudID, in branch: CloudID, by author: UserID?
  ) throws {
    let before = try row(
      "SELECT file FROM file_references WHERE branch = ? AND cloud_id = ?", [branch.blob, cloudID.blob]
    ).map { try $0.number("file") }
    guard before != file else { return }
    if let before {
      try run("DELETE FROM file_references WHERE branch = ? AND cloud_id = ?", [branch.blob, cloudID.blob])
      try run(
        """
        UPDATE files SET unlisted = 0
        WHERE file = :file AND NOT EXISTS (SELECT 1 FROM file_references WHERE file = :file)
        """, ["file": Int64(before)])
    }
    guard let file, let content, let number = Self.column(file) else { return }
    try run(
      "INSERT INTO file_references (branch, cloud_id, content, file, payer) VALUES (?, ?, ?, ?, \(Self.payer))",
      [branch.blob, cloudID.blob, content.blob, number, author?.blob])
    try run("UPDATE files SET unlisted = NULL WHERE file = ?", [number])
  }

  private static func leaves(_ row: Row) throws -> [UInt8] {
    guard let leaves: Data = row["leaves"] else { throw StorageFailure.damaged }
    return Array(leaves)
  }

  private static func file(_ row: Row) throws -> StoredFile {
    let layout = FileLayout(
      length: try row.number("length"), metadata: try row.number("metadata"), thumbnail: try row.number("thumbnail"))
    guard let layout else { throw StorageFailure.damaged }
    return StoredFile(
      number: try row.number("file"), user: try row.fixed("user"), content: try row.fixed("content"), layout: layout,
      missing: try row.number("missing"), root: try row.optional("root"))
  }
}
