import Foundation
import GRDB
import Signing
import TodoCore
import Treesystem

/// What people were told is done, and has to be there in the end.
final class Oracle {
  /// A value that a verb wrote, and that it said it had written.
  struct Promise {
    let device: String
    let list: String
    let todo: String
    let register: Register
    /// What it replaced: a later write must not lose to what its author had seen.
    let before: Register?
  }

  /// What no server may ever see: it stands in every text that somebody types.
  static let marker = "\u{1F511}typed"

  private(set) var promises: [Promise] = []
  /// What people who deleted todos for good had read of them, and lists that somebody removed or left.
  private var purges: [String: [VersionedDocument]] = [:]
  private var removedLists: [String: Set<String>] = [:]
  /// Devices that were put back to an older state: what they promised since is void.
  private var voided: Set<Int> = []
  /// The lists that todos were taken from and to.
  private var places: [String: Set<String>] = [:]
  /// The ids that todos got because another one had theirs where they were taken.
  private var newIDs: [String: Set<String>] = [:]
  /// By device and branch, the highest cursor seen.
  private var cursors: [String: Int64] = [:]
  private let nameKeys = NameKeyLaw()

  /// Somebody deleted todos for good, of which they had read so much.
  func purged(_ seen: [String: VersionedDocument]) {
    for (todo, content) in seen { purges[todo, default: []].append(content) }
  }

  /// Whether somebody deleted a value for good, having read it.
  func isPurged(_ promise: Promise) -> Bool {
    ids(of: promise.todo).contains { purges[$0]?.contains { $0.knows(promise.register) } ?? false }
  }

  /// Somebody took a list off their tree, having seen these todos on it.
  func removed(_ list: String, by person: String, seen: Set<String>) {
    removedLists["\(person)/\(list)", default: []].formUnion(seen)
  }

  /// Whether somebody removed a list; and whether they had seen this todo on it.
  func hasRemoved(_ list: String, _ person: String) -> Bool { removedLists["\(person)/\(list)"] != nil }
  func hasRemoved(_ list: String, _ person: String, seeing todo: String) -> Bool {
    removedLists["\(person)/\(list)"].map { !$0.isDisjoint(with: ids(of: todo)) } ?? false
  }

  /// Whether anybody who removed a list had seen this todo on it.
  func isRemoved(_ list: String, seeing todo: String) -> Bool {
    let ids = ids(of: todo)
    return removedLists.contains { $0.key.hasSuffix("/\(list)") && !$0.value.isDisjoint(with: ids) }
  }

  /// Somebody took a todo to another list, whose fate it shares from then on.
  func moved(_ todo: String, from old: String, to list: String) { places[todo, default: []].formUnion([old, list]) }

  /// A todo that somebody took to another list has another id there.
  func renamed(_ todo: String, to id: String) { newIDs[todo, default: []].insert(id) }

  /// What a todo is called wherever it is.
  func ids(of todo: String) -> Set<String> {
    var ids: Set<String> = [todo]
    var new = newIDs[todo] ?? []
    while let id = new.popFirst() {
      if ids.insert(id).inserted { new.formUnion(newIDs[id] ?? []) }
    }
    return ids
  }

  /// The lists that a todo was ever on.
  func lists(of promise: Promise) -> Set<String> {
    ids(of: promise.todo).reduce([promise.list]) { $0.union(places[$1] ?? []) }
  }

  /// Somebody gave up what they had written into these todos.
  func discarded(_ todos: Set<String>, on device: String) {
    for (index, promise) in promises.enumerated()
    where promise.device == device && todos.contains(promise.todo) {
      voided.insert(index)
    }
  }

  func promise(_ new: [Promise]) { promises += new }

  /// A device was restored: what it promised after its backup is forgotten, and it may read again what it had read.
  func restored(_ device: String, to count: Int) {
    for (index, promise) in promises.enumerated() where index >= count && promise.device == device {
      voided.insert(index)
    }
    cursors = cursors.filter { !$0.key.hasPrefix("\(device)/") }
  }

