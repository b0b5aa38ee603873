import CloudAPI
import Foundation
import GRDB
import Sealing
import Signing
import SwiftProtobuf

/// Takes in tombstones where moves are concerned (spec §5.7).
struct RelocationReader {
  let transaction: CloudTransaction
  let delegate: any TreesystemDelegate

  /// A line of ours whose answer was lost: what it says is done, before anything later is judged.
  func confirm(_ line: Line, in branch: BranchID) throws {
    guard line.kind == .tombstone else { return }
    let sealed = try Row.fetchAll(
      transaction.db,
      sql: """
        SELECT o.sequence, o.sealed FROM operations o JOIN relocations r USING (branch, cloud_id, operation)
        WHERE branch = ? AND cloud_id = ? AND kind = 'delete' AND state = 'sealed'
        """, arguments: [branch, line.cloudID])
    for row in sealed {
      let operation = try WireOperation(serializedBytes: row[1] as Data)
      guard try SignedRecord(operation.delete.tombstone).hash == line.hash else { continue }
      try transaction.db.execute(sql: "DELETE FROM operations WHERE sequence = ?", arguments: [row[0] as Int64])
    }
  }

  /// Returns whether the node's place is decided at the end of the pull; else the tombstone is a deletion as far as what is
  /// here of the node is concerned.
  func take(_ tombstone: TombstoneBody, in branch: BranchID) throws -> Bool {
    if let moved = tombstone.moved {
      // Ours, confirmed by its line: all is said and done.
      if try isOwn(tombstone, in: branch) { return true }
      let destination = try open(moved, tombstone, in: branch)
      try transaction.noteRelocation(
        Relocation(branch: branch, cloudID: tombstone.cloudID, destination: destination), by: nil)
      return true
    }
    try deleteLeft(atOrBelow: tombstone.cloudID, in: branch)
    return false
  }

  private func isOwn(_ tombstone: TombstoneBody, in branch: BranchID) throws -> Bool {
    try Int.fetchOne(
      transaction.db, sql: "SELECT 1 FROM relocations WHERE branch = ? AND cloud_id = ? AND operation = ?",
      arguments: [branch, tombstone.cloudID, tombstone.operation]) != nil
  }

  private func open(
    _ moved: TombstoneBody.Moved, _ tombstone: TombstoneBody, in branch: BranchID
  ) throws -> CloudID? {
    guard let secret = try transaction.branchKey(of: branch, epoch: tombstone.epoch) else { return nil }
    return BranchKey(branch: tombstone.branch, epoch: tombstone.epoch, secret: secret)
      .open(destination: moved.destination, of: tombstone.cloudID)
  }

  /// Somebody deleted what had left here. A whole that was moved stays where it went; a part of it goes, unless it was changed.
  private func deleteLeft(atOrBelow cloudID: CloudID, in branch: BranchID) throws {
    let left = try transaction.departures(atOrBelow: cloudID, in: branch)
    let done = Set(left.filter(\.isTop).map(\.operation))
    for departure in left {
      guard try transaction.departure(of: departure.cloudID, in: branch) != nil else { continue }
      try transaction.removeDeparture(departure)
      if done.contains(departure.operation) || departure.isEdited || departure.isShared { continue }
      guard let node = try transaction.node(departure.node), !node.isBranchRoot, try !isTouched(node) else { continue }
      _ = try delegate.receive(.deleted(node), in: transaction)
      try transaction.queueDeletion(of: node)
    }
    for operation in done {
      try transaction.db.execute(sql: "DELETE FROM operations WHERE sequence = ?", arguments: [operation.sequence])
    }
  }

  /// Whether something below was made or changed here.
  private func isTouched(_ node: Node) throws -> Bool {
    try transaction.subtree(of: node).dropFirst().contains { child in
      let left = try transaction.departures(of: child.id)
      return left.isEmpty || left.contains { $0.isEdited || $0.isShared }
    }
  }

  /// Somebody deletes a copy here whose original stands where it came from: a deletion takes one of the two.
  func sendHome(atOrBelow node: Node) throws {
    var nodes = try transaction.subtree(of: node)
    for pointer in nodes {
      guard let root = try pointer.pointer.flatMap({ try transaction.root(of: $0) }) else { continue }
      nodes += try transaction.subtree(of: root)
    }
    for member in nodes {
      guard let now = try transaction.node(member.id), try !transaction.hasUnconfirmedPut(now, in: now.branch) else {
        continue
      }
      let home = try transaction.departures(of: member.id).first { try $0.isTop && $0.isAlive(in: transaction) }
      if let home, home.branch != now.branch, try !transaction.holdsNested(now) { try transaction.sendHome(home) }
    }
  }
}

extension CloudTransaction {
  /// Takes a node back to where it left from. Where this user may not write any more the server has it as it was, and only
  /// what was changed here waits.
  func sendHome(_ departure: Departure) throws {
    guard let node = try node(departure.node),
      let parent = try departure.parent.flatMap({ try self.node($0, in: departure.branch) })
        ?? root(of: departure.branch)
    else { return }
    guard try !holdsNested(node) else { throw TreeError.notMovable }
    let unchanged = try mayWrite(departure.branch) ? [] : unchanged(atOrBelow: node, since: departure.branch)
    try relocate(node, below: parent, named: freeName(departure.name, for: node.cloudID, below: parent.id))
    for member in unchanged {
      try db.execute(
        sql: "DELETE FROM operations WHERE node = ? AND kind = 'put' AND state <> 'sealed'", arguments: [member.id])
      try db.execute(sql: "UPDATE nodes SET placed = 0 WHERE id = ?", arguments: [member.id])
      try markNodeAsNeedsDownload(member.id, components: [.metadata, .data, .history])
    }
    if let from = node.parent { try app?.tellMoved(node.id, from: from, in: self) }
  }

  /// Whether it is a branch by now in which another one was begun, which stays there (spec §3.8).
  func holdsNested(_ node: Node) throws -> Bool {
    try node.isBranchRoot && subtree(of: node).compactMap(\.pointer).contains { try firstPermissions(of: $0) != nil }
  }

  private func unchanged(atOrBelow node: Node, since branch: BranchID) throws -> [Node] {
    try subtree(of: node).filter { member in
      try departures(of: member.id).contains { $0.branch == branch && !$0.isEdited }
    }
  }
}

extension PageReader {
  var relocations: RelocationReader { RelocationReader(transaction: transaction, delegate: delegate) }
}
