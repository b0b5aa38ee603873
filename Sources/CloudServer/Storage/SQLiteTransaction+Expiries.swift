import CloudAPI
import GRDB
import Signing

extension SQLiteTransaction {
  func noteExpiry(_ time: UInt64, of cloudID: CloudID, in branch: CloudID) throws {
    // What is beyond the largest number is as good as never.
    guard time > 0, let expires = Self.column(time) else {
      return try run("DELETE FROM expiries WHERE branch = ? AND cloud_id = ?", [branch.blob, cloudID.blob])
    }
    try run(
      "INSERT OR REPLACE INTO expiries (branch, cloud_id, expires) VALUES (?, ?, ?)",
      [branch.blob, cloudID.blob, expires])
  }

  func hasExpired(by time: Int64) throws -> Bool {
    try row("SELECT 1 FROM expiries WHERE expires <= ? LIMIT 1", [time]) != nil
  }

  func burn(expiredBy time: Int64, limit: Int) throws -> Int {
    let due = try rows(
      "SELECT branch, cloud_id FROM expiries WHERE expires <= ? ORDER BY expires LIMIT ?", [time, limit])
    for row in due {
      let (branch, cloudID): (CloudID, CloudID) = (try row.fixed("branch"), try row.fixed("cloud_id"))
      try dropContents(of: cloudID, in: branch)
      try noteExpiry(0, of: cloudID, in: branch)
    }
    return due.count
  }
}
