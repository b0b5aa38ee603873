import CloudAPI
import Foundation
import GRDB
import Sharing
import Signing
public import Treesystem

extension CloudTransaction {
  /// This person's lists: those that were moved in their order, then the others by name.
  public func lists() throws -> [TodoList] {
    try shownLists().map { shown in
      let row = shown.row
      guard let cloudID = CloudID(bytes: Array(row[8] as Data)) else { throw TreeError.noSuchNode }
      return TodoList(
        node: row[0], branch: row[1], id: TodoID(cloudID).text, title: row[2], name: shown.name,
        createdAt: row[3], owner: shown.owner, isArchived: row[4],
        place: (row[5] as String?).map(OrderKey.init(column:)))
    }.sorted { order($0) < order($1) }
  }

  /// Remembers what each list is called here, before anything changes: another one that comes or goes does not change that.
  func keepNames() throws {
    for shown in try shownLists() where shown.source.kept != shown.name {
      let node: NodeID = shown.row[0]
      try db.execute(
        sql: "UPDATE lists SET shown_for = ?, shown_name = ? WHERE node = ?",
        arguments: [shown.source.base, shown.name, node])
    }
  }

  /// Lets lists have the names that they would have if they had come now: one, or all.
  func forgetNames(of node: NodeID? = nil) throws {
    try db.execute(
      sql: "UPDATE lists SET shown_for = NULL, shown_name = NULL WHERE node = coalesce(?, node)", arguments: [node])
  }

  /// What hangs nowhere in home is no list of this person's.
  private func shownLists() throws -> [(row: Row, source: ListNames.Source, owner: UserID?, name: String)] {
    let statement = try db.cachedStatement(
      sql: """
        SELECT l.node, n.branch, l.title, l.created_at, l.archived, l.place, l.shown_for, l.shown_name, n.cloud_id, p.alias,
          EXISTS (SELECT 1 FROM permissions r WHERE r.branch = n.branch)
        FROM lists l JOIN nodes n ON n.id = l.node
        JOIN nodes p ON p.id = (SELECT q.id FROM nodes q JOIN branches b ON b.id = q.branch
          WHERE q.pointer = n.branch ORDER BY b.trunk IS NULL, q.id LIMIT 1)
        JOIN branches h ON h.id = p.branch
        WHERE NOT l.deleted AND h.trunk = 'home' ORDER BY l.created_at, n.cloud_id, l.node
        """)
    let me = try account()?.user
    // One query for all of them: nearly every command asks, and somebody may have hundreds.
    let rows = try Row.fetchAll(statement).map { row -> (row: Row, source: ListNames.Source, owner: UserID?) in
      let owner = row[10] ? try permissions(of: row[1])?.body.owner : nil
      let handle = owner == me ? nil : try owner.map { try displayName(of: $0) }
      let alias: String? = row[9]
      let base = alias ?? row[2]
      let kept = (row[6] as String?) == base ? row[7] as String? : nil
      return (row, ListNames.Source(base: base, owner: handle, kept: kept, isChosen: alias != nil), owner)
    }
    return zip(rows, ListNames.unique(rows.map(\.source))).map { ($0.row, $0.source, $0.owner, $1) }
  }

  /// Beyond every order key stands what has none.
  private func order(_ list: TodoList) -> (String, String, String) {
    (list.place?.text ?? "~", folded(list.name), list.id)
  }

  /// Whether this person may change what is on a list. Without an account everything here is theirs.
  public func mayWrite(_ list: NodeID) throws -> Bool {
    try node(list).map { try mayWrite($0.branch) } ?? true
  }

  /// The list with this root.
  public func list(_ node: NodeID) throws -> TodoList? { try lists().first { $0.node == node } }
}
