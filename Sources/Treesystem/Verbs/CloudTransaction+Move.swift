import CloudAPI
import GRDB
import Signing

extension CloudTransaction {
  /// Hangs a node, with everything below it, below another parent, in the same branch or another one.
  ///
  /// The parent may be a pointer, which leads into its branch. Links and tags stay with the node, and so do the app's rows; what
  /// these say of the branch is the app's to change. What a pointer hangs below does not leave its branch. Without a name the node keeps
  /// the one it has. A node, or one below it, whose cloudID belongs to something else in the other branch gets a new one there: two nodes
  /// of one id in two branches are not taken for the same.
  @discardableResult
  public func move(_ id: NodeID, to parent: NodeID, named name: String? = nil) throws -> Node {
    guard let node = try settled(id) else { throw TreeError.noSuchNode }
    guard let given = try self.node(parent) else { throw TreeError.noParent }
    let above = try given.pointer.flatMap { try root(of: $0) } ?? given
    let name = name ?? node.name
    if node.parent == above.id, node.name == name { return node }
    try requireMovable(node, to: above)
    guard (1...Limits.nameBytes).contains(name.utf8.count) else { throw TreeError.nameInvalid }
    guard try child(named: name, of: above.id).map({ $0.id == id }) ?? true else { throw TreeError.nameTaken }
    try requireRoom(for: node, below: above)
    if node.branch != above.branch { try requirePassage(of: node, to: above.branch) }
    try relocate(node, below: above, named: name)
    return try self.node(id) ?? { throw TreeError.noSuchNode }()
  }

  private func requireMovable(_ node: Node, to parent: Node) throws {
    let isMail = [node.trunk, parent.trunk].contains { $0 == .inbox || $0 == .outbox }
    guard !node.isBranchRoot, !isMail else { throw TreeError.notMovable }
  }

  /// Nothing hangs below itself, and nothing deeper than the server takes.
  private func requireRoom(for node: Node, below parent: Node) throws {
    var depth = 0
    var above: Node? = parent
    while let here = above {
      guard here.id != node.id else { throw TreeError.parentInvalid }
      above = try here.parent.flatMap { try self.node($0) }
      depth += 1
    }
    // The root has no level of its own.
    guard try depth - 1 + height(of: node) <= Limits.depth else { throw TreeError.parentInvalid }
  }

  private func height(of node: Node) throws -> Int {
    try 1 + (children(of: node.id).map { try height(of: $0) }.max() ?? 0)
  }

  /// Whether all of it may leave its branch for the other one.
  private func requirePassage(of node: Node, to branch: BranchID) throws {
    guard try mayWrite(node.branch), try mayWrite(branch) else { throw TreeError.notPermitted }
    // What is nested stays in its branch (spec §3.8).
    guard try subtree(of: node).allSatisfy({ $0.pointer == nil }) else { throw TreeError.notMovable }
  }

  /// Whether this user may write in a branch, as far as it was read. What was never sent is theirs; what they are leaving, or
  /// are about to end, is not any more, because nothing would follow them out.
  public func mayWrite(_ branch: BranchID) throws -> Bool {
    guard let me = try account()?.user, let permissions = try permissions(of: branch) else { return true }
    return try permissions.body.letters(of: me).contains(.write) && !permissions.body.isClosed && !isLeaving(branch)
      && !isClosing(branch)
  }
}
