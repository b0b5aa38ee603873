import Foundation
import GRDB
import TodoCore
import Treesystem

/// What each honest device calls its todos. A sync may give one another id, because somebody took the name that it had: what was promised of
/// it is promised of the new one.
final class TodoNames {
  private struct Known {
    let place: Authorship.Place
    /// A node keeps it wherever it goes; nil before it was sent.
    let nameKey: Data?
    let id: String
  }

  /// By device, its todos.
  private var known: [String: [NodeID: Known]] = [:]

  /// Remembers what a command has left behind.
  func note(_ transaction: CloudTransaction, on device: String) throws {
    known[device] = try Self.names(transaction)
  }

  /// Returns which ids a sync has changed, and to which.
  func look(_ transaction: CloudTransaction, on device: String) throws -> [(old: String, new: String)] {
    let before = known[device] ?? [:]
    let after = try Self.names(transaction)
    known[device] = after
    return before.sorted { $0.key < $1.key }.compactMap { node, was in
      guard let now = after[node], now.id != was.id,
        now.place == was.place || (now.nameKey != nil && now.nameKey == was.nameKey)
      else { return nil }
      return (was.id, now.id)
    }
  }

  private static func names(_ transaction: CloudTransaction) throws -> [NodeID: Known] {
    let rows = try Row.fetchAll(
      transaction.db,
      sql: """
        SELECT t.node, b.cloud_id, n.cloud_id, n.name_key, t.todo_id FROM todos t JOIN nodes n ON n.id = t.node
        JOIN branches b ON b.id = n.branch WHERE b.cloud_id IS NOT NULL AND n.cloud_id IS NOT NULL
        """)
    return Dictionary(
      uniqueKeysWithValues: rows.map {
        ($0[0], Known(place: Authorship.Place(branch: $0[1], node: $0[2]), nameKey: $0[3], id: $0[4]))
      })
  }
}
