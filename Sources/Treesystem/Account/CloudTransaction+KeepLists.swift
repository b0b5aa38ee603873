import CloudAPI
import Foundation
import GRDB
import Signing

extension CloudTransaction {
  /// Takes the account off this device, but keeps what hangs in home as it was before there was an account: on this device only, and
  /// under other ids, so that it is uploaded anew with the next account and nobody can tell what it is a copy of.
  /// - Parameter naming: the name of a node from now on, below a branch's root. Names that tell which node it is are the app's.
  public func keepTree(naming: (Node) throws -> String = { $0.name }) throws {
    try keepPasts()
    try db.execute(sql: "DELETE FROM operations")
    for trunk in [try trunk(.inbox), try trunk(.outbox), try trunk(.prefs)] {
      for child in try children(of: trunk.id) { try forget(child) }
    }
    // What people said to each other belongs to the account.
    let said = try NodeID.fetchAll(db, sql: "SELECT DISTINCT n.parent FROM origins o JOIN nodes n ON n.id = o.node")
    for conversation in try said.compactMap({ try node($0) }) { try forget(conversation) }
    let pointers = try NodeID.fetchAll(db, sql: "SELECT id FROM nodes WHERE pointer IS NOT NULL").compactMap {
      try node($0)
    }
    // Of what was never read there is nothing to keep.
    for pointer in pointers { if try pointer.pointer.flatMap({ try root(of: $0) }) == nil { try forget(pointer) } }
    let branches = try BranchID.fetchAll(
      db, sql: "SELECT id FROM branches b WHERE trunk IS NULL AND EXISTS (SELECT 1 FROM nodes WHERE pointer = b.id)")
    for branch in branches {
      try forgetServer(of: branch)
      try giveNewIDs(in: branch, naming)
    }
    try db.execute(
      sql: "DELETE FROM branches WHERE trunk IS NULL AND NOT EXISTS (SELECT 1 FROM nodes WHERE pointer = branches.id)")
    // What leads there gets another id too: the account may still have the old one, which leads elsewhere.
    for node in try subtree(of: trunk(.home)) where node.parent != nil {
      try giveNewID(to: node, named: node.pointer.flatMap { try cloudID(of: $0) }?.description ?? node.name)
    }
    try db.execute(sql: "DELETE FROM needs_download")
    try abandonAccount()
    try keepFiles()
    for branch in branches { try queueAnew(branch) }
    for child in try children(of: trunk(.home).id) { try queueBelow(child) }
  }

  /// What lies here of files is all there is of them, and goes up anew. Of a node whose file never came nothing is left.
  private func keepFiles() throws {
    for id in try NodeID.fetchAll(db, sql: "SELECT node FROM node_files") {
      guard let node = try node(id), let file = try file(of: id) else { continue }
      if try isHere(.data, of: file) { try setStage(.sealed, of: id) } else { try forget(node) }
    }
  }

  private func giveNewIDs(in branch: BranchID, _ naming: (Node) throws -> String) throws {
    guard let root = try root(of: branch) else { return }
    for node in try subtree(of: root) where node.parent != nil { try giveNewID(to: node, named: naming(node)) }
  }

  private func giveNewID(to node: Node, named name: String) throws {
    try db.execute(
      sql: "UPDATE nodes SET cloud_id = ?, name = ? WHERE id = ?", arguments: [CloudID.random(entropy), name, node.id])
  }

  /// Whatever is known here about what a server has of a branch.
  private func forgetServer(of branch: BranchID) throws {
    for table in [
      "lines", "permissions", "branch_keys", "node_states", "quarantine", "waiting", "owed", "removed", "departures",
      "relocations", "transfers", "acknowledged",
    ] {
      try db.execute(sql: "DELETE FROM \(table) WHERE branch = ?", arguments: [branch])
    }
    try db.execute(
      sql: """
        UPDATE branches SET cloud_id = ?, first_permissions = NULL, line = 0, log_hash = NULL, trouble = NULL,
          trouble_since = NULL, renewal = 1, hollow = 0 WHERE id = ?
        """, arguments: [CloudID.random(entropy), branch])
    try db.execute(
      sql: "UPDATE nodes SET name_key = NULL, node_key = NULL, author = NULL, placed = 0 WHERE branch = ?",
      arguments: [branch])
    try db.execute(
      sql: """
        UPDATE nodes SET cloud_id = (SELECT cloud_id FROM branches WHERE id = branch) WHERE branch = ? AND parent IS NULL
        """, arguments: [branch])
    try setCaughtUp(branch)
  }

  /// As though the branch had been made now.
  private func queueAnew(_ branch: BranchID) throws {
    guard let root = try root(of: branch), let cloudID = root.cloudID else { return }
    try enqueue(.permit, branch: branch, node: nil, cloudID: cloudID)
    try queueBelow(root)
  }

  /// Parents first.
  private func queueBelow(_ node: Node) throws {
    for node in try subtree(of: node) { try queueDataUpload(forNodeID: node.id) }
  }
}
