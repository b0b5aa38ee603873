import CloudAPI
import Foundation
import GRDB
import Sealing
import Signing

/// Takes in what others wrote of nodes that left a branch here, while the tombstone that says so is not through (spec §5.7):
/// none of it may be lost.
struct DepartureReader {
  let transaction: CloudTransaction
  let delegate: any TreesystemDelegate

  /// Returns whether the row was one of such a node, or of one below it.
  func take(_ opened: OpenedNode, in branch: BranchID) throws -> Bool {
    let own = try ownDeparture(of: opened, in: branch)
    let above = try opened.header.parent.flatMap { try transaction.departure(of: $0, in: branch) }
    guard let departure = own ?? above else { return false }
    // It stays where it was for everybody else, and what they write there is none of what this user has elsewhere.
    if try mayNotLeave(departure) { return true }
    if let own, try isLeft(branch) {
      // With the branch went the keys to its names, and what was written there counts all the same.
      try delegate.carry(opened.content, by: opened.header.author, into: own.node, in: transaction)
      return true
    }
    try opened.checkName(parentKey: parentKey(of: opened.header, above, in: branch))
    if let own {
      try update(own, by: opened, above)
    } else if let above {
      try bring(opened, below: above)
    }
    return true
  }

  /// What left under the id of a row. A node keeps its name key wherever it goes: what was put since under its id with another one is not this
  /// node, which has left already.
  private func ownDeparture(of opened: OpenedNode, in branch: BranchID) throws -> Departure? {
    guard let own = try transaction.departure(of: opened.header.cloudID, in: branch) else { return nil }
    let nameKey = try transaction.nameKey(of: own.node)
    if nameKey == nil || nameKey == Data(opened.metadata.nameKey) { return own }
    let isSealed = try transaction.queued(own.operation.sequence)?.state == .sealed
    if own.isTop, isSealed { return own }
    try transaction.removeDeparture(own)
    if own.isTop { try transaction.cancelTombstone(own.operation, in: branch) }
    // Nor is what somebody puts under its id where it goes.
    if let node = try transaction.node(own.node) { try transaction.makeRoomAhead(for: node) }
    return nil
  }

  /// Whether the server refused the tombstone, as this user may not write in the old branch any more.
  private func mayNotLeave(_ departure: Departure) throws -> Bool {
    guard let operation = try transaction.queued(departure.operation.sequence) else { return false }
    return operation.state == .refused && operation.reason == .letterMissing
  }

  /// Whether this user took the branch off their tree, and it is here only for what is queued.
  private func isLeft(_ branch: BranchID) throws -> Bool { try transaction.root(of: branch) == nil }

  private func parentKey(of header: HeaderBody, _ above: Departure?, in branch: BranchID) throws -> SecretBytes? {
    let parent = try above?.node ?? header.parent.flatMap { try transaction.node($0, in: branch)?.id }
    guard let parent else { throw Refusal.parentWrong }
    return try Data.fetchOne(transaction.db, sql: "SELECT name_key FROM nodes WHERE id = ?", arguments: [parent])
      .map { SecretBytes(column: $0) }
  }

  /// A new version of a node that left.
  private func update(_ own: Departure, by opened: OpenedNode, _ above: Departure?) throws {
    let header = opened.header
    // First, because the app goes by it: as something else the node takes nothing in.
    try followName(of: own, opened)
    try delegate.carry(opened.content, by: header.author, into: own.node, in: transaction)
    try transaction.db.execute(
      sql: "UPDATE departures SET parent = ?, name = ? WHERE branch = ? AND cloud_id = ?",
      arguments: [header.parent, opened.metadata.name, own.branch, own.cloudID])
    guard let node = try transaction.node(own.node) else { return }
    if node.isBranchRoot {
      let parent = try header.parent.flatMap { try transaction.node($0, in: own.branch) }
      guard opened.metadata.name != own.name || header.parent != own.parent else { return }
      return try transaction.followName(
        opened.metadata.name, of: node, below: header.parent == own.parent ? nil : parent)
    }
    // Where the whole went is this user's word, and the last one.
    guard !own.isTop, header.parent != own.parent else { return }
    let parent = try above?.node ?? header.parent.flatMap { try transaction.node($0, in: own.branch)?.id }
    if let parent { try follow(node, to: parent) }
  }

  private func followName(of own: Departure, _ opened: OpenedNode) throws {
    guard let node = try transaction.node(own.node), !node.isBranchRoot, let parent = node.parent,
      opened.metadata.name != own.name
    else { return }
    let name = try transaction.freeName(opened.metadata.name, for: node.cloudID, below: parent)
    try transaction.rename(node, to: name, telling: delegate)
    try transaction.queueUpload(of: node.id)
  }

