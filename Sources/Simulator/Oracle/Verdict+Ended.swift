import GRDB
import Signing
import Treesystem

/// What a device that was ended leaves to its person.
extension Verdict {
  struct Legacy {
    /// A device of the same person's that goes on.
    let heir: String
    /// The todos of which the server had confirmed everything that the ended device knew of.
    let todos: Set<String>
  }

  /// By the names of the ended devices. What these had not sent is on them alone.
  func legacies() -> [String: Legacy] {
    var legacies: [String: Legacy] = [:]
    for seat in ended {
      guard let heir = seats.first(where: { $0.device.person === seat.device.person }) else {
        world.fail("\(seat.name) was ended, and nobody of \(seat.device.person.handle)'s goes on")
        continue
      }
      seen(seat) { transaction in
        let confirmed = try Row.fetchAll(
          transaction.db,
          sql: """
            SELECT t.todo_id, b.cloud_id FROM todos t JOIN nodes n ON n.id = t.node JOIN branches b ON b.id = n.branch
            WHERE NOT EXISTS
              (SELECT 1 FROM operations o JOIN branches b ON b.id = o.branch WHERE o.branch = n.branch OR b.trunk = 'home')
            """)
        // What another server took, or what was only said to be taken, no other device can have.
        let honest = confirmed.filter { row in
          guard let liar = world.liar, let branch = row[1] as CloudID? else { return true }
          return ![seat, heir].contains { liar.ledger.mayHaveForked($0.device.name, branch) }
        }
        legacies[seat.device.name] = Legacy(heir: heir.device.name, todos: Set(honest.map { $0[0] }))
      }
    }
    return legacies
  }
}

extension Oracle.Promise {
  /// The same, as another device has to keep it.
  func kept(by device: String) -> Oracle.Promise {
    Oracle.Promise(device: device, list: list, todo: todo, register: register, before: before)
  }
}
