import CloudAPI
import Foundation
import GRDB
import Signing

/// One transaction on the database. Its verbs stand in extensions: accounts, branches, nodes, contents.
struct SQLiteTransaction: CloudStorageTransaction {
  let db: Database
  let meter: WorkMeter
  let unsettled = UnsettledNodes()

  func attempt<T>(_ body: () throws -> T) throws -> T {
    // GRDB's own savepoint prepares its statements anew each time.
    try run("SAVEPOINT part", [])
    let (waiting, moves) = (unsettled.nodes, unsettled.moves)
    let result: T
    do {
      result = try body()
    } catch {
      // What was settled in it is taken back as well, and what was moved.
      unsettled.nodes.formUnion(waiting)
      if unsettled.moves != moves { unsettled.noteMove() }
      // What went wrong first is what counts, and after some errors there is no transaction left.
      if (try? run("ROLLBACK TO part", [])) != nil { try? run("RELEASE part", []) }
      throw error
    }
    try run("RELEASE part", [])
    return result
  }

  func allow(_ budget: Work) { meter.allow(budget) }

  func run(_ sql: String, _ arguments: StatementArguments) throws {
    try meter.count(statements: 1)
    let before = db.totalChangesCount
    try db.cachedStatement(sql: sql).execute(arguments: arguments)
    try meter.count(rows: db.totalChangesCount - before)
  }

  func row(_ sql: String, _ arguments: StatementArguments) throws -> Row? {
    try meter.count(statements: 1)
    guard let row = try Row.fetchOne(db.cachedStatement(sql: sql), arguments: arguments) else { return nil }
    try meter.count(rows: 1)
    return row
  }

  /// One by one, so that no more are in memory than may be read.
  func rows(_ sql: String, _ arguments: StatementArguments) throws -> [Row] {
    try meter.count(statements: 1)
    var rows: [Row] = []
    let cursor = try Row.fetchCursor(db.cachedStatement(sql: sql), arguments: arguments)
    while let row = try cursor.next() {
      try meter.count(rows: 1)
      rows.append(row.copy())
    }
    return rows
  }

  /// The record in a row.
  func record(_ row: Row) throws -> SignedRecord {
    let record = try row.record()
    try meter.count(bytes: record.body.count)
    return record
  }
}

extension FixedBytes {
  /// As a column has it.
  var blob: Data { Data(bytes) }
}

extension Row {
  /// An id or hash that the schema holds to its length.
  func fixed<Value: FixedBytes>(_ column: String) throws -> Value {
    guard let bytes: Data = self[column], let value = Value(bytes: bytes) else { throw StorageFailure.damaged }
    return value
  }

  func optional<Value: FixedBytes>(_ column: String) throws -> Value? {
    guard let bytes: Data = self[column] else { return nil }
    guard let value = Value(bytes: bytes) else { throw StorageFailure.damaged }
    return value
  }

  fileprivate func record() throws -> SignedRecord {
    guard let bytes: Data = self["record"], let record = try? SignedRecord(encoded: Array(bytes)) else {
      throw StorageFailure.damaged
    }
    return record
  }

  func number(_ column: String) throws -> UInt64 {
    guard let value: Int64 = self[column], value >= 0 else { throw StorageFailure.damaged }
    return UInt64(value)
  }
}

extension SQLiteTransaction {
  /// A line number as a column has it; nil for one that no log reaches.
  static func column(_ number: UInt64) -> Int64? { Int64(exactly: number) }
}
