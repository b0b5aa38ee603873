import CloudAPI
import GRDB
import Signing

/// Decides, when all branches were read, what becomes of nodes that others took to another branch (spec §5.7).
struct RelocationSettler {
  let transaction: CloudTransaction
  let delegate: any TreesystemDelegate

  func settle(where isMeant: (Relocation) -> Bool = { _ in true }) throws {
    for relocation in try transaction.pendingRelocations()
    where try isMeant(relocation) && !transaction.isDelayed(relocation) {
      try transaction.answering(relocation.cloudID, in: relocation.branch) { try settle(relocation) }
    }
  }

  private func settle(_ relocation: Relocation) throws {
    try transaction.endRelocation(relocation)
    // It came back meanwhile.
    guard try transaction.state(of: relocation.cloudID, in: relocation.branch)?.isDeleted ?? false else { return }
    let passage = try transaction.destination(of: relocation)
    try giveUp(
      transaction.departures(atOrBelow: relocation.cloudID, in: relocation.branch), relocation, following: passage)
    guard let node = try transaction.node(relocation.cloudID, in: relocation.branch), !node.isBranchRoot else { return }
    try follow(node, relocation, with: passage)
  }

  /// Somebody took a node away. What is here of it goes as well, over to where it is now if that can be read and is proven; a change that was
  /// not sent goes along, or brings the node back.
  private func follow(_ node: Node, _ relocation: Relocation, with passage: Passage?) throws {
    if let place = try node.parent.flatMap({ try transaction.node($0) }) {
      try transaction.leaveNested(below: node, at: place) { pointer in
        // What the server has elsewhere hangs here only because this user hung something above it there.
        try transaction.hasUnconfirmedPut(pointer, in: pointer.branch) || isHeld(pointer)
          || transaction.isOnServer(pointer)
      }
    }
    let subtree = try transaction.subtree(of: node)
    let changed = try subtree.filter { try transaction.hasUnconfirmedPut($0, in: $0.branch) }
    let told = try relocation.destination.flatMap { try transaction.branch($0) }
    if let told, try changed.isEmpty || transaction.mayWrite(told), try goHome(node, to: told) { return }
    if let passage, try changed.isEmpty || transaction.mayWrite(passage.branch) {
      let ids = Dictionary(uniqueKeysWithValues: subtree.map { ($0.id, $0.cloudID) }).compactMapValues(\.self)
      let twins = try twins(of: ids, top: node.id, relocation, with: passage)
      if try fold(node, into: twins, with: Set(changed.map(\.id))) { return }
    }
    if try changed.isEmpty && !transaction.subtree(of: node).contains(where: isHeld) { return try drop(node) }
    try comeBack(node)
  }

  /// The nodes that some became in the branch that they went to with one of them. Only what left with it can have become another one
  /// there, and only the node that a branch was made of has become its root.
  private func twins(
    of ids: [NodeID: CloudID], top: NodeID, _ relocation: Relocation, with passage: Passage
  ) throws -> Twins {
    let left = try transaction.left(with: relocation.cloudID, from: relocation.branch)
    var found: [NodeID: Node] = [:]
    for (id, cloudID) in ids where left.contains(cloudID) {
      guard let twin = try transaction.node(cloudID, in: passage.branch), twin.id != id,
        try transaction.hasCome(cloudID, with: passage), try !twin.isBranchRoot || (id == top && isMade(passage))
      else { continue }
      found[id] = twin
    }
    return Twins(branch: passage.branch, nodes: found)
  }

  /// True for a branch that was begun by the user who took the node there.
  private func isMade(_ passage: Passage) throws -> Bool {
    try transaction.permissionsHistory(of: passage.branch).first?.author.user == passage.author
  }

