public import CloudAPI
import Foundation
import GRDB
public import Signing

extension CloudTransaction {
  private static let columns = """
    SELECT n.id, n.branch, n.parent, n.name, coalesce(n.cloud_id, iif(n.parent IS NULL, b.cloud_id, NULL)) AS cloud_id,
      b.trunk, n.author, n.pointer
    FROM nodes n JOIN branches b ON b.id = n.branch
    """

  /// The node, if it exists.
  public func node(_ id: NodeID) throws -> Node? { try fetchNode("WHERE n.id = ?", [id]) }

  /// The node of a branch with this cloudID.
  public func node(_ cloudID: CloudID, in branch: BranchID) throws -> Node? {
    if let node = try fetchNode("WHERE n.branch = ? AND n.cloud_id = ?", [branch, cloudID]) { return node }
    // A root of which nobody has a header here yet.
    return try root(of: branch).flatMap { $0.cloudID == cloudID ? $0 : nil }
  }

  /// The root of a branch.
  public func root(of branch: BranchID) throws -> Node? {
    try fetchNode("WHERE n.branch = ? AND n.parent IS NULL", [branch])
  }

  /// The child of this name.
  public func child(named name: String, of parent: NodeID) throws -> Node? {
    try fetchNode("WHERE n.parent = ? AND n.name = ?", [parent, name])
  }

  /// The children, by name.
  public func children(of parent: NodeID) throws -> [Node] {
    let sql = Self.columns + " WHERE n.parent = ? ORDER BY n.name"
    return try Row.fetchAll(db, sql: sql, arguments: [parent]).map(Self.node)
  }

  /// The root of a trunk.
  public func trunk(_ trunk: Trunk) throws -> Node {
    guard let node = try fetchNode("WHERE b.trunk = ? AND n.parent IS NULL", [trunk.rawValue]) else {
      throw TreeError.noSuchNode
    }
    return node
  }

  /// Follows a path; a pointer on the way leads into its branch.
  public func node(withPath path: Treepath) throws -> Node? {
    var node = try trunk(path.trunk)
    for name in path.components {
      if let branch = node.pointer, let target = try root(of: branch) { node = target }
      guard let child = try child(named: name, of: node.id) else { return nil }
      node = child
    }
    return node
  }

  /// Where a branch hangs in this user's tree: in a trunk, if it hangs in several places.
  public func pointer(to root: NodeID) throws -> Node? {
    guard let node = try node(root) else { return nil }
    return try fetchNode("WHERE n.pointer = ? ORDER BY b.trunk IS NULL, n.id LIMIT 1", [node.branch])
  }

  func fetchNode(_ condition: String, _ arguments: StatementArguments) throws -> Node? {
    let statement = try db.cachedStatement(sql: "\(Self.columns) \(condition)")
    return try Row.fetchOne(statement, arguments: arguments).map(Self.node)
  }

  private static func node(_ row: Row) -> Node {
    Node(
      id: row[0], branch: row[1], parent: row[2], name: row[3], cloudID: row[4],
      trunk: (row[5] as String?).flatMap { Trunk(rawValue: $0) }, author: row[6], pointer: row[7])
  }
}
