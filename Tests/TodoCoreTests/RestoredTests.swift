import CloudAPI
import Foundation
import GRDB
import Sharing
import Signing
import TestSupport
import Testing
import Treesystem

@testable import TodoCore

/// A profile that came back from a backup meets what it wrote after the backup was made.
final class RestoredTests {
  private let world: World
  private let bob: Device
  private let list: String
  private var alice: Device

  init() async throws {
    world = try World(seed: "restored")
    alice = try await world.person("alice")
    bob = try await world.person("bob")
    list = try alice.database.write { transaction in
      guard case .list(let list) = try transaction.addList(ListName("Groceries")) else { throw TreeError.nameTaken }
      try transaction.addTodos([Title("milk"), Title("eggs")], to: list.node)
      return list.name
    }
    _ = try await alice.session.sync()
    _ = try await alice.session.sync()
  }

  private func todo(_ title: String, _ transaction: CloudTransaction) throws -> Todo {
    guard case .one(let todo) = try transaction.findTodo(title) else { throw TreeError.noSuchNode }
    return todo
  }

  private func change(_ title: String, _ body: (CloudTransaction, Todo) throws -> Void) throws {
    world.clock.advance(10)
    try alice.database.write { try body($0, todo(title, $0)) }
  }

  /// Goes back to the state of the profile that `backup` copied.
  private func restore(_ name: String) throws {
    alice = try world.device(name)
  }

  private func backup(_ name: String) throws {
    try DatabaseQueue(path: alice.path).writeWithoutTransaction { db in
      try db.execute(sql: "VACUUM INTO ?", arguments: [world.folder.appendingPathComponent("\(name).db").path])
    }
  }

  /// Every value that is shown, by its stamp, and every stamp in use.
  private func documents(of device: Device) throws -> [String: Document] {
    try device.database.read { transaction in
      let rows = try Row.fetchAll(transaction.db, sql: "SELECT todo_id, document FROM todos")
      return Dictionary(uniqueKeysWithValues: try rows.map { ($0[0], try Document(bytes: Array($0[1] as Data))) })
    }
  }

  /// A device that has nothing but what the server has.
  private func fresh() async throws -> Device {
    let device = try world.device("fresh")
    let root = try #require(try alice.database.read { try $0.root() })
    try await device.session.logIn(root: root, handle: "alice", server: "test")
    _ = try await device.session.sync()
    return device
  }

