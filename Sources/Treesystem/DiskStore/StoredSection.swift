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
  /// It goes, and is fetched again when it is wanted.
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
  /// Whether it stays until it is used.
  let isHeld: Bool

  var isWhole: Bool { stored == length }

  init(row: Row) throws {
    id = row["id"]
    length = UInt64(row["length"] as Int64)
    stored = UInt64(row["stored"] as Int64)
    mode = StorageMode(rawValue: row["mode"]) ?? .cache
    leaves = (row["leaves"] as Data?).map(Array.init) ?? []
    isHeld = row["held"] != nil
  }
}

extension CloudTransaction {
  func storedSection(_ section: FileSection, of file: NodeFile) throws -> StoredSection? {
    try StoredSection.fetchOne(
      db, sql: "SELECT * FROM stored_sections WHERE root = ? AND section = ?", arguments: [file.root, section.rawValue])
  }

  /// Makes room in the tables for a section that is about to be fetched. Throws `TreeError.noSuchNode` where no node has the file (any more).
  func beginSection(_ section: FileSection, of file: NodeFile) throws -> StoredSection {
    if let begun = try storedSection(section, of: file) { return begun }
    guard try Int.fetchOne(db, sql: "SELECT 1 FROM node_files WHERE root = ?", arguments: [file.root]) != nil else {
      throw TreeError.noSuchNode
    }
    return try insertSection(section, of: file.layout, .cache, root: file.root)
  }

  /// The same for one that is about to be sealed: its root is not known before the end.
  func beginSealing(_ section: FileSection, of layout: FileLayout, after: AfterUpload) throws -> StoredSection {
    try insertSection(section, of: layout, .persistent, after: after)
  }

  /// Its file has a name that no file had before.
  private func insertSection(
    _ section: FileSection, of layout: FileLayout, _ mode: StorageMode, root: Hash32? = nil, after: AfterUpload? = nil
  ) throws -> StoredSection {
    try db.execute(
      sql: """
        INSERT INTO stored_sections (root, section, length, mode, after_upload, used) VALUES (?, ?, ?, ?, ?, ?)
        """,
      arguments: [
        root, section.rawValue, Int64(layout.range(of: section).count), mode.rawValue, after?.rawValue, clock.now(),
      ])
    let begun = try StoredSection.fetchOne(
      db, sql: "SELECT * FROM stored_sections WHERE id = ?", arguments: [db.lastInsertedRowID])
    guard let begun else { throw StoreError.damaged }
    return begun
  }

  /// What was sealed is durable as a whole, and of this file.
  func endSealing(_ section: StoredSection, root: Hash32, leaves: [UInt8]) throws {
    try db.execute(
      sql: """
        UPDATE stored_sections SET root = ?, stored = length, leaves = iif(section = ?, ?, NULL), used = ? WHERE id = ?
        """,
      arguments: [root, FileSection.data.rawValue, CloudAPI.data(leaves), clock.now(), section.id])
  }

  /// Notes how much of a section is durable. Where it went meanwhile its file goes too.
  ///
  /// It is held while somebody is at it; as a whole, where it is marked as wanted, until it is used.
  func advance(_ section: StoredSection, to stored: UInt64) throws {
    try db.execute(
      sql: """
        UPDATE stored_sections SET stored = max(stored, ?1), held = CASE
          WHEN max(stored, ?1) < length THEN ?2
          WHEN EXISTS (SELECT 1 FROM wanted_sections w JOIN node_files f ON f.node = w.node
            WHERE f.root = stored_sections.root AND w.section = stored_sections.section) THEN ?3
          END WHERE id = ?4
        """,
      arguments: [
        Int64(stored), clock.now() + DiskStore.leafPatience, clock.now() + DiskStore.wishPatience, section.id,
      ])
    guard db.changesCount > 0 else {
      return try db.execute(sql: "INSERT OR IGNORE INTO removed_sections VALUES (?)", arguments: [section.id])
    }
    try touch(section)
  }

  /// A section counts as used.
  func touch(_ section: StoredSection) throws {
    try db.execute(
      sql: """
        UPDATE stored_sections SET used = ?1, expires = iif(mode = 'cache' AND d.expiry >= 0, ?1 + d.expiry, NULL)
        FROM disk_store d WHERE stored_sections.id = ?2
        """, arguments: [clock.now(), section.id])
  }

  /// Whoever had asked for a section has seen it.
  func release(_ section: StoredSection) throws {
    try db.execute(sql: "UPDATE stored_sections SET held = NULL WHERE id = ?", arguments: [section.id])
  }

  /// Forgets what the disk turned out not to have: it is fetched again, or it is lost.
  /// True until the server has the file.
  func isOnlyHere(_ section: StoredSection) throws -> Bool {
    try Int.fetchOne(
      db, sql: "SELECT 1 FROM stored_sections WHERE id = ? AND after_upload IS NOT NULL", arguments: [section.id])
      != nil
  }

  func forget(_ section: StoredSection) throws {
    try db.execute(sql: "DELETE FROM stored_sections WHERE id = ?", arguments: [section.id])
  }

  /// What becomes of a file's sections now that the server has them.
  package func settleUpload(of root: Hash32) throws {
    try db.execute(sql: "DELETE FROM stored_sections WHERE root = ? AND after_upload = 'delete'", arguments: [root])
    try db.execute(
      sql: """
        UPDATE stored_sections SET after_upload = NULL, used = ?, mode = iif(after_upload = 'cache', 'cache', mode),
          expires = iif(after_upload = 'cache' AND (SELECT expiry FROM disk_store) >= 0,
            ? + (SELECT expiry FROM disk_store), NULL)
        WHERE root = ? AND after_upload IS NOT NULL
        """, arguments: [clock.now(), clock.now(), root])
  }
}
