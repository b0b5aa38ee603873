import CloudAPI
import Foundation
import GRDB
public import Signing

extension CloudTransaction {
  /// Makes a node and queues its upload. The parent must exist; it may be a pointer, which leads into its branch.
  @discardableResult
  public func createNode(withPath path: Treepath) throws -> Node {
    guard let name = path.components.last, let above = path.parent, let parent = try node(withPath: above) else {
      throw TreeError.noParent
    }
    let target = try parent.pointer.flatMap { try root(of: $0) } ?? parent
    return try createNode(named: name, in: target.id)
  }

  /// Makes a node below a known parent and queues its upload.
  @discardableResult
  public func createNode(named name: String, in parent: NodeID) throws -> Node {
    let node = try insertNode(named: name, in: parent, pointer: nil)
    try queueDataUpload(forNodeID: node.id)
    return node
  }

  /// The same under a cloudID that follows from something every device knows, so that what several of them make is one node.
  @discardableResult
  public func createNode(named name: String, in parent: NodeID, cloudID: CloudID) throws -> Node {
    let node = try insertNode(named: name, in: parent, pointer: nil, cloudID: cloudID)
    try queueDataUpload(forNodeID: node.id)
    return node
  }

  /// Makes the one node of a branch that is named after this user (spec §3.6), and queues its upload.
  @discardableResult
  public func createOwnNode(in root: NodeID) throws -> Node {
    let me = try requireAccount().user
    guard let above = try node(root), above.isBranchRoot, let branch = above.cloudID else { throw TreeError.notABranch }
    let node = try insertNode(
      named: me.description, in: root, pointer: nil, cloudID: CloudID(ownNodeOf: me, in: branch))
    try queueDataUpload(forNodeID: node.id)
    return node
  }

  /// Makes a branch and the pointer where it hangs, and queues both. Returns the branch's root.
  ///
  /// Below somebody's branch it is nested there (spec §3.8): it belongs to that one's owner, has the same members to begin with, and
  /// takes the letter `s` to make.
  public func createBranch(withPath path: Treepath) throws -> Node {
    guard let name = path.components.last, let above = path.parent, let parent = try node(withPath: above) else {
      throw TreeError.noParent
    }
    let target = try parent.pointer.flatMap { try self.root(of: $0) } ?? parent
    let outer = target.trunk == nil ? target.branch : nil
    if let outer { try requireNestable(outer) }
    let cloudID = CloudID.random(entropy)
    let branch = try insertBranch(cloudID, firstPermissions: nil, in: outer)
    try setCaughtUp(branch)
    try db.execute(
      sql: "INSERT INTO nodes (branch, cloud_id, name) VALUES (?, ?, '')", arguments: [branch, cloudID])
    let root = NodeID(rawValue: db.lastInsertedRowID)
    try enqueue(.permit, branch: branch, node: nil, cloudID: cloudID)
    try queueDataUpload(forNodeID: root)
    let pointer = try insertNode(named: name, in: target.id, pointer: branch)
    try queueDataUpload(forNodeID: pointer.id)
    guard let node = try node(root) else { throw TreeError.noSuchNode }
    return node
  }

  /// Whether this user may make a branch below another one, and there is room for it.
  func requireNestable(_ outer: BranchID) throws {
    guard try hasRoom(below: outer, for: 1), try hasRoomToFollow() else { throw TreeError.parentInvalid }
    guard let me = try account()?.user, let permissions = try permissions(of: outer)?.body else { return }
    guard permissions.letters(of: me).isSuperset(of: [.write, .share]), !permissions.isClosed, try !isLeaving(outer)
    else { throw TreeError.notPermitted }
  }

