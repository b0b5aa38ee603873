import GRDB
import TodoCore
import Treesystem

/// What is a todo on a device stays one as long as it lives: nobody's write makes something else of it, whatever they call it (spec §7.11).
final class KeptTodos {
  /// A node between two of its deletions.
  private struct Life: Hashable {
    let place: Authorship.Place
    let began: Int64
  }

  /// By device.
  private var known: [String: Set<Life>] = [:]

  /// The device has an earlier copy of its disk: it reads anew what came since, as whoever never had it.
  func forget(_ device: String) { known[device] = nil }

  /// Returns the titles of what was a todo on a device, and is something else. Who may only read shows what the list has by now.
  func look(_ transaction: CloudTransaction, on device: String) throws -> [String] {
    let before = known[device] ?? []
    let rows = try Row.fetchAll(
      transaction.db,
      sql: """
        SELECT b.cloud_id, n.cloud_id, s.revived, t.state = 'other', t.title, b.id FROM todos t JOIN nodes n ON n.id = t.node
        JOIN branches b ON b.id = n.branch JOIN node_states s ON s.branch = n.branch AND s.cloud_id = n.cloud_id
        WHERE s.deleted = 0 ORDER BY n.id
        """)
    known[device] = Set(rows.filter { !($0[3] as Bool) }.map(Self.life))
    return try rows.filter {
      try $0[3] as Bool && before.contains(Self.life($0)) && transaction.mayWrite(BranchID(rawValue: $0[5] as Int64))
    }
    .map { $0[4] }
  }

  private static func life(_ row: Row) -> Life {
    Life(place: Authorship.Place(branch: row[0], node: row[1]), began: row[2])
  }
}
