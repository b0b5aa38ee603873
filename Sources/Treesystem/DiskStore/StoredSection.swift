import CloudAPI
import Foundation
import GRDB
package import Signing

/// How a section is kept on this disk.
public enum StorageMode: String, Sendable {
  /// Until its node goes, or the server has it.
  case persistent
  /// As long as there is room for it.
  case cache
}

/// What becomes of a file on this disk once the server has it.
public enum AfterUpload: String, Sendable {
  /// It stays in persistent mode.
  case keep
  /// It moves to cache mode.
  case cache
  case delete
}

/// One sealed section of a file, as far as it is here.
struct StoredSection: FetchableRecord {
  /// Names the file in the folder.
  let id: Int64
  /// Of the sealed section, in bytes.
  let length: UInt64
  /// How much of it is checked and durable, from its beginning.
  let stored: UInt64
  let mode: StorageMode
  /// Of the data: the hashes of its leaves.
  let leaves: [UInt8]

  var isWhole: Bool { stored == length }

  init(row: Row) throws {
    id = row["id"]
    length = UInt64(row["length"] as Int64)
    stored = UInt64(row["stored"] as Int64)
    mode = StorageMode(rawValue: row["mode"]) ?? .cache
    leaves = (row["leaves"] as Data?).map(Array.init) ?? []
  }
}

extension CloudTransaction {
  func storedSection(_ section: FileSection, of content: ContentID) throws -> StoredSection? {
    try StoredSection.fetchOne(
      db, sql: "SELECT * FROM stored_sections WHERE content = ? AND section = ?",
      arguments: [content, section.rawValue])
  }

  /// Makes room in the tables for a section that is about to be written. Its file has a name that no file had before.
  func beginSection(
    _ section: FileSection, of content: ContentID, length: UInt64, _ mode: StorageMode, after: AfterUpload? = nil
  ) throws -> StoredSection {
    if let begun = try storedSection(section, of: content) { return begun }
    try db.execute(
      sql: """
        INSERT INTO stored_sections (content, section, length, mode, after_upload, used) VALUES (?, ?, ?, ?, ?, ?)
        """,
      arguments: [content, section.rawValue, Int64(length), mode.rawValue, after?.rawValue, clock.now()])
    guard let begun = try storedSection(section, of: content) else { throw StoreError.damaged }
    return begun
  }

  /// Notes how much of a section is durable. Nothing comes of it where the section went meanwhile.
  func advance(_ section: StoredSection, to stored: UInt64) throws {
    try db.execute(
      sql: "UPDATE stored_sections SET stored = max(stored, ?), used = ? WHERE id = ?",
      arguments: [Int64(stored), clock.now(), section.id])
    try db.execute(
      sql: """
        UPDATE stored_sections SET expires = ? + (SELECT expiry FROM disk_store)
        WHERE id = ? AND mode = 'cache' AND (SELECT expiry FROM disk_store) >= 0
        """, arguments: [clock.now(), section.id])
  }

  /// Forgets what the disk turned out not to have: it is fetched again, or it is lost.
  func forget(_ section: StoredSection) throws {
    try db.execute(sql: "DELETE FROM stored_sections WHERE id = ?", arguments: [section.id])
  }

  /// What becomes of a file's sections now that the server has them.
  package func settleUpload(of content: ContentID) throws {
    try db.execute(
      sql: "DELETE FROM stored_sections WHERE content = ? AND after_upload = 'delete'", arguments: [content])
    try db.execute(
      sql: """
        UPDATE stored_sections SET after_upload = NULL, used = ?, mode = iif(after_upload = 'cache', 'cache', mode),
          expires = iif(after_upload = 'cache' AND (SELECT expiry FROM disk_store) >= 0,
            ? + (SELECT expiry FROM disk_store), NULL)
        WHERE content = ? AND after_upload IS NOT NULL
        """, arguments: [clock.now(), clock.now(), content])
  }
}
