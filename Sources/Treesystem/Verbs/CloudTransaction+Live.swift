public import CloudAPI
import GRDB

extension CloudTransaction {
  /// Whether a branch was read up to its head once, or made here: then what comes is new, and not only new to this device.
  public func isCaughtUp(_ branch: BranchID) throws -> Bool {
    let statement = try db.cachedStatement(sql: "SELECT 1 FROM caught_up WHERE branch = ?")
    return try Int.fetchOne(statement, arguments: [branch]) != nil
  }

  func setCaughtUp(_ branch: BranchID) throws {
    if try isCaughtUp(branch) { return }
    try db.execute(sql: "INSERT INTO caught_up (branch) VALUES (?)", arguments: [branch])
  }

  /// Whether a branch that is followed here has lines that were not read.
  public func isBehind(_ event: BranchEvent) throws -> Bool {
    let line = try Int64.fetchOne(db, sql: "SELECT line FROM branches WHERE cloud_id = ?", arguments: [event.branch])
    return line.map { UInt64($0) < event.line } ?? false
  }

  /// Names the latest change that the server has not confirmed; 0 if there is none. A later one has a greater number.
  public func newestChange() throws -> Int64 {
    try Int64.fetchOne(db, sql: "SELECT max(sequence) FROM operations") ?? 0
  }

  /// Whether somebody wants one more sync after the one that is under way.
  public func wantsAnotherSync() throws -> Bool { try Int.fetchOne(db, sql: "SELECT 1 FROM wish") != nil }

  func wantAnotherSync(_ wanted: Bool) throws {
    try db.execute(sql: wanted ? "INSERT OR IGNORE INTO wish (id) VALUES (1)" : "DELETE FROM wish")
  }

  /// Tells the app that this user may not read a branch any more.
  func tellDenied(_ branch: BranchID, _ app: any TreesystemDelegate) throws {
    guard let root = try root(of: branch), root.trunk == nil else { return }
    _ = try app.receive(.denied(root), in: self)
  }

  /// Tells the app that other people may read or write a branch now.
  func tellPermitted(
    _ branch: BranchID, from before: PermissionsBody, to after: PermissionsBody, _ app: any TreesystemDelegate
  ) throws {
    guard let root = try root(of: branch), root.trunk == nil else { return }
    _ = try app.receive(.permitted(root, from: before, to: after), in: self)
  }
}