  /// This user took it elsewhere, and somebody else was first. The copy is withdrawn where the other place is proven and can be read, and
  /// nothing was written in the copy: what is written where this user put it was meant for those who read there. Else both stay.
  private func giveUp(_ left: [Departure], _ relocation: Relocation, following passage: Passage?) throws {
    guard !left.isEmpty else { return }
    let told = try relocation.destination.flatMap { try transaction.branch($0) }
    for departure in left { try transaction.removeDeparture(departure) }
    for operation in Set(left.filter(\.isTop).map(\.operation)) {
      try transaction.cancelTombstone(operation, in: relocation.branch)
    }
    guard let passage else { return }
    let known = Dictionary(left.map { ($0.node, $0) }, uniquingKeysWith: { first, _ in first })
    for departure in left {
      guard let copy = try transaction.node(departure.node), copy.branch != told, copy.branch != passage.branch,
        copy.parent.map({ known[$0] == nil }) ?? true,
        try transaction.subtree(of: copy).allSatisfy({ known[$0.id]?.isAsItLeft ?? false && $0.pointer == nil })
      else { continue }
      try drop(copy)
    }
  }

  /// Makes a node one with what it became in another branch. False if it became nothing there that is proven.
  private func fold(_ node: Node, into twins: Twins, with changed: Set<NodeID>) throws -> Bool {
    if let twin = try twins.nodes[node.id].flatMap({ try transaction.node($0.id) }) {
      try fold(node, onto: twin, twins, with: changed)
      return true
    }
    return try goHome(node, to: twins.branch)
  }

  /// Takes a node back to a branch that it had come from, where that is not through yet. False if it had not.
  private func goHome(_ node: Node, to branch: BranchID) throws -> Bool {
    guard let departure = try transaction.departures(of: node.id).first(where: { $0.branch == branch }),
      let parent =
        try departure.parent.flatMap({ try transaction.node($0, in: branch) }) ?? transaction.root(of: branch)
    else { return false }
    try carry(node, below: parent)
    return true
  }

  private func fold(_ node: Node, onto twin: Node, _ twins: Twins, with changed: Set<NodeID>) throws {
    for child in try transaction.children(of: node.id) { try fold(child, below: twin, twins, with: changed) }
    if changed.contains(node.id), node.pointer == nil {
      let content = try delegate.content(of: node, in: transaction)
      try delegate.carry(content, by: nil, into: twin.id, in: transaction)
    }
    try transaction.handOver(node.id, to: twin.id)
    try drop(node)
  }

  private func fold(_ child: Node, below twin: Node, _ twins: Twins, with changed: Set<NodeID>) throws {
    if try fold(child, into: twins, with: changed) { return }
    // What has a twin further down goes there first.
    for grandchild in try transaction.children(of: child.id) {
      try fold(grandchild, below: twin, twins, with: changed)
    }
    guard try transaction.subtree(of: child).contains(where: { changed.contains($0.id) }) else { return }
    try carry(child, below: twin)
  }

  private func carry(_ node: Node, below parent: Node) throws {
    let name = try transaction.freeName(node.name, for: node.cloudID, below: parent.id)
    try transaction.relocate(node, below: parent, named: name)
    if let from = node.parent { try delegate.tellMoved(node.id, from: from, in: transaction) }
  }

  /// What was written in a branch and not confirmed must not go with what leads there.
  private func isHeld(_ pointer: Node) throws -> Bool {
    try pointer.pointer.map { try !transaction.hangsElsewhere($0, than: pointer.id) && transaction.isWrittenOn($0) }
      ?? false
  }

  private func drop(_ node: Node) throws {
    // A branch that was made of the node goes with what leads there.
    guard let gone = try node.isBranchRoot ? transaction.pointer(to: node.id) : node else { return }
    let author = try transaction.deleter(of: node)
    _ = try delegate.receive(.deleted(author.map(gone.signed) ?? gone), in: transaction)
    try transaction.queueDeletion(of: gone)
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

/// What nodes became in the branch that they went to.
private struct Twins {
  let branch: BranchID
  let nodes: [NodeID: Node]
}

extension CloudTransaction {
  /// Gives another node what this device keeps with one: links, tags, and from where it went.
  func handOver(_ node: NodeID, to other: NodeID) throws {
    for table in ["links", "tags", "departures"] {
      try db.execute(sql: "UPDATE OR IGNORE \(table) SET node = ? WHERE node = ?", arguments: [other, node])
    }
  }
}
