import CloudAPI
import GRDB
public import Signing
public import Treesystem

extension CloudTransaction {
  /// Remembers a person at first contact. What a handle means here never changes afterwards by a server's word.
  @discardableResult
  public func pin(_ user: UserID) throws -> Person? {
    if let known = try person(user) { return known }
    guard let handle = try keyring(user)?.handle else { return nil }
    try db.execute(
      sql: "INSERT INTO people (user, handle, first_seen) VALUES (?, ?, ?)", arguments: [user, handle, clock.now()])
    return try person(user)
  }

  /// The person with this userID, if they were met.
  public func person(_ user: UserID) throws -> Person? {
    let statement = try db.cachedStatement(sql: "\(Self.personColumns) WHERE p.user = ?")
    return try Row.fetchOne(statement, arguments: [user]).map(person)
  }

  /// The person that a handle means here: the first who was met under it.
  public func person(handle: String) throws -> Person? {
    try Row.fetchOne(
      db, sql: "\(Self.personColumns) WHERE p.handle = ? ORDER BY p.superseded, p.first_seen, p.rowid LIMIT 1",
      arguments: [handle]
    ).map(person)
  }

  /// Everybody else who was met, by handle. Whoever reads their own change back meets themselves.
  public func people() throws -> [Person] {
    try Row.fetchAll(
      db, sql: "\(Self.personColumns) WHERE p.user NOT IN (SELECT user FROM account) ORDER BY p.handle, p.first_seen"
    ).map(person)
  }

  /// Whether somebody's account is no more, as far as their keyring was read.
  public func hasDeletedAccount(_ user: UserID) throws -> Bool { try keyring(user)?.deleted != nil }

  /// How to show a user: a pinned name, their keyring's, or the beginning of the userID.
  public func displayName(of user: UserID) throws -> String {
    if let person = try person(user) { return person.display }
    return try keyring(user)?.handle ?? String(user.description.prefix(8))
  }

  /// From now on a handle means this person here, who was verified under it.
  func takeForHandle(_ user: UserID) throws {
    try db.execute(
      sql: """
        UPDATE people SET superseded = user <> ?1 WHERE handle = (SELECT handle FROM people WHERE user = ?1)
        """, arguments: [user])
  }

  private static let personColumns = """
    SELECT p.user, p.handle, p.superseded OR EXISTS (SELECT 1 FROM people o WHERE o.handle = p.handle
      AND NOT o.superseded AND o.rowid < p.rowid) FROM people p
    """

  private func person(_ row: Row) throws -> Person {
    let user: UserID = row[0]
    let handle: String = row[1]
    return Person(
      user: user, handle: handle, display: row[2] ? "\(handle)~\(user.description.prefix(4))" : handle,
      regard: try regard(for: user))
  }
}