  /// The promises that still stand.
  var standing: [Promise] { promises.enumerated().filter { !voided.contains($0.offset) }.map(\.element) }

  /// Nothing that a user typed may pass.
  func checkSecrecy(_ bytes: [UInt8], _ what: String, in world: World) {
    if bytes.withUnsafeBytes({ Self.holdsMarker($0) }) {
      world.fail("the server never sees a title: one stands in \(what)")
    }
  }

  private static let markerBytes = Array(marker.utf8)

  private static func holdsMarker(_ bytes: UnsafeRawBufferPointer) -> Bool {
    var rest = bytes[...]
    while rest.count >= markerBytes.count,
      let hit = memchr(rest.base.baseAddress.map { $0 + rest.startIndex }!, Int32(markerBytes[0]), rest.count)
    {
      let index = hit - UnsafeMutableRawPointer(mutating: bytes.baseAddress!)
      rest = bytes[index...]
      if rest.starts(with: markerBytes) { return true }
      rest = bytes[(index + 1)...]
    }
    return false
  }

  /// A client never goes back. Of its own inbox it goes on with another past, and says so.
  func checkCursors(of process: SimProcess, in world: World) {
    nameKeys.check(process, in: world)
    let rows = try? process.database.read { transaction in
      try Row.fetchAll(
        transaction.db,
        sql: """
          SELECT hex(cloud_id), line FROM branches b WHERE cloud_id IS NOT NULL AND NOT (trunk IS 'inbox' AND EXISTS (
            SELECT 1 FROM findings f WHERE f.branch = b.cloud_id AND f.kind = 'fork' AND f.ended IS NOT NULL)) ORDER BY id
          """)
    }
    guard let rows else { return }
    let prefix = "\(process.device.name)/"
    // What went off the tree is read from its first line when it comes back.
    let known = Set(rows.map { prefix + ($0[0] as String) })
    cursors = cursors.filter { !$0.key.hasPrefix(prefix) || known.contains($0.key) }
    for row in rows {
      let key = prefix + (row[0] as String)
      let line: Int64 = row[1]
      if let before = cursors[key], line < before, line > 0 {
        world.fail("a client never goes back: \(key) from line \(before) to \(line)")
      }
      cursors[key] = line
    }
  }
}

extension Register {
  /// For the history.
  var words: String {
    let text = String(decoding: value.prefix(40), as: UTF8.self)
    return "field \(field) = \(String(text.unicodeScalars.filter { $0.value >= 32 && $0 != "\u{FFFD}" }))"
  }
}

/// A list as a device shows it, to be compared with another device's.
struct ShownList: Equatable {
  struct Item: Equatable {
    let id: String
    let title: String
    let state: String
    let document: [UInt8]
  }

  let title: String
  let items: [Item]
}

extension CloudTransaction {
  /// Every todo of a list, the trash included, in the order that people see.
  func shown(_ list: TodoList) throws -> ShownList {
    let states: [TodoState] = [.open, .done, .trash]
    let items = try states.flatMap { try todos(in: list.node, $0) }.map { todo in
      ShownList.Item(
        id: todo.id.text, title: todo.title, state: todo.state.rawValue,
        document: try Data.fetchOne(
          db, sql: "SELECT document FROM todos WHERE node = ?", arguments: [todo.node]
        ).map { Array($0) } ?? [])
    }
    return ShownList(title: list.title, items: items)
  }

  /// A todo's document and history.
  func content(of node: NodeID) throws -> VersionedDocument? {
    guard
      let row = try Row.fetchOne(db, sql: "SELECT document, history FROM todos WHERE node = ?", arguments: [node])
    else { return nil }
    return VersionedDocument(
      try Document(bytes: Array(row[0] as Data)), history: try TodoCore.History(bytes: Array(row[1] as Data)))
  }
}
