import CloudAPI
import GRDB
import Signing

/// Making a branch of what is there already (spec §3.9).
extension CloudTransaction {
  /// Makes a node, with everything below it, a branch of its own where it is. Returns the branch's root, which is the same node here.
  ///
  /// It is written anew under the branch's key, and its old place goes with what others write there meanwhile, as in any move to another
  /// branch. A pointer takes its place and its name. In somebody's branch this takes the letter `s`, and the new branch is nested there.
  @discardableResult
  public func makeBranch(_ id: NodeID) throws -> Node {
    guard let node = try settled(id) else { throw TreeError.noSuchNode }
    guard let place = node.parent.flatMap({ try? self.node($0) }), let cloudID = node.cloudID, node.pointer == nil,
      node.trunk == nil || node.trunk == .home
    else { throw TreeError.notMovable }
    guard try mayWrite(node.branch) else { throw TreeError.notPermitted }
    // A branch is named after its root: one of this name is here, or was made of this node once.
    guard try branch(cloudID) == nil else { throw TreeError.alreadyThere }
    let outer = node.trunk == nil ? node.branch : nil
    if let outer { try requireNestable(outer) }
    // What is nested there stays in this branch (spec §3.8).
    guard try subtree(of: node).allSatisfy({ $0.pointer == nil }) else { throw TreeError.notMovable }
    let branch = try insertBranch(cloudID, firstPermissions: nil, in: outer)
    try setCaughtUp(branch)
    try enqueue(.permit, branch: branch, node: nil, cloudID: cloudID)
    try relocate(node, to: branch, below: nil, named: "")
    let pointer = try insertNode(
      named: node.name, in: place.id, pointer: branch, cloudID: madePointer(to: cloudID, in: node.branch))
    try queueDataUpload(forNodeID: pointer.id)
    return try self.node(id) ?? { throw TreeError.noSuchNode }()
  }

  /// Two who make a branch of one node hang it once. No key is in it: another root name key must not make a branch forget what it was made of.
  private func madePointer(to root: CloudID, in branch: BranchID) throws -> CloudID? {
    try cloudID(of: branch).map { CloudID(pointerIn: $0, toMade: root) }
  }

  /// The node whose place a pointer takes, because the branch that hangs there was made of it, while the server still has it there.
  func predecessor(of pointer: Node) throws -> Departure? {
    guard let target = try pointer.pointer.flatMap({ try cloudID(of: $0) }),
      let departure = try departure(of: target, in: pointer.branch), departure.isTop
    else { return nil }
    return departure
  }

  /// A branch that was made of a node, and that the server does not take, is that node again. False: it was made of none.
  func unmake(_ branch: BranchID) throws -> Bool {
    guard let root = try root(of: branch), let cloudID = root.cloudID,
      let pointer = try fetchNode("WHERE n.pointer = ?", [branch]),
      let place = pointer.parent.flatMap({ try? node($0) }),
      let made = try madePointer(to: cloudID, in: pointer.branch), pointer.cloudID == made
    else { return false }
    try db.execute(sql: "UPDATE nodes SET name = ? WHERE id = ?", arguments: [made.description, pointer.id])
    try relocate(root, below: place, named: freeName(pointer.name, for: cloudID, below: place.id))
    try forget(pointer)
    return true
  }

  /// Somebody renamed or hung elsewhere what was made a branch here meanwhile: its pointer follows.
  func followName(_ name: String, of root: Node, below parent: Node?) throws {
    guard let pointer = try fetchNode("WHERE n.pointer = ?", [root.branch]),
      let place = try parent ?? pointer.parent.flatMap({ try node($0) }), place.branch == pointer.branch,
      try !subtree(of: pointer).contains(where: { $0.id == place.id })
    else { return }
    try relocate(pointer, below: place, named: freeName(name, for: pointer.cloudID, below: place.id))
  }
}
