import Foundation
import GRDB
import Signing
import TodoCore
import Treesystem

/// Who wrote what, and where: what a command or a mutation adds to a device's documents is its user's, whatever it says.
final class Authorship {
  /// A value as a document holds it.
  struct Value: Hashable {
    let field: UInt32
    let value: [UInt8]
    let stamp: Stamp
  }

  /// A value without its stamp, which a device may renew.
  struct Word: Hashable {
    let field: UInt32
    let value: [UInt8]
  }

  /// A node in a branch.
  struct Place: Hashable, CustomStringConvertible {
    let branch: CloudID
    let node: CloudID

    var description: String { "\("\(node)".prefix(6)) in \("\(branch)".prefix(6))" }
  }

  /// What honest commands did to nodes, in order.
  private enum Event {
    case born(Place)
    case moved(Place, Place)
    /// By a sync it got another id, or another place: what has the old one there is another node.
    case left(Place)
  }

  /// What the hostile member added, and what honest people did.
  private(set) var hers: Set<Value> = []
  private(set) var typed: Set<Value> = []
  /// What each person's own commands wrote; what was there before the first mutation, anybody may have written.
  private var words: [String: Set<Word>] = [:]
  private var firstWords: Set<Word> = []
  /// The hostile member's replicas, and those of others.
  private(set) var replicas: Set<Replica> = []
  private(set) var others: [Replica] = []
  /// Branches in which the hostile member could write at some time.
  private(set) var writable: Set<CloudID> = []
  /// Every node that the server has, as far as an honest device knows it, in order of appearance. What never left a device nobody guesses.
  private(set) var places: [Place] = []
  /// How honest people's lists and todos are called: titles, and ids of what was sent.
  private(set) var titles: [String] = []
  private(set) var names: [String] = []
  private var known: Set<Place> = []
  /// By person, the files that their own commands gave to todos.
  private var files: [String: Set<Hash32>] = [:]
  /// Each with its device, if it is a command's.
  private var events: [(device: String?, event: Event)] = []
  /// By device, how many events there were when it had synced last. What came later on a device that was ended never got to the server.
  private var sent: [String: Int] = [:]
  /// By device, what its last command did to which node. One that died before it was stored did nothing.
  private var last: [String: [(node: NodeID, index: Int)]] = [:]
  private var undone: Set<Int> = []
  /// By device, where each node was after the last sync or command.
  private var synced: [String: [NodeID: Place]] = [:]

  /// What a device has before the first mutation.
  func begin(with process: SimProcess, isHers: Bool) throws {
    try process.database.read { transaction in
      try look(transaction, isHers: isHers)
      guard !isHers else { return }
      for node in try Self.nodes(transaction).values.sorted(by: { $0.node < $1.node }) {
        events.append((nil, .born(node)))
      }
      let values = try Self.values(transaction)
      typed.formUnion(values)
      firstWords.formUnion(values.map { Word(field: $0.field, value: $0.value) })
    }
  }

  /// Whether a person's client ever wrote a value into this field, as far as it can be told.
  func hasWritten(_ person: String, _ field: UInt32, _ value: [UInt8]) -> Bool {
    let word = Word(field: field, value: value)
    return firstWords.contains(word) || words[person]?.contains(word) == true
  }

  /// Remembers that somebody has a file to give to a todo.
  func gave(_ file: NodeFile, by person: String) { files[person, default: []].insert(file.root) }

  /// Whether a person's client ever gave a file to a todo.
  func hasGiven(_ person: String, _ file: NodeFile) -> Bool { files[person]?.contains(file.root) == true }

  /// Runs a command or a mutation, in whose transaction nobody else has a say.
  func watch<Result>(
    _ transaction: CloudTransaction, by person: String, on device: String, _ body: (CloudTransaction) throws -> Result
  ) throws -> Result {
    let isHers = person == HostileMember.handle
    let values = try Self.values(transaction)
    let nodes = isHers ? [:] : try Self.nodes(transaction)
    if !isHers { noteSynced(nodes, on: device) }
    let result = try body(transaction)
    let new = try Self.values(transaction).subtracting(values)
    if isHers { hers.formUnion(new) } else { typed.formUnion(new) }
    words[person, default: []].formUnion(new.map { Word(field: $0.field, value: $0.value) })
    if !isHers { note(from: nodes, to: try Self.nodes(transaction), on: device) }
    try look(transaction, isHers: isHers)
    return result
  }

  private func note(from before: [NodeID: Place], to after: [NodeID: Place], on device: String) {
    synced[device] = after
    last[device] = []
    for (id, place) in after.sorted(by: { $0.key < $1.key }) {
      let old = before[id]
      if old == place { continue }
      last[device]?.append((id, events.count))
      events.append((device, old.map { .moved($0, place) } ?? .born(place)))
    }
  }

  private func forgetUnstored(_ nodes: [NodeID: Place], on device: String) {
    for (node, index) in last.removeValue(forKey: device) ?? [] {
      switch events[index].event {
      case .born: if nodes[node] == nil { undone.insert(index) }
      case .moved(let old, _): if nodes[node] == old { undone.insert(index) }
      case .left: break
      }
    }
  }

  /// Looks at a device after its sync.
  func look(_ transaction: CloudTransaction, on device: String) throws {
    noteSynced(try Self.nodes(transaction), on: device)
    sent[device] = events.count
  }

