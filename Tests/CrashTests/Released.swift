import CloudAPI
import CloudServer
import Foundation
import GRDB
import Sharing
import Signing
import TestSupport
import TodoCore
import Treesystem

/// A released version: what its programs left in their databases, and what its commands said about it.
struct Released: Sendable, CustomStringConvertible {
  static let folder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .appending(path: "Released")

  /// Every version that is kept.
  static let versions: [Released] = ((try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? [])
    .filter { !$0.contains("README") }.sorted().map(Released.init)

  static let people = ["alice", "bob", "carol", "dave"]

  let version: String

  var description: String { version }

  /// Makes a database from a dump.
  func load(_ name: String, into path: String) throws {
    let dump = try String(contentsOf: Self.folder.appending(path: "\(version)/\(name).sql"), encoding: .utf8)
    let queue = try DatabaseQueue(path: path)
    try queue.writeWithoutTransaction { try $0.execute(sql: dump) }
    try queue.close()
  }

  /// What the commands said about a profile.
  func facts(_ person: String) throws -> Facts {
    let file = Self.folder.appending(path: "\(version)/\(person).json")
    let decoder = JSONDecoder()
    decoder.keyDecodingStrategy = .convertFromSnakeCase
    return try decoder.decode(Facts.self, from: Data(contentsOf: file))
  }
}

/// What a profile shows.
struct Facts: Codable, Equatable {
  struct List: Codable, Equatable {
    let name: String
    let title: String
    let open: Int
  }

  struct Todo: Codable, Equatable {
    let id: String
    let title: String
    let list: String
    let done: Bool
    let createdAt: Int64
    let doneAt: Int64?
  }

  var lists: [List]
  var todos: [Todo]
  var trash: [String]
  /// How many in each state.
  var operations: [String: Int]

  /// What a profile shows now, in the order of the released commands.
  init(_ transaction: CloudTransaction) throws {
    lists = []
    todos = []
    trash = []
    for list in try transaction.lists() {
      lists.append(
        List(name: list.name, title: list.title, open: try transaction.todoCount(in: list.node, .open)))
      let shown = try transaction.todos(in: list.node, .open) + transaction.todos(in: list.node, .done)
      todos += shown.map {
        Todo(
          id: $0.id.text, title: $0.title, list: list.name, done: $0.state == .done, createdAt: $0.createdAt,
          doneAt: $0.doneAt)
      }
      trash += try transaction.todos(in: list.node, .trash).map(\.title)
    }
    trash.sort()
    operations = try transaction.operations().reduce(into: [:]) { $0[$1.state.rawValue, default: 0] += 1 }
  }
}

/// A server and the people's profiles as a version left them, opened with the code of today.
final class ReleasedWorld {
  let released: Released
  let folder: URL
  let storage: SQLiteStorage
  let cloud: Cloud
  /// Later than anything in the dumps.
  let clock = ManualClock(1_900_000_000_000)

  init(_ released: Released) throws {
    self.released = released
    folder = FileManager.default.temporaryDirectory.appending(path: "todo-released-\(UUID().uuidString.prefix(8))")
    let server = folder.appending(path: "server")
    try FileManager.default.createDirectory(at: server, withIntermediateDirectories: true)
    try released.load("server", into: server.appending(path: "todo-server.sqlite").path)
    storage = try SQLiteStorage(folder: server.path)
    cloud = Cloud(storage: storage, blobs: MemoryBlobStore(), policy: .open, clock: clock)
  }

  deinit { try? FileManager.default.removeItem(at: folder) }

  /// Somebody's profile as the version left it.
  func device(_ person: String) throws -> Device {
    try released.load(person, into: path(person))
    return try newDevice(person)
  }

  /// A device with an empty profile.
  func newDevice(_ name: String) throws -> Device {
    try Device(
      path: path(name), transport: InProcessTransport(cloud), clock: clock, entropy: SeededEntropy("released \(name)"))
  }

  func path(_ name: String) -> String { folder.appending(path: "\(name).db").path }
}

extension Device {
  var facts: Facts {
    get throws { try database.read { try Facts($0) } }
  }
}
