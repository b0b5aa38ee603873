import GRDB
public import Treesystem

extension CloudTransaction {
  /// The todos that are parts of another one, in order; those in the trash are left out.
  public func parts(of todo: Todo) throws -> [Todo] {
    try children(todo.node).filter { $0.state != .trash }
  }

  /// The same with the parts of parts, and with those in the trash.
  public func allParts(of todo: Todo) throws -> [Todo] {
    try children(todo.node).flatMap { [$0] + (try allParts(of: $0)) }
  }

  /// An open todo of a list with this title.
  public func open(titled title: String, in list: NodeID) throws -> Todo? {
    try todos(titled: title, .open, in: list).first
  }

  private func children(_ node: NodeID) throws -> [Todo] {
    try fetchOrdered("WHERE n.parent = ? AND t.state <> 'other'", [node])
  }
}
