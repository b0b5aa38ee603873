import CloudAPI
import GRDB
public import Treesystem

extension CloudTransaction {
  /// What has come since this was asked last, so that each change is handed out once; the first time nothing.
  public func takeArrivals() throws -> [News] {
    let last = try Int64.fetchOne(db, sql: "SELECT last FROM arrivals")
    let arrived = try last.map { try news(since: $0) } ?? []
    try db.execute(
      sql: "INSERT INTO arrivals (id, last) VALUES (1, ?) ON CONFLICT (id) DO UPDATE SET last = excluded.last",
      arguments: [try lastNews()])
    return arrived
  }
}

extension TodoTables {
  /// Up to which news the hook for arrivals was called.
  static let arrivals = """
    CREATE TABLE arrivals (
      id INTEGER PRIMARY KEY CHECK (id = 1),
      last INTEGER NOT NULL
    ) STRICT;
    """
}
