import CloudAPI
import GRDB
package import Signing

extension SQLiteTransaction {
  /// A payer's number, where a statement has their userID; null for somebody without an account.
  static let payer = "(SELECT payer FROM payers WHERE user = ?)"

  func bytes(of user: UserID) throws -> UInt64 {
    try row("SELECT bytes FROM payers WHERE user = ?", [user.blob])?.number("bytes") ?? 0
  }
}

extension SQLiteStorage {
  /// Those whose count is not what their rows come to: nobody, ever.
  package func miscounted() throws -> [UserID: (counted: UInt64, is: UInt64)] {
    try inspect { db in
      let rows = try Row.fetchAll(
        db,
        sql: """
          SELECT user, payers.bytes AS counted, coalesce(r.bytes, 0) AS found
          FROM payers LEFT JOIN (\(UsageSchema.recount)) r USING (payer) WHERE counted <> found
          """)
      return try rows.reduce(into: [:]) {
        $0[try $1.fixed("user")] = (try $1.number("counted"), try $1.number("found"))
      }
    }
  }
}
