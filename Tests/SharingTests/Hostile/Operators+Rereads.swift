import CloudAPI
import Foundation
import GRDB
import Lies
import Signing
import SwiftProtobuf
import TestSupport

@testable import Treesystem

/// A list that hangs again where it was forgotten is read from its first line: the server tells it otherwise than before.
extension Operator {
  static let rereads: [Operator] = [
    reread("list read anew with another line", .rereadLine, .fork) { page in
      guard let last = page.entries.last else { return }
      page.entries[page.entries.count - 1] = Line(
        number: last.number, kind: last.kind, cloudID: last.cloudID, hash: .zeros)
      page.rows.removeAll { $0.line == last.number }
    },
    reread("list read anew with another record", .rereadRecord, .rowMismatch) { page in
      let headers = Set(page.entries.filter { $0.kind == .header }.map(\.number))
      for index in page.rows.indices where headers.contains(page.rows[index].line) {
        page.rows[index].record.signature[7] ^= 1
      }
    },
  ]

  private static func reread(
    _ name: String, _ defence: Defence, _ reason: Refusal, _ bend: @escaping @Sendable (inout WirePage) -> Void
  ) -> Operator {
    Operator(name, defence, [.log: .stops(reason)]) { scene, _ in
      let branch = scene.branch
      try scene.carol.database.write { transaction in
        let empty = try transaction.db.cachedStatement(sql: "UPDATE branches SET hollow = 1 WHERE cloud_id = ?")
        try empty.execute(arguments: [branch])
      }
      scene.server.lie { request, response in Lie(branch: branch).page(response, to: request) { bend(&$0) } }
    }
  }
}