  /// Hangs somebody's branch into this user's tree. The branch is read from the next pull on.
  ///
  /// Where it hangs already and nothing of it was ever believed, it is read as one that begins with this record from now on.
  public func graftNode(
    withLocalPath path: Treepath, remoteCloudID: CloudID, firstPermissions: Hash32, alias: String? = nil
  ) throws -> Node {
    guard let name = path.components.last, let above = path.parent, let parent = try node(withPath: above) else {
      throw TreeError.noParent
    }
    let branch = try branch(remoteCloudID) ?? insertBranch(remoteCloudID, firstPermissions: firstPermissions, in: nil)
    guard try root(of: branch)?.trunk == nil else { throw Refusal.branchMismatch }
    let isOther = try self.firstPermissions(of: branch) != firstPermissions
    if isOther {
      guard try isUnread(branch) else { throw Refusal.firstRecordWrong }
      try setFirstPermissions(firstPermissions, of: branch)
      try setTrouble(nil, of: branch)
    }
    if let pointer = try fetchNode("WHERE n.pointer = ? AND n.branch = ?", [branch, parent.branch]) {
      // This user's other devices are to read it anew, too.
      let isLeft = try leftBranches().contains(branch)
      if isOther || isLeft { try setAlias(alias ?? self.alias(of: pointer), of: pointer) }
      return pointer
    }
    // Somebody may have hung it below a branch that it was not made in: an invitation counts for more.
    if try cursor(of: branch)?.line == 0 { try begin(branch, in: nil) }
    // It could be read before, where somebody had hung it in their own.
    if try !hangs(branch), try trouble(of: branch) == .firstRecordWrong { try setTrouble(nil, of: branch) }
    // Two devices that accept the same invitation make one node.
    let cloudID = try derivationKey(of: parent.branch).map { CloudID(derived: .pointer, remoteCloudID.bytes, by: $0) }
    let pointer = try insertNode(named: name, in: parent.id, pointer: branch, cloudID: cloudID)
    try setAlias(alias, of: pointer)
    return pointer
  }

  /// What this user calls the branch that hangs at a pointer; nil goes back to its owner's name for it.
  ///
  /// A name that was given stays where another device of theirs sent another one first; one that the program found does not.
  public func setAlias(_ alias: String?, of pointer: Node, isGiven: Bool = true) throws {
    try db.execute(
      sql: "UPDATE nodes SET alias = ?1, placed = iif(?1 IS NOT NULL AND ?2, 1, placed) WHERE id = ?3",
      arguments: [alias, isGiven, pointer.id])
    try queueDataUpload(forNodeID: pointer.id)
  }

  /// What this user calls the branch that hangs at a pointer, if they gave it a name of their own.
  public func alias(of pointer: Node) throws -> String? {
    let statement = try db.cachedStatement(sql: "SELECT alias FROM nodes WHERE id = ?")
    return try String.fetchOne(statement, arguments: [pointer.id])
  }

  /// Puts the branch that hangs at a pointer into this user's trash, or takes it out. What that means is the app's.
  /// - Parameters:
  ///   - time: in milliseconds since 1970; nil takes it out.
  ///   - pointer: the node at which it hangs.
  public func setTrashed(_ time: Int64?, _ pointer: Node) throws {
    try db.execute(
      sql: "UPDATE nodes SET trashed_at = ?, placed = 1 WHERE id = ?", arguments: [time.map { max($0, 1) }, pointer.id])
    try queueDataUpload(forNodeID: pointer.id)
  }

  /// Since when the branch that hangs at a pointer is in this user's trash, in milliseconds since 1970.
  public func trashedAt(of pointer: Node) throws -> Int64? {
    try Int64.fetchOne(
      db.cachedStatement(sql: "SELECT trashed_at FROM nodes WHERE id = ?"), arguments: [pointer.id])
  }

  func insertNode(
    named name: String, in parent: NodeID, pointer: BranchID?, cloudID given: CloudID? = nil
  ) throws -> Node {
    guard (1...Limits.nameBytes).contains(name.utf8.count) else { throw TreeError.nameInvalid }
    guard let above = try node(parent) else { throw TreeError.noParent }
    guard try child(named: name, of: parent) == nil else { throw TreeError.nameTaken }
    // An id that follows from something may have been taken by whoever knows from what.
    if let given, try node(given, in: above.branch) != nil { throw TreeError.nameTaken }
    let statement = try db.cachedStatement(
      sql: "INSERT INTO nodes (branch, parent, cloud_id, name, pointer) VALUES (?, ?, ?, ?, ?)")
    let cloudID = given ?? CloudID.random(entropy)
    try statement.execute(arguments: [above.branch, parent, cloudID, name, pointer])
    return Node(
      id: NodeID(rawValue: db.lastInsertedRowID), branch: above.branch, parent: parent, name: name, cloudID: cloudID,
      trunk: above.trunk, author: nil, pointer: pointer)
  }
}