  /// What a later version of this program adds to a value goes along to the new replica.
  @Test func whatThisVersionDoesNotKnowStays() throws {
    let (old, new) = (Replica(bytes: [UInt8](repeating: 1, count: 8)), Replica(bytes: [UInt8](repeating: 2, count: 8)))
    var write = Register(field: 1, value: [65], stamp: Stamp(time: 7, replica: try #require(old)))
    write.unknown = [0xC0, 0x3E, 1]
    let moved = try write.restamped(#require(old), after: 6, as: #require(new))
    #expect(moved.stamp.replica == new && moved.unknown == write.unknown && moved.value == write.value)
    #expect(try write.restamped(#require(old), after: 7, as: #require(new)) == write)
  }

  @Test(arguments: [true, false])
  func noEditIsLostAndBothConverge(_ writesBeforeSync: Bool) async throws {
    try change("milk") { try $0.addTag(Tag("old"), to: $1) }
    _ = try await alice.session.sync()
    try backup("backup")
    let before = try alice.database.read { try $0.knownReplica() }
    try change("milk") { try $0.addTag(Tag("lost"), to: $1) }
    try change("milk") { try $0.setNote(Note("of the other life"), of: $1) }
    _ = try await alice.session.sync()
    try restore("backup")
    if writesBeforeSync {
      // The very same milliseconds as in the other life, and later ones.
      world.clock.advance(-20)
      for tag in ["new", "newer", "newest"] { try change("milk") { try $0.addTag(Tag(tag), to: $1) } }
      try change("milk") { try $0.removeTag(Tag("old"), from: $1) }
      try change("milk") { try $0.setNote(Note("of this life"), of: $1) }
      try change("eggs") { try $0.setTitle(Title("ten eggs"), of: $1) }
    }
    for _ in 0..<3 { #expect(try await alice.session.sync().troubles.isEmpty) }
    let after = try alice.database.read { try $0.knownReplica() }
    #expect(before != after)
    if !writesBeforeSync { try change("milk") { try $0.addTag(Tag("newest"), to: $1) } }
    _ = try await alice.session.sync()
    let tags = writesBeforeSync ? ["lost", "new", "newer", "newest"] : ["lost", "newest", "old"]
    let notes = writesBeforeSync ? ["of this life", "of the other life"] : ["of the other life"]
    try alice.database.read { transaction in
      let milk = try todo("milk", transaction)
      #expect(try transaction.tags(of: milk) == tags)
      #expect(try transaction.notes(of: milk) == notes)
    }
    #expect(try await documents(of: fresh()) == documents(of: alice))
    #expect(try alice.database.read { try $0.pendingOperationCount() } == 0)
  }

  @Test func aDeletionOfBeforeTheBackupIsKept() async throws {
    try backup("backup")
    try change("milk") { try $0.addTag(Tag("lost"), to: $1) }
    _ = try await alice.session.sync()
    try restore("backup")
    try change("milk") { try $0.removeTodo($1) }
    try change("eggs") { try $0.removeTodo($1) }
    for _ in 0..<3 { _ = try await alice.session.sync() }
    // Somebody wrote on one of them, unseen: it comes back. The other stays in the trash.
    #expect(try documents(of: alice).values.filter(\.isDeleted).map(\.title) == ["eggs"])
    #expect(try await documents(of: fresh()) == documents(of: alice))
  }

  /// It makes its list anew as far as it knows, and finds it made.
  @Test func aListOfBeforeTheBackupIsMadeOnce() async throws {
    let phone = try await fresh()
    try alice.database.write { transaction in
      guard case .list(let list) = try transaction.addList(ListName("Party")) else { throw TreeError.nameTaken }
      try transaction.addTodos([Title("cake")], to: list.node)
    }
    try backup("backup")
    _ = try await alice.session.sync()
    try restore("backup")
    try change("cake") { try $0.setTitle(Title("big cake"), of: $1) }
    for _ in 0..<3 { for device in [alice, phone] { #expect(try await device.session.sync().troubles.isEmpty) } }
    for device in [alice, phone] {
      #expect(try device.database.read { try $0.lists().map(\.name) } == ["Groceries", "Party"])
      #expect(try device.database.read { try $0.quarantined().isEmpty })
      #expect(try device.database.read { try $0.pendingOperationCount() } == 0)
    }
    #expect(try documents(of: phone) == documents(of: alice))
  }

  /// The root's last row comes after those of what was added to it, which are read by its names' key.
  @Test func aListOfBeforeTheBackupIsReadThoughItWasRenamed() async throws {
    let phone = try await fresh()
    try alice.database.write { _ = try $0.addList(ListName("Party")) }
    try backup("backup")
    _ = try await alice.session.sync()
    _ = try await phone.session.sync()
    try phone.database.write { transaction in
      let party = try #require(try transaction.lists().first { $0.name == "Party" })
      try transaction.addTodos([Title("cake"), Title("lemonade")], to: party.node)
    }
    _ = try await phone.session.sync()
    try phone.database.write { transaction in
      let party = try #require(try transaction.lists().first { $0.name == "Party" })
      _ = try transaction.renameList(party, to: ListName("Feast"))
    }
    _ = try await phone.session.sync()
    try restore("backup")
    for _ in 0..<3 { for device in [alice, phone] { #expect(try await device.session.sync().troubles.isEmpty) } }
    #expect(try alice.database.read { try $0.quarantined().isEmpty })
    #expect(try documents(of: alice).values.map(\.title).sorted() == ["cake", "eggs", "lemonade", "milk"])
    #expect(try documents(of: phone) == documents(of: alice))
  }

  /// It wanted to let bob in, did, and took him off again: what it knows of that is the first.
  @Test func whomItLetInBeforeAndRemovedIsNotLetInAgain() async throws {
    let user = try bob.database.read { try $0.requireAccount().user }
    _ = try await alice.session.lookUp(handle: "bob")
    let node = try alice.database.write { transaction in
      let list = try #require(try transaction.lists().first)
      try transaction.share(list.node, with: user, role: .editor, title: list.name, note: "")
      return list.node
    }
    try backup("backup")
    _ = try await alice.session.sync()
    try alice.database.write { try $0.unshare(node, with: user) }
    _ = try await alice.session.sync()
    try restore("backup")
    for _ in 0..<3 { _ = try await alice.session.sync() }
    #expect(try alice.database.read { try $0.members(of: node).map(\.name) } == ["alice"])
    #expect(try alice.database.read { try $0.pendingOperationCount() } == 0)
  }

  /// What was sealed and never answered for is no other life.
  @Test func anAnswerThatWasLostChangesNothing() async throws {
    let before = try alice.database.read { try $0.knownReplica() }
    try change("milk") { try $0.addTag(Tag("sent"), to: $1) }
    let met = alice.transport.setFate(.replyLost, ofRequest: 1) { $0.path.hasSuffix("batch") }
    _ = try? await alice.session.sync()
    #expect(met.with { $0 } > 0)
    try change("milk") { try $0.addTag(Tag("later"), to: $1) }
    for _ in 0..<3 { _ = try await alice.session.sync() }
    #expect(try alice.database.read { try $0.knownReplica() } == before)
    #expect(try documents(of: alice).values.first { $0.title == "milk" }?.tags == ["later", "sent"])
    #expect(try await documents(of: fresh()) == documents(of: alice))
  }
}
