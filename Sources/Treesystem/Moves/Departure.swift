import CloudAPI
import GRDB
import Signing

/// A node that this profile took out of a branch, while the tombstone that says so is queued.
struct Departure {
  /// The branch that it left.
  let branch: BranchID
  let cloudID: CloudID
  /// The node, wherever it is now.
  let node: NodeID
  /// The tombstone, its own or that of a node above.
  let operation: CloudOperation
  /// Where it hung, and under which name.
  let parent: CloudID?
  let name: String
  /// Whether it holds a change of this profile's that the old branch never had.
  let isEdited: Bool
  /// Whether another device has changed it where it is now.
  let isShared: Bool
  /// Whether the tombstone is its own.
  let isTop: Bool

  /// Whether it holds nothing that the old branch never had.
  var isAsItLeft: Bool { !isEdited && !isShared }
}

extension CloudTransaction {
  func departure(of cloudID: CloudID, in branch: BranchID) throws -> Departure? {
    try departures("d.branch = ? AND d.cloud_id = ?", [branch, cloudID]).first
  }

  /// What a queued tombstone stands for, beside or instead of a plain deletion.
  func departures(of operation: CloudOperation) throws -> [Departure] {
    try departures("d.operation = ?", [operation.sequence])
  }

  /// From where a node went, as long as that is not through.
  func departures(of node: NodeID) throws -> [Departure] { try departures("d.node = ?", [node]) }

  func hasDepartures(from branch: BranchID) throws -> Bool {
    let statement = try db.cachedStatement(sql: "SELECT 1 FROM departures WHERE branch = ? LIMIT 1")
    return try Int.fetchOne(statement, arguments: [branch]) != nil
  }

  /// Those of a node and of everything that hangs below it according to the server, parents first.
  func departures(atOrBelow cloudID: CloudID, in branch: BranchID) throws -> [Departure] {
    let sql = """
      WITH RECURSIVE below (cloud_id, depth) AS (
        VALUES (?2, 0)
        UNION SELECT s.cloud_id, b.depth + 1 FROM node_states s JOIN below b ON s.parent = b.cloud_id
        WHERE s.branch = ?1 AND s.deleted = 0 AND b.depth < \(Limits.depth))
      SELECT d.*, d.cloud_id = o.cloud_id AS top FROM below
      JOIN departures d ON d.branch = ?1 AND d.cloud_id = below.cloud_id
      JOIN operations o ON o.sequence = d.operation
      GROUP BY d.cloud_id ORDER BY min(below.depth)
      """
    return try Row.fetchAll(db, sql: sql, arguments: [branch, cloudID]).map(Self.departure)
  }

  func insertDeparture(
    of cloudID: CloudID, from branch: BranchID, node: NodeID, operation: CloudOperation, parent: CloudID?,
    name: String, isEdited: Bool
  ) throws {
    try db.execute(
      sql: """
        INSERT OR REPLACE INTO departures (branch, cloud_id, node, operation, parent, name, edited)
        VALUES (?, ?, ?, ?, ?, ?, ?)
        """, arguments: [branch, cloudID, node, operation.sequence, parent, name, isEdited])
  }

  func removeDeparture(_ departure: Departure) throws {
    try db.execute(
      sql: "DELETE FROM departures WHERE branch = ? AND cloud_id = ?",
      arguments: [departure.branch, departure.cloudID])
  }

  private func departures(_ condition: String, _ arguments: StatementArguments) throws -> [Departure] {
    let statement = try db.cachedStatement(
      sql: """
        SELECT d.*, d.cloud_id = o.cloud_id AS top FROM departures d JOIN operations o ON o.sequence = d.operation
        WHERE \(condition)
        """)
    return try Row.fetchAll(statement, arguments: arguments).map(Self.departure)
  }

  private static func departure(_ row: Row) -> Departure {
    Departure(
      branch: row["branch"], cloudID: row["cloud_id"], node: row["node"],
      operation: CloudOperation(sequence: row["operation"]), parent: row["parent"], name: row["name"],
      isEdited: row["edited"], isShared: row["shared"], isTop: row["top"])
  }
}
