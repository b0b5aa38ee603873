import CloudAPI
import GRDB
import Signing
import TodoCore
import Treesystem

/// Which list each name means on a device, and which lists are shown there: no write of another user decides either.
final class ListBook {
  /// By device, the ids of its lists by their names.
  private var known: [String: [String: String]] = [:]
  /// By device, the lists that nobody else was on once, and what every list was titled.
  private var wasUnshared: [String: Set<String>] = [:]
  private var titles: [String: [String: String]] = [:]

  /// By person, the lists to which something was added without a name.
  private var chosen: [String: Set<String>] = [:]

  /// Notes that a list is the default one. Returns what is wrong about that while another one that this person chose hangs there.
  /// - Parameter isKnown: whether this device knew of any choice.
  func choose(_ list: String, for person: String, isKnown: Bool, _ transaction: CloudTransaction) throws -> String? {
    let before = chosen[person] ?? []
    chosen[person, default: []].insert(list)
    if before.isEmpty || before.contains(list) || !isKnown { return nil }
    // Two devices that choose without having seen each other's choice make two.
    let hanging = try Self.hanging(transaction)
    return before.isDisjoint(with: hanging) ? nil : "what is added goes to another list now: \(list.prefix(6))"
  }

  /// Remembers what a command has left behind: whoever runs it may call their lists as they like.
  func note(_ transaction: CloudTransaction, on device: String) throws {
    known[device] = try Self.names(transaction)
    try noteUnshared(transaction, on: device)
  }

  /// Returns what a sync has changed though the list still hangs there.
  func look(_ transaction: CloudTransaction, on device: String) throws -> [String] {
    let names = known[device] ?? [:]
    let after = try Self.names(transaction)
    known[device] = after
    // What was this person's alone was shared by another device of theirs, which counts for its name; a title that others wrote does not.
    let before = titles[device] ?? [:]
    try noteUnshared(transaction, on: device)
    let retitled = (titles[device] ?? [:]).filter { before[$0.key] != $0.value }.map(\.key)
    let hanging = try Self.hanging(transaction)
    let shown = Set(after.values)
    // Two devices of one person may each have made a list of one name: that is nobody else's write. So it is where the other one is shared
    // already when this device reads of it.
    let me = try transaction.account()?.user
    let new = try transaction.lists().filter { list in
      try !names.values.contains(list.id) && transaction.permissions(of: list.branch)?.body.owner == me
    }
    let shared = (wasUnshared[device] ?? []).subtracting(retitled)
    let own = try Set(transaction.lists().filter { !$0.isShared }.map(\.id)).union(shared).union(new.map(\.id))
    return names.sorted { $0.key < $1.key }.compactMap { name, list in
      guard hanging.contains(list) else { return nil }
      if let other = after[name], other != list, !own.contains(other) {
        return "'\(name)' means another list: \(other.prefix(6))"
      }
      return shown.contains(list) ? nil : "'\(name)' is not shown any more"
    }
  }

  private func noteUnshared(_ transaction: CloudTransaction, on device: String) throws {
    let lists = try transaction.lists()
    wasUnshared[device, default: []].formUnion(lists.filter { !$0.isShared }.map(\.id))
    titles[device] = Dictionary(lists.map { ($0.id, $0.title) }) { first, _ in first }
  }

  private static func names(_ transaction: CloudTransaction) throws -> [String: String] {
    Dictionary(try transaction.lists().map { ($0.name, $0.id) }) { first, _ in first }
  }

  /// The lists that hang in home, which this person did not put into the trash, and can be read.
  private static func hanging(_ transaction: CloudTransaction) throws -> Set<String> {
    let troubled = try Set(transaction.troubles().map(\.branch))
    let rows = try Row.fetchAll(
      transaction.db,
      sql: """
        SELECT b.id, b.cloud_id FROM nodes p JOIN branches h ON h.id = p.branch JOIN branches b ON b.id = p.pointer
        WHERE h.trunk = 'home' AND b.cloud_id IS NOT NULL AND p.trashed_at IS NULL
        """)
    return Set(rows.filter { !troubled.contains($0[0]) }.map { TodoID($0[1] as CloudID).text })
  }
}
