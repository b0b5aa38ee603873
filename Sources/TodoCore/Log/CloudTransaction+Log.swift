import CloudAPI
import GRDB
public import Treesystem

/// Who did what when: what others did is kept as news, what was done with this profile beside them.
extension CloudTransaction {
  /// How many changes of this person's own are kept: the older ones go.
  static var ownChangesLimit: Int64 { 1000 }
  /// How many more there may be for a while.
  private static var ownChangesRoom: Int64 { 50 }

  private static let changes = """
    SELECT id, time, list, node, author, kind, title, detail, via, 0 AS own FROM news
    UNION ALL SELECT id, time, list, node, (SELECT user FROM account), kind, title, detail, NULL, 1 FROM own_changes
    """

  /// What was done on all lists, or on one, as far as it is kept here; the latest first.
  public func log(of list: NodeID? = nil, limit: Int) throws -> [News] {
    try Row.fetchAll(
      db,
      sql: """
        SELECT * FROM (\(Self.changes)) WHERE ?1 IS NULL OR list = ?1 ORDER BY time DESC, own DESC, id DESC LIMIT ?2
        """, arguments: [list, limit]
    ).map(News.init(logged:))
  }

  /// What was done to one todo, and all that was said about it; the latest first.
  public func log(of todo: Todo, limit: Int) throws -> [News] {
    let changes = try Row.fetchAll(
      db,
      sql: """
        SELECT * FROM (\(Self.changes)) WHERE node = ? AND kind <> ? ORDER BY time DESC, own DESC, id DESC LIMIT ?
        """, arguments: [todo.node, News.Kind.commented.rawValue, limit]
    ).map(News.init(logged:))
    let me = try account()?.user
    let comments = try comments(of: todo).map { comment in
      let author = comment.writer ?? comment.author
      return News(
        id: comment.node.rawValue, time: comment.time, list: todo.list, node: todo.node, author: author ?? me,
        via: comment.via, kind: .commented, title: todo.title, detail: comment.text, isOwn: author == nil)
    }
    return Array((changes + comments.reversed()).sorted { $0.time > $1.time }.prefix(limit))
  }

  /// Keeps what this person did to a todo or list.
  func logOwn(
    of node: NodeID, on list: NodeID, from before: Document, to after: Document, isList: Bool = false
  ) throws {
    for kind in News.Kind.between(before, after, isList) {
      try logOwn(kind, node, on: list, title: after.title, detail: News.detail(of: kind, from: before, to: after))
    }
  }

  func logOwn(
    _ kind: News.Kind, _ node: NodeID, on list: NodeID, title: String, detail: String = ""
  ) throws {
    let statement = try db.cachedStatement(
      sql: "INSERT INTO own_changes (time, list, node, kind, title, detail) VALUES (?, ?, ?, ?, ?, ?)")
    try statement.execute(arguments: [clock.now(), list, node, kind.rawValue, title, detail])
    let last = db.lastInsertedRowID
    // Who adds thousands at once does not wait for each.
    guard last % Self.ownChangesRoom == 0 else { return }
    try db.cachedStatement(sql: "DELETE FROM own_changes WHERE id <= ?").execute(
      arguments: [last - Self.ownChangesLimit])
  }
}

extension News {
  fileprivate init(logged row: Row) {
    self.init(row)
    isOwn = row[9]
  }
}

extension TodoTables {
  /// What was done with this profile: of others it is news, which this person is told of.
  static let ownChanges = """
    CREATE TABLE own_changes (
      id INTEGER PRIMARY KEY AUTOINCREMENT,
      time INTEGER NOT NULL,
      list INTEGER NOT NULL REFERENCES nodes (id) ON DELETE CASCADE,
      node INTEGER REFERENCES nodes (id) ON DELETE SET NULL,
      kind TEXT NOT NULL,
      title TEXT NOT NULL,
      detail TEXT NOT NULL DEFAULT ''
    ) STRICT;
    CREATE INDEX own_changes_of_list ON own_changes (list);
    CREATE INDEX own_changes_of_node ON own_changes (node);
    """
}
