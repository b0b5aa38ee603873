import CloudAPI
import Foundation
import GRDB
import Signing
import Treesystem

/// Where a device takes each branch to be nested: what is done to a list is done to all that is nested there, so only a first record says it.
enum NestedPlaces {
  /// Returns the branches that are nested here in another one than their first record names.
  static func misplaced(_ transaction: CloudTransaction) throws -> [CloudID] {
    let rows = try Row.fetchAll(
      transaction.db,
      sql: """
        SELECT b.cloud_id, o.cloud_id, p.record FROM branches b JOIN branches o ON o.id = b.enclosing
        JOIN permissions p ON p.branch = b.id AND p.version = 1 ORDER BY b.id
        """)
    return try rows.compactMap { row in
      let first = try PermissionsBody(decoding: SignedRecord(encoded: Array(row[2] as Data)).body)
      return first.enclosing?.branch == row[1] as CloudID ? nil : row[0]
    }
  }
}
