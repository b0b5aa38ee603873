import GRDB
import Signing
import Treesystem

/// A todo that becomes a pointer: to another list, or to a branch that is none of this user's business.
struct PointerMutation: Mutation {
  let name = "pointer"

  func change(_ forge: Forge) throws -> String? {
    guard let put = try forge.pick(where: { !$0.isRoot }) else { return nil }
    let branches = try BranchID.fetchAll(
      forge.transaction.db,
      sql: "SELECT id FROM branches WHERE trunk IS NULL AND first_permissions IS NOT NULL AND id <> ? ORDER BY id",
      arguments: [put.branch])
    guard let branch = forge.member.dice.pick(branches) else { return nil }
    try forge.transaction.db.execute(
      sql: "UPDATE nodes SET pointer = ? WHERE id = ?", arguments: [branch, put.node])
    return "\(put.words) leads to another list"
  }
}
