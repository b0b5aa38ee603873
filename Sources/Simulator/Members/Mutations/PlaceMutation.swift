import GRDB
import Signing
import Treesystem

/// A node hung below any other one of its list: below a comment, below a todo of somebody else's. Not below itself: the stock client
/// would not survive that.
struct PlaceMutation: Mutation {
  let name = "parent"

  func change(_ forge: Forge) throws -> String? {
    guard let put = try forge.pick(where: { !$0.isRoot }) else { return nil }
    let others = try Row.fetchAll(
      forge.transaction.db,
      sql: """
        WITH RECURSIVE below (id) AS (VALUES (?2) UNION SELECT n.id FROM nodes n JOIN below b ON n.parent = b.id)
        SELECT id, cloud_id FROM nodes WHERE branch = ?1 AND id NOT IN below ORDER BY id
        """, arguments: [put.branch, put.node])
    guard let parent = forge.member.dice.pick(others) else { return nil }
    try forge.transaction.db.execute(
      sql: "UPDATE nodes SET parent = ?, placed = 1 WHERE id = ?", arguments: [parent[0] as Int64, put.node])
    return "\(put.words) below \("\(parent[1] as CloudID)".prefix(6))"
  }
}
