import GRDB
import Signing
import Treesystem

/// Several todos of one name, on different lists or below different todos: whoever may write somewhere names a node as they like.
extension CloudTransaction {
  /// The id by which a todo is called here, and its beginning: its name's where no other todo here has that name, else one of its own.
  func ownID(of node: NodeID, _ id: TodoID, on list: NodeID) throws -> (id: TodoID, short: String) {
    guard try hasTwin(node, id), !Defect.twinForgotten.isPlanted, let branch = try self.node(list)?.cloudID,
      let cloudID = try self.node(node)?.cloudID
    else { return (id, try uniqueBeginning(of: id)) }
    let own = TodoID.derived { digest(.twin, branch.bytes + cloudID.bytes + $0, length: CloudID.length) }
    // More than two of one name are one attack, in which the whole id is not too much to type.
    let short = try uniqueBeginning(of: own)
    return (own, short)
  }

  /// The todos here that have one name with another, in some states.
  func twins(in states: String) throws -> [Todo] {
    try fetchTodos(
      """
      WHERE t.state IN (\(states)) AND t.todo_id IN (
        SELECT todo_id FROM todos WHERE state <> 'other' GROUP BY todo_id HAVING count(*) > 1) ORDER BY t.node
      """, [])
  }

  private func hasTwin(_ node: NodeID, _ id: TodoID) throws -> Bool {
    let statement = try db.cachedStatement(
      sql: "SELECT 1 FROM todos WHERE todo_id = ? AND node <> ? AND state <> 'other' LIMIT 1")
    return try Int.fetchOne(statement, arguments: [id.text, node]) != nil
  }
}
