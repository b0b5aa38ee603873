import Foundation
import GRDB
import Signing
import Treesystem

extension CloudTransaction {
  /// This profile's replica id, drawn when it first writes.
  func replica() throws -> [UInt8] {
    let known = try db.cachedStatement(sql: "SELECT bytes FROM replica")
    if let bytes = try Data.fetchOne(known) { return Array(bytes) }
    let bytes = entropy.bytes(8)
    try db.execute(sql: "INSERT INTO replica (id, bytes) VALUES (1, ?)", arguments: [Data(bytes)])
    return bytes
  }
}
