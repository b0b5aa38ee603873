package import GRDB

// Preparing a statement costs more than running it. These stand before GRDB's functions of the same names and keep what they
// prepared with the connection; several statements at once, without arguments, are GRDB's as before.

extension Row {
  package static func fetchOne(_ db: Database, sql: String, arguments: StatementArguments) throws -> Row? {
    try fetchOne(db.cachedStatement(sql: sql), arguments: arguments)
  }

  package static func fetchAll(_ db: Database, sql: String, arguments: StatementArguments) throws -> [Row] {
    try fetchAll(db.cachedStatement(sql: sql), arguments: arguments)
  }

  package static func fetchOne(_ db: Database, sql: String) throws -> Row? {
    try fetchOne(db.cachedStatement(sql: sql))
  }

  package static func fetchAll(_ db: Database, sql: String) throws -> [Row] {
    try fetchAll(db.cachedStatement(sql: sql))
  }
}

extension DatabaseValueConvertible {
  package static func fetchOne(_ db: Database, sql: String, arguments: StatementArguments) throws -> Self? {
    try fetchOne(db.cachedStatement(sql: sql), arguments: arguments)
  }

  package static func fetchAll(_ db: Database, sql: String, arguments: StatementArguments) throws -> [Self] {
    try fetchAll(db.cachedStatement(sql: sql), arguments: arguments)
  }

  package static func fetchOne(_ db: Database, sql: String) throws -> Self? {
    try fetchOne(db.cachedStatement(sql: sql))
  }

  package static func fetchAll(_ db: Database, sql: String) throws -> [Self] {
    try fetchAll(db.cachedStatement(sql: sql))
  }
}

extension DatabaseValueConvertible where Self: StatementColumnConvertible {
  package static func fetchOne(_ db: Database, sql: String, arguments: StatementArguments) throws -> Self? {
    try fetchOne(db.cachedStatement(sql: sql), arguments: arguments)
  }

  package static func fetchAll(_ db: Database, sql: String, arguments: StatementArguments) throws -> [Self] {
    try fetchAll(db.cachedStatement(sql: sql), arguments: arguments)
  }

  package static func fetchOne(_ db: Database, sql: String) throws -> Self? {
    try fetchOne(db.cachedStatement(sql: sql))
  }

  package static func fetchAll(_ db: Database, sql: String) throws -> [Self] {
    try fetchAll(db.cachedStatement(sql: sql))
  }
}

extension Database {
  /// One statement or several, run once.
  func execute(sql: String) throws { try execute(literal: SQL(sql: sql)) }

  func execute(sql: String, arguments: StatementArguments) throws {
    try cachedStatement(sql: sql).execute(arguments: arguments)
  }

  /// Within a transaction, runs what may be taken back alone: if it throws or says so.
  func inSavepoint(_ operations: () throws -> TransactionCompletion) throws {
    try cachedStatement(sql: "SAVEPOINT part").execute()
    do {
      if try operations() == .rollback { try cachedStatement(sql: "ROLLBACK TO part").execute() }
    } catch {
      // What went wrong first is what counts, and after some errors there is no transaction left.
      if (try? cachedStatement(sql: "ROLLBACK TO part").execute()) != nil {
        try? cachedStatement(sql: "RELEASE part").execute()
      }
      throw error
    }
    try cachedStatement(sql: "RELEASE part").execute()
  }
}
