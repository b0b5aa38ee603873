import CloudAPI
import GRDB
import Signing

extension SQLiteTransaction {
  func isGivenBack(_ branch: CloudID) throws -> Bool {
    try row("SELECT 1 FROM given_back WHERE branch = ?", [branch.blob]) != nil
  }

  func beginRestoring(at time: Int64) throws -> Int64 {
    try run("INSERT OR IGNORE INTO restoring (only, began) VALUES (1, ?)", [time])
    guard let began: Int64 = try row("SELECT began FROM restoring", [])?["began"] else { throw StorageFailure.damaged }
    return began
  }

  func endRestoring() throws {
    try run("DELETE FROM restoring", [])
    try run("DELETE FROM given_back", [])
  }

  func noteGivenBack(_ branch: CloudID) throws {
    try run("INSERT OR IGNORE INTO given_back (branch) VALUES (?)", [branch.blob])
  }
}
