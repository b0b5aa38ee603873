import GRDB
import Signing
public import Treesystem

/// How much of the news this person has met.
public enum NewsState: Int64, Sendable {
  case new = 0
  /// One line said that there is some.
  case noticed = 1
  case seen = 2
}

extension CloudTransaction {
  /// How many of one kind are kept that one person did on one list: the older ones go, once in so many.
  static var newsLimit: Int64 { 300 }
  private static var newsRounds: Int64 { 100 }

  /// What has come after an id, oldest first.
  public func news(since id: Int64) throws -> [News] { try fetchNews("id > ?", [id]) }

  /// What others did and this person has not met yet in this way, oldest first.
  public func news(below state: NewsState) throws -> [News] {
    guard let me = try account()?.user else { return [] }
    return try fetchNews(
      "state < ?1 AND state < 2 AND (author IS NOT ?2 OR via IS NOT NULL AND via <> ?2)", [state.rawValue, me])
  }

  /// The id of the latest; 0 if there never was any.
  public func lastNews() throws -> Int64 { try Int64.fetchOne(db, sql: "SELECT max(id) FROM news") ?? 0 }

  /// Remembers that this person has met news.
  public func mark(_ news: [News], as state: NewsState) throws {
    let statement = try db.cachedStatement(sql: "UPDATE news SET state = max(state, ?) WHERE id = ?")
    for item in news { try statement.execute(arguments: [state.rawValue, item.id]) }
  }

  private func fetchNews(_ condition: String, _ arguments: StatementArguments) throws -> [News] {
    let statement = try db.cachedStatement(
      sql: "SELECT id, time, list, node, author, kind, title, detail, via FROM news WHERE \(condition) ORDER BY id")
    return try Row.fetchAll(statement, arguments: arguments).map(News.init)
  }

  func addNews(
    _ kind: News.Kind, _ node: NodeID?, on list: NodeID, by deed: Deed, at time: Int64, title: String,
    detail: String = ""
  ) throws {
    let statement = try db.cachedStatement(
      sql: "INSERT INTO news (time, list, node, author, kind, title, detail, via) VALUES (?, ?, ?, ?, ?, ?, ?, ?)")
    try statement.execute(arguments: [time, list, node, deed.user, kind.rawValue, title, detail, deed.via])
    if db.lastInsertedRowID % Self.newsRounds == 0 { try forgetNews() }
  }

  /// Whoever makes much pushes out what is theirs and of that kind, and nobody who came or went before that was seen.
  private func forgetNews() throws {
    try db.execute(
      sql: """
        DELETE FROM news WHERE id IN (
          SELECT id FROM (
            SELECT id, row_number() OVER (PARTITION BY list, kind, author, via ORDER BY id DESC) AS place FROM news
            WHERE state = 2 OR kind NOT IN ('joined', 'left', 'unshared', 'role-changed', 'handed-over', 'closed'))
          WHERE place > ?)
        """, arguments: [Self.newsLimit])
  }
}

extension News {
  init(_ row: Row) {
    self.init(
      id: row[0], time: row[1], list: row[2], node: row[3], author: row[4], via: row[8],
      kind: Kind(rawValue: row[5]) ?? .edited, title: row[6], detail: row[7])
  }
}