  /// What a sync did since the last look, be it one that was broken off.
  private func noteSynced(_ now: [NodeID: Place], on device: String) {
    forgetUnstored(now, on: device)
    for (id, place) in (synced[device] ?? [:]).sorted(by: { $0.key < $1.key }) {
      if let new = now[id], new != place { events.append((device, .left(place))) }
    }
    synced[device] = now
  }

  /// Remembers which nodes, replicas and branches there are.
  func look(_ transaction: CloudTransaction, isHers: Bool) throws {
    if let replica = try transaction.knownReplica() {
      if isHers { replicas.insert(replica) } else if !others.contains(replica) { others.append(replica) }
    }
    if isHers {
      let branches = try Row.fetchAll(
        transaction.db, sql: "SELECT id, cloud_id FROM branches WHERE trunk IS NULL AND line > 0")
      for row in branches where try transaction.mayWrite(row[0] as BranchID) { writable.insert(row[1]) }
    } else {
      for place in try Self.sent(transaction) where known.insert(place).inserted { places.append(place) }
      try lookAtNames(transaction)
    }
  }

  private func lookAtNames(_ transaction: CloudTransaction) throws {
    let sql = "SELECT title FROM lists WHERE title <> '' ORDER BY node"
    for title in try String.fetchAll(transaction.db, sql: sql) where !titles.contains(title) { titles.append(title) }
    let seen = Set(names)
    let sent = """
      SELECT t.todo_id FROM todos t JOIN nodes n ON n.id = t.node
      JOIN node_states s ON s.branch = n.branch AND s.cloud_id = n.cloud_id ORDER BY t.node
      """
    for name in try String.fetchAll(transaction.db, sql: sent) where !seen.contains(name) { names.append(name) }
  }

  /// The nodes that began in a branch where the hostile member never could write, and never left it. One of which no command said where it
  /// came from was brought along by a sync: it hung below what left from where they could.
  func natives(where isExposed: (CloudID) -> Bool) -> Set<Place> {
    var natives: Set<Place> = []
    var arrivals: Set<Place> = []
    for (index, (device, event)) in events.enumerated() {
      if undone.contains(index) || device.map({ index >= sent[$0] ?? 0 }) == true { continue }
      switch event {
      case .born(let place):
        if !isExposed(place.branch), !arrivals.contains(place) { natives.insert(place) }
      case .moved(let old, let new):
        // What comes to that place later may be another one.
        let wasNative = natives.remove(old) != nil
        if isExposed(new.branch) { continue }
        // Another device of theirs may have brought another node of this id there, which never got to the server.
        if wasNative, !arrivals.contains(new) {
          natives.insert(new)
        } else {
          natives.remove(new)
          arrivals.insert(new)
        }
      case .left(let old): natives.remove(old)
      }
    }
    return natives
  }

  /// Whether a document holds something of the hostile member's.
  func isTouched(_ content: VersionedDocument) -> Bool {
    let document = content.document
    let stamps = document.context.stamps + document.deleted.stamps
    return stamps.contains { replicas.contains($0.replica) }
      || Self.values(of: content).contains { hers.contains($0) && !typed.contains($0) }
  }

  /// True for a write that the hostile member added, and that nobody else ever made.
  func isHersAlone(_ write: Register) -> Bool {
    let value = Value(field: write.field, value: write.value, stamp: write.stamp)
    return hers.contains(value) && !typed.contains(value)
  }

  private static func values(of content: VersionedDocument) -> [Value] {
    (content.document.registers + content.document.elements + content.history.overwritten).map {
      Value(field: $0.field, value: $0.value, stamp: $0.stamp)
    }
  }

  private static func values(_ transaction: CloudTransaction) throws -> Set<Value> {
    let sql = "SELECT document, history FROM todos UNION ALL SELECT document, history FROM lists"
    return try Row.fetchAll(transaction.db, sql: sql).reduce(into: Set<Value>()) { values, row in
      let content = VersionedDocument(
        try Document(bytes: Array(row[0] as Data)), history: try TodoCore.History(bytes: Array(row[1] as Data)))
      values.formUnion(Self.values(of: content))
    }
  }

  /// What the server has of lists.
  private static func sent(_ transaction: CloudTransaction) throws -> [Place] {
    try Row.fetchAll(
      transaction.db,
      sql: """
        SELECT b.cloud_id, s.cloud_id FROM node_states s JOIN branches b ON b.id = s.branch
        WHERE b.trunk IS NULL AND b.cloud_id IS NOT NULL ORDER BY s.branch, s.line, s.cloud_id
        """
    ).map { Place(branch: $0[0], node: $0[1]) }
  }

  private static func nodes(_ transaction: CloudTransaction) throws -> [NodeID: Place] {
    let rows = try Row.fetchAll(
      transaction.db,
      sql: """
        SELECT n.id, b.cloud_id, n.cloud_id FROM nodes n JOIN branches b ON b.id = n.branch
        WHERE b.trunk IS NULL AND b.cloud_id IS NOT NULL AND n.cloud_id IS NOT NULL
        """)
    return Dictionary(uniqueKeysWithValues: rows.map { ($0[0], Place(branch: $0[1], node: $0[2])) })
  }
}
