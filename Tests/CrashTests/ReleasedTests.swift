import CloudAPI
import CloudServer
import Foundation
import GRDB
import Sharing
import Signing
import TestSupport
import Testing
import TodoCore
import Treesystem

/// Whoever updates finds everything as it was, and goes on from there.
@Suite struct ReleasedTests {
  @Test func someVersionIsKept() {
    #expect(Released.versions.map(\.version).contains("0.1.0"))
  }

  @Test(arguments: Released.versions, Released.people)
  func everythingIsThereAfterAnUpdate(_ released: Released, _ person: String) throws {
    let world = try ReleasedWorld(released)
    let device = try world.device(person)
    #expect(try device.facts == released.facts(person))
    #expect(try device.database.integrityProblems().isEmpty)
    let broken = try DatabaseQueue(path: world.path(person)).read {
      try Row.fetchAll($0, sql: "PRAGMA foreign_key_check")
    }
    #expect(broken.isEmpty)
  }

  /// What people brought to a server before it counted that is theirs from the first start on.
  @Test(arguments: Released.versions)
  func whatWasThereIsCountedAfterAnUpdate(_ released: Released) throws {
    let world = try ReleasedWorld(released)
    #expect(try world.storage.miscounted().isEmpty)
    let alice = try world.device("alice").database.read { try $0.requireAccount().user }
    #expect(try world.storage.read { try $0.bytes(of: alice) } > 5000)
  }

  /// What is here and what is on the server meet as if nobody had updated.
  @Test(arguments: Released.versions)
  func syncGoesOnAfterAnUpdate(_ released: Released) async throws {
    let world = try ReleasedWorld(released)
    let (alice, bob) = (try world.device("alice"), try world.device("bob"))
    let refused = try bob.facts.operations["refused"]
    for _ in 0..<2 {
      for device in [alice, bob] { #expect(try await device.session.sync().troubles.isEmpty) }
    }
    #expect(try alice.facts.operations.isEmpty)
    #expect(refused == 2)
    #expect(try bob.facts.operations == ["refused": 2])
    let trip = try alice.titles("Trip")
    #expect(trip == ["Trip two", "Trip uno", "tickets"])
    #expect(try bob.titles("Our trip") == trip)
    // What bob may no longer send stays with him alone.
    #expect(try alice.titles("Groceries") == bob.titles("Groceries").filter { $0 != "too late" }.map(\.asAliceSeesIt))
    #expect(try bob.titles("Groceries").contains("sealed, then edited"))
    #expect(try bob.titles("Groceries").contains("pending one"))
    for device in [alice, bob] {
      #expect(try device.database.read { try $0.quarantined().isEmpty })
      #expect(try device.database.integrityProblems().isEmpty)
    }
  }

  @Test(arguments: Released.versions)
  func aNewDeviceReadsWhatAReleasedOneWrote(_ released: Released) async throws {
    let world = try ReleasedWorld(released)
    let alice = try world.device("alice")
    _ = try await alice.session.sync()
    let root = try #require(try alice.database.read { try $0.root() })
    let phone = try world.newDevice("phone")
    try await phone.session.logIn(root: root, handle: "alice", server: "test")
    #expect(try await phone.session.sync().troubles.isEmpty)
    #expect(try phone.facts.todos.sorted(by: <) == alice.facts.todos.sorted(by: <))
    #expect(try phone.facts.trash == alice.facts.trash)
  }

  /// Invitations that waited can be accepted, and an account that was never answered for is made after all.
  @Test(arguments: Released.versions)
  func whatWasBegunIsFinishedAfterAnUpdate(_ released: Released) async throws {
    let world = try ReleasedWorld(released)
    let (bob, dave) = (try world.device("bob"), try world.device("dave"))
    let invite = try #require(try bob.database.read { try $0.invites() }.first { $0.title == "Work" })
    #expect(invite.note == "about Work" && invite.senderName == "alice")
    try bob.database.write { _ = try $0.graftInvite(invite.number) }
    _ = try await bob.session.sync()
    #expect(try bob.titles("Work") == ["Work one", "Work two"])
    let address = try #require(try dave.serverToSignUpAt(world.path("dave")))
    try await dave.session.signUp(handle: "dave", server: address)
    #expect(try await dave.session.sync().unsent == 0)
    #expect(try dave.titles("Todo list") == ["waiting"])
  }

  /// A migration that was released is never edited: an old database comes to the tables that a new one gets.
  @Test(arguments: Released.versions, Released.people)
  func anOldProfileHasTheTablesOfANewOne(_ released: Released, _ person: String) throws {
    let world = try ReleasedWorld(released)
    let (old, new) = (try world.device(person), try world.newDevice("new"))
    #expect(try schema(old.path) == schema(new.path))
  }

  @Test(arguments: Released.versions)
  func anOldServerHasTheTablesOfANewOne(_ released: Released) throws {
    let (old, new) = (try ReleasedWorld(released), try World())
    let paths = [old.folder, new.folder].map { $0.appending(path: "server/todo-server.sqlite").path }
    #expect(try schema(paths[0]) == schema(paths[1]))
    #expect(try integrityProblems(paths[0]).isEmpty)
  }
}

/// Every table, index and trigger, as it was made.
private func schema(_ path: String) throws -> [String: String] {
  try DatabaseQueue(path: path).read { db in
    try Row.fetchAll(db, sql: "SELECT type || ' ' || name, coalesce(sql, '') FROM sqlite_master")
      .reduce(into: [:]) { $0[$1[0] as String] = $1[1] as String }
  }
}

extension Facts.Todo {
  fileprivate static func < (a: Self, b: Self) -> Bool { a.id < b.id }
}

extension String {
  /// Bob's edit of the eggs was refused.
  fileprivate var asAliceSeesIt: String { self == "twelve eggs" ? "ten eggs" : self }
}

extension Device {
  /// The open and done titles of a list, sorted.
  fileprivate func titles(_ list: String) throws -> [String] {
    try facts.todos.filter { $0.list == list }.map(\.title).sorted()
  }

  /// Where a sign-up was sent that nobody confirmed.
  fileprivate func serverToSignUpAt(_ path: String) throws -> String? {
    try DatabaseQueue(path: path).read { try String.fetchOne($0, sql: "SELECT server FROM account") }
  }
}
