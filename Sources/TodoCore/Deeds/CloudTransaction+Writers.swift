import CloudAPI
import Foundation
import GRDB
import Signing
import Treesystem

extension CloudTransaction {
  /// The user whose replica this is, as far as it is known.
  func writer(of replica: Replica) throws -> UserID? {
    let statement = try db.cachedStatement(sql: "SELECT user FROM writers WHERE replica = ?")
    return try UserID.fetchOne(statement, arguments: [Data(replica.bytes)])
  }

  /// The user whose write this is: whose replica it bears, or, where nobody else passed it on, whose this device vouched for under a replica
  /// that is nobody's.
  func writer(of replica: Replica, via carrier: UserID?) throws -> UserID? {
    if let user = try writer(of: replica) { return user }
    guard carrier == nil, replica.bytes.first == 0xFF else { return nil }
    return try Row.fetchAll(db.cachedStatement(sql: "SELECT replica, user FROM writers"))
      .first { Replica(bytes: $0[0] as Data)?.disowned == replica }?[1]
  }

  /// Remembers whose replica this is. It never changes.
  func setWriter(_ user: UserID, of replica: Replica) throws {
    let statement = try db.cachedStatement(sql: "INSERT OR IGNORE INTO writers (replica, user) VALUES (?, ?)")
    try statement.execute(arguments: [Data(replica.bytes), user])
  }

  /// Finds out whose replica this is: one of the devices that their keyrings name.
  func findWriter(of replica: Replica, at node: Node) throws {
    guard try writer(of: replica) == nil else { return }
    let members = try permissions(of: node.branch)?.body.entries.compactMap(\.user) ?? []
    // This user as well: a list that was not sent yet has no members.
    for user in try [node.author, account()?.user].compactMap({ $0 }) + members {
      guard let devices = try keyring(user)?.devices.keys else { continue }
      if devices.contains(where: { replica.belongs(to: user, $0) }) { return try setWriter(user, of: replica) }
    }
  }
}
