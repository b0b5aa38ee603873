import Foundation
import GRDB
import Signing
import TodoCore
import Treesystem

/// A todo that becomes a pointer: to another list, or to a branch that is none of this user's business, whose first record it may lie about.
struct PointerMutation: Mutation {
  let name = "pointer"
  let deeds: [Deed] = [.share, .answer, .sync]

  func change(_ forge: Forge) throws -> String? {
    guard let put = try forge.pick(where: { !$0.isRoot }), let node = try node(forge, put) else { return nil }
    if forge.member.dice.chance(250) { try follow(forge) }
    let branches = try BranchID.fetchAll(
      forge.transaction.db,
      sql: "SELECT id FROM branches WHERE trunk IS NULL AND first_permissions IS NOT NULL AND id <> ? ORDER BY id",
      arguments: [put.branch])
    guard let branch = forge.member.dice.pick(branches) else { return nil }
    // Rarely: it stays so for all that she hangs there later.
    if forge.member.dice.chance(100) {
      try forge.transaction.db.execute(
        sql: "UPDATE branches SET first_permissions = ? WHERE id = ?", arguments: [hash(forge), branch])
    }
    try forge.transaction.db.execute(
      sql: "UPDATE nodes SET pointer = ? WHERE id = ?", arguments: [branch, node])
    return "\(put.words) leads to another list\(node == put.node ? "" : ": a new node beside it")"
  }

  /// Mostly a new node where there is none: of what lives as a document the server takes no pointer.
  private func node(_ forge: Forge, _ put: Forge.Put) throws -> NodeID? {
    if put.isNew || forge.member.dice.chance(300) { return put.node }
    guard let root = try forge.transaction.root(of: put.branch) else { return nil }
    let name = TodoID.draw(forge.member.entropy) { _ in true }.text
    return try forge.transaction.createNode(named: name, in: root.id, cloudID: .random(forge.member.entropy)).id
  }

  /// She knows the id of a branch that she was never let into.
  private func follow(_ forge: Forge) throws {
    let others = Set(forge.member.authorship.places.map(\.branch)).sorted {
      $0.bytes.lexicographicallyPrecedes($1.bytes)
    }
    guard let branch = forge.member.dice.pick(others) else { return }
    try forge.transaction.db.execute(
      sql: "INSERT OR IGNORE INTO branches (cloud_id, first_permissions) VALUES (?, ?)",
      arguments: [branch, hash(forge)])
  }

  private func hash(_ forge: Forge) -> Data {
    Data((0..<32).map { _ in UInt8(forge.member.dice.roll(256)) })
  }
}
