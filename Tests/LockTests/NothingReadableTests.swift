import Foundation
import GRDB
import Sealing
import Sharing
import Signing
import TestSupport
import Testing
import TodoCore
import Treesystem

/// Of what the tables of a shared profile hold nothing lies on the disk of a locked one.
struct NothingReadableTests {
  private let words = [
    "Geheimliste", "gestohlener Titel", "let's tackle this", "Notiz am Rand", "Zettel von bob", "weggeworfen",
    "nur hier und nie gesendet",
  ]

  @Test func noValueOfAnyTableLiesInTheFolder() async throws {
    let (world, path) = try await sharedProfile()
    let stage = try Stage()
    for name in try FileManager.default.contentsOfDirectory(atPath: world.folder.path) where name.hasPrefix("alice.db")
    {
      let file = world.folder.appending(path: name)
      let place = stage.folder.appending(path: name.replacingOccurrences(of: "alice.db", with: "todo.db"))
      try FileManager.default.copyItem(at: file, to: place)
    }
    #expect(path.hasSuffix("alice.db"))
    let values = try Self.values(at: stage.path)
    #expect(values.count > 100)
    let before = try windows(of: stage)
    #expect(words.filter { !lies($0, in: before) } == [])
    #expect(values.count { before.contains($0) } > values.count * 9 / 10, "this test would find them")
    try ProfileSeal(path: stage.path).seal(under: stage.key, stage.keyFile())
    // Open and written to, so that there are a log and its index too.
    let database = try stage.open(stage.key)
    try database.add(["nach dem Schloss geschrieben"])
    #expect(try Set(stage.files().keys).isSuperset(of: ["todo.db", "todo.db-wal", "todo.db-shm", "todo.db.key"]))
    let after = try windows(of: stage)
    #expect(values.filter { after.contains($0) }.isEmpty)
    #expect((words + ["nach dem Schloss geschrieben"]).filter { lies($0, in: after) } == [])
    #expect(!after.contains(Self.window(stage.key.secret.copied(), 0)))
  }

  /// Two people, with something in as many tables as a week of use fills.
  private func sharedProfile() async throws -> (World, String) {
    let world = try World()
    let alice = try await world.person("alice")
    let bob = try await world.person("bob")
    let todos = try alice.database.add(["gestohlener Titel", "weggeworfen", "erledigt und vorbei"], to: "Geheimliste")
    try alice.database.write { transaction in
      try transaction.setNote(Note("Notiz am Rand"), of: todos[0])
      try transaction.setDone(true, todos[2])
    }
    _ = try await alice.session.sync()
    let person = try #require(try await alice.session.lookUp(handle: "bob"))
    try alice.database.write { transaction in
      let list = try #require(try transaction.lists().first { $0.name == "Geheimliste" })
      try transaction.share(
        list.node, with: person.user, role: .editor, title: "Geheimliste", note: "let's tackle this")
    }
    _ = try await alice.session.sync()
    _ = try await bob.session.sync()
    try bob.database.write { transaction in
      let invite = try #require(try transaction.invites().first)
      try transaction.graftInvite(invite.number)
    }
    _ = try await bob.session.sync()
    try bob.database.add(["Zettel von bob"], to: "Geheimliste")
    _ = try await bob.session.sync()
    _ = try await alice.session.sync()
    try alice.database.write { try $0.removeTodo(todos[1]) }
    try alice.database.add(["nur hier und nie gesendet"], to: "Geheimliste")
    return (world, alice.path)
  }

  /// The beginnings of all texts and bytes that stand in any column of any table.
  private static func values(at path: String) throws -> Set<UInt64> {
    try DatabaseQueue(path: path).read { db in
      var values: Set<UInt64> = []
      for table in try String.fetchAll(db, sql: "SELECT name FROM sqlite_schema WHERE type = 'table'") {
        for row in try Row.fetchAll(db, sql: "SELECT * FROM \"\(table)\"") {
          for (_, value) in row {
            let bytes =
              String.fromDatabaseValue(value).map { Array($0.utf8) } ?? [UInt8](Data.fromDatabaseValue(value) ?? Data())
            if bytes.count >= 12, Set(bytes[..<8]).count > 3 { values.insert(window(bytes, 0)) }
          }
        }
      }
      return values
    }
  }

  /// Every eight bytes that follow each other in any file.
  private func windows(of stage: Stage) throws -> Set<UInt64> {
    var windows: Set<UInt64> = []
    for bytes in try stage.files().values where bytes.count >= 8 {
      var window = Self.window(bytes, 0)
      windows.insert(window)
      for byte in bytes[8...] {
        window = window << 8 | UInt64(byte)
        windows.insert(window)
      }
    }
    return windows
  }

  private static func window(_ bytes: [UInt8], _ start: Int) -> UInt64 {
    bytes[start..<start + 8].reduce(0) { $0 << 8 | UInt64($1) }
  }

  private func lies(_ word: String, in windows: Set<UInt64>) -> Bool {
    windows.contains(Self.window(Array(word.utf8), 0))
  }
}
