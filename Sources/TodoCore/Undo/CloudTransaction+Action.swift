import CloudAPI
import Foundation
import GRDB
public import Treesystem

/// One thing that an action did.
enum ActionStep: String {
  case added
  case changed
  /// Hung elsewhere.
  case moved
  case commented
}

/// What an action did for good, so that it cannot be taken back.
public enum ActionEnd: String, Error {
  case trashEmptied
  case listRemoved
  case listKept
}

extension CloudTransaction {
  /// How many actions can be taken back.
  static var actionLimit: Int64 { 100 }

  /// Everything that `body` does to todos and lists is one action, which `undo` takes back as one.
  public func asAction<Result>(_ body: () throws -> Result) throws -> Result {
    try db.cachedStatement(sql: "INSERT INTO actions (time) VALUES (?)").execute(arguments: [clock.now()])
    let action = db.lastInsertedRowID
    let result = try body()
    let isUsed = try Bool.fetchOne(
      db.cachedStatement(
        sql: """
          SELECT what_ended IS NOT NULL OR removed_list IS NOT NULL OR EXISTS (SELECT 1 FROM action_steps WHERE action = actions.id)
          FROM actions WHERE id = ?
          """), arguments: [action])
    if isUsed == true {
      try db.cachedStatement(sql: "UPDATE actions SET is_open = 0 WHERE id = ?").execute(arguments: [action])
      try db.cachedStatement(sql: "DELETE FROM actions WHERE id <= ?").execute(arguments: [action - Self.actionLimit])
    } else {
      try db.cachedStatement(sql: "DELETE FROM actions WHERE id = ?").execute(arguments: [action])
    }
    return result
  }

  /// Remembers a step of the action that runs; outside of one nothing.
  func remember(_ step: ActionStep, _ node: NodeID, origin: NodeID? = nil) throws {
    try db.cachedStatement(
      sql: """
        INSERT OR IGNORE INTO action_steps (action, node, kind, origin)
        SELECT id, ?, ?, ? FROM actions WHERE is_open = 1
        """
    ).execute(arguments: [node, step.rawValue, origin])
  }

  /// Remembers that the action that runs did something for good; outside of one nothing.
  func noteEnd(_ end: ActionEnd) throws {
    try db.execute(sql: "UPDATE actions SET what_ended = ? WHERE is_open = 1", arguments: [end.rawValue])
  }

  /// Remembers that the action that runs removes a list with nothing on it, which can be made again, and what came from there. Called before
  /// it goes.
  func noteRemoved(_ list: TodoList) throws {
    try db.execute(sql: "UPDATE actions SET removed_list = ? WHERE is_open = 1", arguments: [list.name])
    try db.execute(
      sql: """
        UPDATE action_steps SET removed_by = (SELECT id FROM actions WHERE is_open = 1) WHERE origin = ?
        """, arguments: [list.node])
  }

  /// Follows a document whose writes were given to another replica.
  func restampSteps(of node: NodeID, _ old: Replica, after time: UInt64, as new: Replica) throws {
    try changeSteps(of: node) { $0.restamp(old, after: time, as: new) }
  }

  /// Follows a document in which writes of a replica have got other times.
  func restampSteps(of node: NodeID, _ replica: Replica, _ times: [UInt64: UInt64]) throws {
    if !times.isEmpty { try changeSteps(of: node) { $0.restamp(replica, times) } }
  }

  private func changeSteps(of node: NodeID, _ change: (inout Document) -> Void) throws {
    let steps = try Row.fetchAll(
      db, sql: "SELECT id, before, after FROM action_steps WHERE node = ? AND kind = 'changed'", arguments: [node])
    for step in steps {
      var (before, after) = (try Document(bytes: Array(step[1] as Data)), try Document(bytes: Array(step[2] as Data)))
      change(&before)
      change(&after)
      try db.execute(
        sql: "UPDATE action_steps SET before = ?, after = ? WHERE id = ?",
        arguments: [Data(before.bytes), Data(after.bytes), step[0] as Int64])
    }
  }

  /// Remembers that a document was changed; what was changed twice was changed from the first to the last.
  func remember(_ node: NodeID, from before: Document, to after: Document) throws {
    if before == after { return }
    try db.cachedStatement(
      sql: """
        INSERT INTO action_steps (action, node, kind, before, after)
        SELECT id, ?, 'changed', ?, ? FROM actions WHERE is_open = 1
        ON CONFLICT (action, node, kind) DO UPDATE SET after = excluded.after
        """
    ).execute(arguments: [node, Data(before.bytes), Data(after.bytes)])
  }
}
