import CloudAPI
import GRDB
import Signing
public import Treesystem

/// An invitation to a branch that its owner ended for everybody before this user had anything of it.
public struct DeletedInvite: Hashable, Sendable {
  /// That of the invitation.
  public let number: Int
  /// What its sender called the branch. Not safe for a terminal.
  public let title: String
  /// How to show who ended it.
  public let by: String
}

/// Who accepts what its owner has ended gets nothing of it: what is kept is what somebody had before.
extension CloudTransaction {
  /// The latest last.
  public func deletedInvites() throws -> [DeletedInvite] {
    try Row.fetchAll(
      db, sql: "SELECT number, title, coalesce(owner, sender) FROM invites WHERE closed = 1 ORDER BY number"
    ).map { DeletedInvite(number: $0[0], title: $0[1], by: try displayName(of: $0[2])) }
  }

  func noteDeleted(_ number: Int) throws {
    try db.execute(sql: "UPDATE invites SET state = 'declined', closed = 1 WHERE number = ?", arguments: [number])
  }

  /// What was accepted on this device and of which nothing was read yet, by the numbers of the invitations.
  func acceptedUnread() throws -> [Int: BranchID] {
    let rows = try Row.fetchAll(
      db,
      sql: """
        SELECT i.number, b.id FROM invites i JOIN branches b ON b.cloud_id = i.branch
        WHERE i.state = 'accepted' AND i.kind = 'list' AND b.line = 0
        """)
    return Dictionary(rows.map { ($0[0], $0[1]) }) { first, _ in first }
  }

  /// Lets go of those that turned out to be ended. Returns whether there were any.
  func letGoOfDeleted(_ accepted: [Int: BranchID]) throws -> Bool {
    var found = false
    for (number, branch) in accepted.sorted(by: { $0.key < $1.key }) where try isDeleted(branch, number) {
      found = true
      try noteDeleted(number)
      if let pointer = try children(of: trunk(.home).id).first(where: { $0.pointer == branch }) {
        try letGo(of: pointer)
      }
    }
    return found
  }

  /// By its last record, or, where that cannot be read, by the word of whoever owned it by what the invitation says, or because their
  /// account is gone: a branch that they had handed over by then is still read.
  private func isDeleted(_ branch: BranchID, _ number: Int) throws -> Bool {
    if try isClosed(branch) { return true }
    guard try removal(from: branch) != nil else { return false }
    let said = try Int.fetchOne(
      db,
      sql: """
        SELECT 1 FROM withdrawn w JOIN invites i ON i.branch = w.branch AND coalesce(i.owner, i.sender) = w.sender
        WHERE i.number = ? AND w.closed = 1
        """, arguments: [number])
    if said != nil { return true }
    let owner = try UserID.fetchOne(
      db, sql: "SELECT coalesce(owner, sender) FROM invites WHERE number = ?", arguments: [number])
    return try owner.map { try hasDeletedAccount($0) } ?? false
  }
}
