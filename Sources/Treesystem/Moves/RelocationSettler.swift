import CloudAPI
import GRDB
import Signing

/// Decides, when all branches were read, what becomes of nodes that others took to another branch (spec §5.7).
struct RelocationSettler {
  let transaction: CloudTransaction
  let delegate: any TreesystemDelegate

  func settle() throws {
    for relocation in try transaction.pendingRelocations() where try !transaction.isDelayed(relocation) {
      try transaction.answering(relocation.cloudID, in: relocation.branch) { try settle(relocation) }
    }
  }

  func settle(_ relocation: Relocation) throws {
    try transaction.endRelocation(relocation)
    // It came back meanwhile.
    guard try transaction.state(of: relocation.cloudID, in: relocation.branch)?.isDeleted ?? false else { return }
    let destination = try transaction.destination(of: relocation)
    try giveUp(
      transaction.departures(atOrBelow: relocation.cloudID, in: relocation.branch), relocation, for: destination)
    guard let node = try transaction.node(relocation.cloudID, in: relocation.branch), !node.isBranchRoot else { return }
    try follow(node, to: destination)
  }

  /// Somebody took a node away. What is here of it goes as well, over to where it is now if that can be read; a change that was
  /// not sent goes along, or brings the node back.
  private func follow(_ node: Node, to destination: BranchID?) throws {
    if let place = try node.parent.flatMap({ try transaction.node($0) }) {
      try transaction.leaveNested(below: node, at: place) { pointer in
        // What the server has elsewhere hangs here only because this user hung something above it there.
        try transaction.hasUnconfirmedPut(pointer, in: pointer.branch) || isHeld(pointer)
          || transaction.isOnServer(pointer)
      }
    }
    let changed = try transaction.subtree(of: node).filter { try transaction.hasUnconfirmedPut($0, in: $0.branch) }
    if let destination, try changed.isEmpty || transaction.mayWrite(destination),
      try fold(node, into: destination, with: Set(changed.map(\.id)))
    {
      return
    }
    if try changed.isEmpty && !transaction.subtree(of: node).contains(where: isHeld) { return try drop(node) }
    try comeBack(node)
  }

  /// This user took it elsewhere, and somebody else was first: the copy is withdrawn, unless it is not only this user's any more, or
  /// a branch is nested in it, which stays where it is.
  private func giveUp(_ left: [Departure], _ relocation: Relocation, for destination: BranchID?) throws {
    guard !left.isEmpty else { return }
    for departure in left { try transaction.removeDeparture(departure) }
    for operation in Set(left.filter(\.isTop).map(\.operation)) {
      try transaction.cancelTombstone(operation, in: relocation.branch)
    }
    let nodes = Set(left.map(\.node))
    for departure in left {
      guard let copy = try transaction.node(departure.node), copy.branch != destination,
        !(copy.parent.map(nodes.contains) ?? false)
      else { continue }
      try giveUp(copy, left, for: destination)
    }
  }

  private func giveUp(_ copy: Node, _ left: [Departure], for destination: BranchID?) throws {
    let known = Dictionary(left.map { ($0.node, $0) }, uniquingKeysWith: { first, _ in first })
    let subtree = try transaction.subtree(of: copy)
    if subtree.contains(where: { known[$0.id]?.isShared ?? false || $0.pointer != nil }) { return }
    let changed = Set(subtree.map(\.id).filter { known[$0]?.isEdited ?? true })
    if let destination, try transaction.mayWrite(destination), try fold(copy, into: destination, with: changed) {
      return
    }
    if changed.isEmpty { try drop(copy) }
  }

  /// Makes a node one with the node of the same cloudID in another branch. False if there is none.
  private func fold(_ node: Node, into branch: BranchID, with changed: Set<NodeID>) throws -> Bool {
    if let twin = try twin(of: node, in: branch) {
      try fold(node, into: twin, with: changed)
      return true
    }
    // It had come from there, and that is not through yet.
    guard let cloudID = node.cloudID, let departure = try transaction.departure(of: cloudID, in: branch),
      departure.node == node.id
    else { return false }
    let parent = try departure.parent.flatMap { try transaction.node($0, in: branch) } ?? transaction.root(of: branch)
    guard let parent else { return false }
    try carry(node, below: parent)
    return true
  }

  private func fold(_ node: Node, into twin: Node, with changed: Set<NodeID>) throws {
    for child in try transaction.children(of: node.id) { try fold(child, below: twin, with: changed) }
    if changed.contains(node.id), node.pointer == nil {
      let content = try delegate.content(of: node, in: transaction)
      try delegate.carry(content, by: twin.author, into: twin.id, in: transaction)
    }
    try transaction.handOver(node.id, to: twin.id)
    try drop(node)
  }

  private func fold(_ child: Node, below twin: Node, with changed: Set<NodeID>) throws {
    if try fold(child, into: twin.branch, with: changed) { return }
    // What has a twin further down goes there first.
    for grandchild in try transaction.children(of: child.id) { try fold(grandchild, below: twin, with: changed) }
    guard try transaction.subtree(of: child).contains(where: { changed.contains($0.id) }) else { return }
    try carry(child, below: twin)
  }

  private func carry(_ node: Node, below parent: Node) throws {
    let name = try transaction.freeName(node.name, for: node.cloudID, below: parent.id)
    try transaction.relocate(node, below: parent, named: name)
    if let from = node.parent { try delegate.tellMoved(node.id, from: from, in: transaction) }
  }

  private func twin(of node: Node, in branch: BranchID) throws -> Node? {
    try node.cloudID.flatMap { try transaction.node($0, in: branch) }
  }

  /// What was written in a branch and not confirmed must not go with what leads there.
  private func isHeld(_ pointer: Node) throws -> Bool {
    try pointer.pointer.map { try !transaction.hangsElsewhere($0, than: pointer.id) && transaction.isWrittenOn($0) }
      ?? false
  }

  private func drop(_ node: Node) throws {
    // A branch that was made of the node goes with what leads there.
    guard let gone = try node.isBranchRoot ? transaction.pointer(to: node.id) : node else { return }
    _ = try delegate.receive(.deleted(gone), in: transaction)
    try transaction.delete(gone.id)
  }

  /// Puts what was changed over the tombstone, with its path; the rest went.
  private func comeBack(_ node: Node) throws {
    for member in try transaction.subtree(of: node).reversed() {
      if try transaction.hasUnconfirmedPut(member, in: member.branch) { continue }
      if try isHeld(member) {
        try transaction.queueUpload(of: member.id)
        continue
      }
      if try transaction.children(of: member.id).isEmpty {
        try drop(member)
      } else {
        try transaction.queueUpload(of: member.id)
      }
    }
  }
}

extension CloudTransaction {
  /// Gives another node what this device keeps with one: links, tags, and from where it went.
  func handOver(_ node: NodeID, to other: NodeID) throws {
    for table in ["links", "tags", "departures"] {
      try db.execute(sql: "UPDATE OR IGNORE \(table) SET node = ? WHERE node = ?", arguments: [other, node])
    }
  }
}
