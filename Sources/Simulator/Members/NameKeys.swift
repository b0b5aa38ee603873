import Foundation
import GRDB
import Signing
import Treesystem

/// The name key of each node: whoever changes one makes what hangs below unreadable to others.
final class NameKeys {
  /// A node between two of its deletions: what hung below it before goes, and with it the names that were made with its key.
  private struct Life: Hashable {
    let place: Authorship.Place
    let began: Int64
  }

  private var known: [Life: Data] = [:]
  /// Those that the hostile member had: whoever reads them from there has not made them.
  private var hers: [Authorship.Place: Set<Data>] = [:]

  /// Returns the nodes whose key this device had, and has changed to one that it did not read.
  func look(_ transaction: CloudTransaction, isHers: Bool) throws -> [Authorship.Place] {
    var changed: [Authorship.Place] = []
    for row in try Self.rows(transaction) {
      let place = Authorship.Place(branch: row[0], node: row[1])
      let key: Data = row[2]
      let life = Life(place: place, began: row[3])
      if isHers {
        hers[place, default: []].insert(key)
        continue
      }
      if let first = known[life], first != key, hers[place]?.contains(key) != true { changed.append(place) }
      known[life] = key
    }
    return changed
  }

  /// Of what the server has: what it refused never came there, whatever else has that id, and what was set aside counts once it
  /// is read.
  private static func rows(_ transaction: CloudTransaction) throws -> [Row] {
    try Row.fetchAll(
      transaction.db,
      sql: """
        SELECT b.cloud_id, n.cloud_id, n.name_key, s.revived FROM nodes n JOIN branches b ON b.id = n.branch
        JOIN node_states s ON s.branch = n.branch AND s.cloud_id = n.cloud_id AND s.deleted = 0
        WHERE n.name_key IS NOT NULL
          AND NOT EXISTS (SELECT 1 FROM operations o WHERE o.node = n.id AND o.kind = 'put' AND o.state = 'refused')
          AND NOT EXISTS (SELECT 1 FROM quarantine q WHERE q.branch = n.branch AND q.cloud_id = n.cloud_id)
        ORDER BY n.id
        """)
  }
}
