import GRDB

extension Statement {
  /// The steps of a query plan, in SQLite's words.
  func fetchedDetails() throws -> [String] {
    try Row.fetchAll(self).map { $0["detail"] }
  }
}