  /// Somebody hung a node elsewhere below, or out of what left.
  private func follow(_ node: Node, to parent: NodeID) throws {
    guard let parent = try transaction.node(parent), parent.id != node.parent,
      try !transaction.subtree(of: node).contains(where: { $0.id == parent.id })
    else { return }
    let name = try transaction.freeName(node.name, for: node.cloudID, below: parent.id)
    try transaction.relocate(node, below: parent, named: name)
    if let from = node.parent { try delegate.tellMoved(node.id, from: from, in: transaction) }
  }

  /// A node that somebody made, or hung, below one that left: it goes along, and is joined into nothing there.
  private func bring(_ opened: OpenedNode, below above: Departure) throws {
    let cloudID = opened.header.cloudID
    if opened.metadata.hasPointer { return try leave(opened, wherever: above) }
    guard let parent = try transaction.node(above.node) else { throw Refusal.parentWrong }
    if let here = try transaction.node(cloudID, in: above.branch) {
      return try bring(here, opened, below: above)
    }
    let name = opened.metadata.name
    let arrival = try transaction.arrivalID(of: cloudID, from: above.branch, in: parent.branch)
    let twin = Defect.foreignJoined.isPlanted ? try transaction.node(cloudID, in: parent.branch)?.id : nil
    let id = try twin ?? insert(opened, as: arrival, nil, below: parent)
    try transaction.insertDeparture(
      of: cloudID, from: above.branch, node: id, operation: above.operation, parent: opened.header.parent, name: name,
      isEdited: false)
    try delegate.carry(opened.content, by: opened.header.author, into: id, in: transaction)
    try transaction.queueUpload(of: id)
    if arrival != cloudID, let node = try transaction.node(id) {
      try delegate.renumbered(node, from: cloudID, in: transaction)
    }
  }

  /// What somebody nested there stays in its branch (spec §3.8): it hangs where the whole hung, which has to be through before that goes.
  private func leave(_ opened: OpenedNode, wherever above: Departure) throws {
    let top = try transaction.departures(of: above.operation).first(where: \.isTop)
    let place =
      try top?.parent.flatMap { try transaction.node($0, in: above.branch) } ?? transaction.root(of: above.branch)
    guard let place else { return }
    let cloudID = opened.header.cloudID
    let known = try transaction.node(cloudID, in: above.branch)
    let id = try known?.id ?? insert(opened, as: cloudID, nested(opened, in: above.branch), below: place)
    if let known, try !isPlacedHere(known) {
      let name = try transaction.freeName(known.name, for: known.cloudID, below: place.id)
      try transaction.relocate(known, below: place, named: name)
    } else {
      // Where this user hung it elsewhere in the branch, it stays there.
      try transaction.queueUpload(of: id)
    }
    if let upload = try transaction.uploadOperation(of: id) {
      try transaction.addDependencies([upload], to: above.operation)
    }
  }

  /// The branch that somebody nested there.
  private func nested(_ opened: OpenedNode, in branch: BranchID) throws -> BranchID {
    guard let cloudID = CloudID(bytes: opened.metadata.pointer.branch),
      let first = Hash32(bytes: opened.metadata.pointer.firstPermissions)
    else { throw Refusal.malformed }
    return try transaction.nest(cloudID, firstPermissions: first, in: branch)
  }

  private func insert(
    _ opened: OpenedNode, as cloudID: CloudID, _ pointer: BranchID?, below parent: Node
  ) throws -> NodeID {
    let name = try transaction.freeName(opened.metadata.name, for: cloudID, below: parent.id)
    try transaction.db.execute(
      sql: """
        INSERT INTO nodes (branch, parent, cloud_id, name, name_key, node_key, author, pointer, placed)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?, 1)
        """,
      arguments: [
        parent.branch, parent.id, cloudID, name, Data(opened.metadata.nameKey),
        // A pointer stays in the branch whose key wraps its own.
        pointer == nil ? nil : opened.key.secret.column, opened.header.author.user, pointer,
      ])
    return NodeID(rawValue: transaction.db.lastInsertedRowID)
  }

  private func bring(_ node: Node, _ opened: OpenedNode, below above: Departure) throws {
    try delegate.carry(opened.content, by: opened.header.author, into: node.id, in: transaction)
    if try isPlacedHere(node) {
      // This user hung it elsewhere in the branch, which has to be through before what is above it goes.
      try transaction.queueUpload(of: node.id)
      if let upload = try transaction.uploadOperation(of: node.id) {
        try transaction.addDependencies([upload], to: above.operation)
      }
      return
    }
    try follow(node, to: above.node)
  }

  private func isPlacedHere(_ node: Node) throws -> Bool {
    try Bool.fetchOne(transaction.db, sql: "SELECT placed FROM nodes WHERE id = ?", arguments: [node.id]) ?? false
  }
}

extension CloudTransaction {
  /// The name, or one that no other child has.
  func freeName(_ name: String, for cloudID: CloudID?, below parent: NodeID) throws -> String {
    var free = name
    var number = 2
    while let other = try child(named: free, of: parent), other.cloudID != cloudID {
      free = "\(name) (\(number))"
      number += 1
    }
    return free
  }
}
