import CloudAPI
import Foundation
import GRDB

extension CloudTransaction {
  /// Takes the account and everything that came with it off this device: keys, branches, the whole tree.
  /// What was not sent is lost, so callers ask first.
  public func logOut() throws {
    try keepPasts()
    try db.execute(sql: "DELETE FROM operations")
    for child in try children(of: trunk(.home).id) { try forget(child) }
    for trunk in [try trunk(.inbox), try trunk(.outbox), try trunk(.prefs)] {
      for child in try children(of: trunk.id) { try forget(child) }
    }
    try db.execute(sql: "DELETE FROM branches WHERE trunk IS NULL")
    try abandonAccount()
  }

  /// Forgets identity and keys, but no list.
  func abandonAccount() throws {
    for table in [
      "account", "user_keys", "keyrings", "contact", "server_clock", "wish", "findings", "login_request",
      "abandoned_uploads",
    ] {
      try db.execute(sql: "DELETE FROM \(table)")
    }
    try resetTrunks()
  }
}
