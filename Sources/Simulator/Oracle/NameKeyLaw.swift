import Foundation
import GRDB
import Signing
import Treesystem

/// An honest device never changes the name key of a root: the tokens of all names below it were made with that (spec §5.4).
final class NameKeyLaw {
  /// By branch, as the first device had it that believed or wrote a header of the root.
  private var known: [CloudID: (key: Data, device: String)] = [:]

  /// Looks at the roots that stand on a device as they are in the log. What it drew and did not send yet may lose to another's.
  func check(_ process: SimProcess, in world: World) {
    let rows = try? process.database.read { transaction in
      try Row.fetchAll(
        transaction.db,
        sql: """
          SELECT b.cloud_id, n.name_key FROM nodes n JOIN branches b ON b.id = n.branch
          JOIN node_states s ON s.branch = b.id AND s.cloud_id = b.cloud_id
          WHERE n.parent IS NULL AND n.name_key IS NOT NULL AND s.deleted = 0 AND b.trouble IS NULL
            AND NOT EXISTS (SELECT 1 FROM quarantine q WHERE q.branch = b.id AND q.cloud_id = b.cloud_id)
            AND NOT EXISTS (SELECT 1 FROM waiting w WHERE w.branch = b.id AND w.line = s.line)
          ORDER BY b.cloud_id
          """)
    }
    let device = process.device.name
    for row in rows ?? [] {
      let branch: CloudID = row[0]
      let key: Data = row[1]
      // Another server takes what a device sends to it alone.
      if world.liar?.ledger.mayHaveForked(device, branch) == true { continue }
      guard let first = known[branch] else {
        known[branch] = (key, device)
        continue
      }
      if first.key == key { continue }
      world.fail("a root's name key is changed: \(first.device) and \(device) have two of \(branch)")
    }
  }
}
