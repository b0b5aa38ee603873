import CloudAPI
import GRDB
import Signing
import Treesystem

/// Who took what was offered to them: nothing that they sign in the branch tells it of those who only read.
extension CloudTransaction {
  /// Says to whoever offered a branch that this user took it.
  func tellJoined(_ branch: CloudID, to sender: UserID) throws {
    var message = SealedMessage()
    message.joined.branch = data(branch.bytes)
    try sendMessage(message, toRecipients: [sender], withDependencies: [])
  }

  /// Somebody took a branch. Returns its root the first time, if it is here and they are on it.
  func receive(_ joined: SealedJoined, from sender: UserID, in message: Node) throws -> Node? {
    // Of a list that is not here nobody could have offered it: home is read before the inbox.
    guard let cloudID = CloudID(bytes: joined.branch), let branch = try branch(cloudID) else {
      try delete(message.id)
      return nil
    }
    let said = try NodeID.fetchAll(
      db, sql: "SELECT node FROM joined WHERE branch = ? AND user = ?", arguments: [cloudID, sender])
    if said.contains(message.id) { return nil }
    // The message stays until they are taken off: this user's other devices are to read it too. Who was away and came back says it again, and the word
    // of before may go later than this one is read; whether it only repeats what is known is told once the list was read.
    try db.execute(
      sql: "INSERT INTO joined (node, branch, user) VALUES (?, ?, ?)", arguments: [message.id, cloudID, sender])
    if !said.isEmpty { return nil }
    return try permissions(of: branch)?.body.entry(of: sender) == nil ? nil : root(of: branch)
  }

  /// Whether somebody has said that they took a branch which this user offered to them.
  func hasSaidJoined(_ user: UserID, _ branch: CloudID) throws -> Bool {
    try Int.fetchOne(db, sql: "SELECT 1 FROM joined WHERE branch = ? AND user = ?", arguments: [branch, user]) != nil
  }

  /// What they said once is no answer to another invitation.
  func forgetJoined(_ user: UserID, _ branch: CloudID) throws {
    let messages = try NodeID.fetchAll(
      db, sql: "SELECT node FROM joined WHERE branch = ? AND user = ?", arguments: [branch, user])
    for message in messages { try delete(message) }
  }
}
