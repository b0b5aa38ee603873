import CloudAPI
import GRDB
import Sharing
import Signing
public import Treesystem

extension CloudTransaction {
  /// This person's lists: those that were moved in their order, then the others by name.
  public func lists() throws -> [TodoList] {
    let statement = try db.cachedStatement(
      sql: """
        SELECT l.node, n.branch, l.title, l.created_at, l.archived, l.place FROM lists l JOIN nodes n ON n.id = l.node
        WHERE NOT l.deleted ORDER BY l.created_at, n.cloud_id, l.node
        """)
    let me = try account()?.user
    let rows = try Row.fetchAll(statement).compactMap { row -> (row: Row, source: ListNames.Source, owner: UserID?)? in
      // What hangs nowhere in home is no list of this person's.
      guard let pointer = try pointer(to: row[0]), pointer.trunk == .home else { return nil }
      let owner = try permissions(of: row[1])?.body.owner
      let handle = owner == me ? nil : try owner.map { try displayName(of: $0) }
      let base = try alias(of: pointer) ?? row[2]
      return (row, ListNames.Source(base: base, owner: handle), owner)
    }
    let names = ListNames.unique(rows.map(\.source))
    return try zip(rows, names).map { found, name in
      let node: NodeID = found.row[0]
      guard let cloudID = try self.node(node)?.cloudID else { throw TreeError.noSuchNode }
      return TodoList(
        node: node, branch: found.row[1], id: TodoID(cloudID).text, title: found.row[2], name: name,
        createdAt: found.row[3], owner: found.owner, isArchived: found.row[4],
        place: (found.row[5] as String?).map(OrderKey.init(column:)))
    }.sorted { order($0) < order($1) }
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
