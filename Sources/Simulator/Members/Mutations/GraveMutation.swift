import GRDB
import Signing
import Treesystem

/// The deletion of a node whose id lives in another branch: it must not reach that one.
struct GraveMutation: Mutation {
  let name = "grave"
  let deeds: [Deed] = [.moveToList, .sync]

  func change(_ forge: Forge) throws -> String? {
    let rows = try Row.fetchAll(
      forge.transaction.db,
      sql: """
        SELECT n.id, n.cloud_id, b.cloud_id, b.id FROM nodes n JOIN branches b ON b.id = n.branch
        JOIN node_states s ON s.branch = n.branch AND s.cloud_id = n.cloud_id AND s.deleted = 0
        WHERE b.trunk IS NULL AND n.parent IS NOT NULL AND n.pointer IS NULL ORDER BY n.id
        """)
    let branches = Dictionary(grouping: forge.member.authorship.places, by: \.node).mapValues { Set($0.map(\.branch)) }
    let foreign = try rows.filter { row in
      let here: CloudID = row[2]
      return try branches[row[1]]?.contains { $0 != here } == true && forge.transaction.mayWrite(row[3] as BranchID)
    }
    guard let row = forge.member.dice.pick(foreign) else { return nil }
    try forge.transaction.delete(row[0] as NodeID)
    return "node \("\(row[1] as CloudID)".prefix(6))"
  }
}
