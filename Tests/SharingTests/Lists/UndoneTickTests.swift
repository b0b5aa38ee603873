import CloudAPI
import Dates
import GRDB
import Sharing
import Signing
import TestSupport
import Testing
import Treesystem

@testable import TodoCore

/// A tick of what comes back, and what it brings, belong together.
@Suite struct UndoneTickTests {
  private let alice: Device
  private let bob: Device
  private let world: World
  private let bins: Todo

  init() async throws {
    (alice, bob, world) = try await sharedList(seed: "undone ticks")
    bins = try alice.database.write { transaction in
      let list = try #require(try transaction.lists().first { $0.name == "Groceries" })
      var new = NewTodo(try Title("bins"))
      new.repetition = try Repetition(phrase: "every 3 days")
      new.due = .day(Zone.utc.day(at: transaction.clock.now()))
      let bins = try transaction.addTodos([new], to: list.node)[0]
      var part = NewTodo(try Title("paper"))
      part.parent = bins.node
      _ = try transaction.addTodos([part], to: list.node)
      return bins
    }
    try await settle(alice, bob)
  }

  @discardableResult
  private func tick(_ device: Device) throws -> Todo? {
    try device.database.write { transaction in
      guard case .one(let todo) = try transaction.findTodo(bins.id.text) else { throw TreeError.noSuchNode }
      return try transaction.asAction {
        try transaction.addOccurrence(after: transaction.setDone(true, todo), zone: .utc)
      }
    }
  }

  private func next(_ device: Device) throws -> Todo {
    let todos = try device.database.read { transaction in
      try transaction.lists().flatMap { list in
        try [.open, .trash].flatMap { try transaction.todos(in: list.node, $0) }
      }
    }
    return try #require(todos.first { $0.title == "bins" && $0.id != bins.id })
  }

  private func titles(_ device: Device, _ state: TodoState) throws -> [String] {
    try device.database.read { transaction in
      try transaction.lists().flatMap { list in
        state == .trash ? try transaction.trash(of: list) : try transaction.todos(in: list.node, state)
      }.map(\.title).sorted()
    }
  }

  /// Two ticked; whoever takes back theirs leaves what comes next, because the other tick stays.
  @Test func whereATickStaysItsNextOneDoes() async throws {
    try tick(alice)
    world.clock.advance(1000)
    try tick(bob)
    try await settle(alice, bob, alice)
    let steps = try #require(try alice.database.write { try $0.undo() }?.steps)
    #expect(!steps.contains { !$0.isKept })
    try await settle(alice, bob)
    for device in [alice, bob] { #expect(try titles(device, .open) == ["Milk", "bins", "paper", "paper"]) }
  }

  /// On the next one itself, on a part of it, or as a part that is new.
  @Test(arguments: ["next", "part", "new part"]) func whatOthersWroteOnTheNextOneStays(_ place: String) async throws {
    try tick(alice)
    try await settle(alice, bob)
    let theirs = try next(bob)
    let written = try bob.database.write { transaction in
      var new = NewTodo(try Title("bring snacks"))
      new.parent = theirs.node
      switch place {
      case "next": return try transaction.setNote(Note("bring snacks"), of: theirs)
      case "part":
        return try transaction.setNote(Note("bring snacks"), of: #require(transaction.parts(of: theirs).first))
      default: return try transaction.addTodos([new], to: theirs.list)[0]
      }
    }
    try await settle(bob, alice)
    let steps = try #require(try alice.database.write { try $0.undo() }?.steps)
    #expect(steps.contains { $0.isKept && $0.todo?.title == "bins" })
    try await settle(alice, bob)
    #expect(try next(bob).state == .open)
    #expect(try bob.database.read { try $0.todo(written.node)?.state } == .open)
  }

  /// An undone tick leaves nothing in the trash; what somebody has written on the next one and removed is there.
  @Test func whatWasRemovedIsInTheTrash() throws {
    try tick(alice)
    _ = try alice.database.write { try $0.undo() }
    #expect(try titles(alice, .trash).isEmpty)
    try tick(alice)
    let next = try next(alice)
    _ = try alice.database.write { transaction in
      _ = try transaction.removeTodo(transaction.setNote(Note("important"), of: next))
      return try transaction.setDone(false, transaction.todo(bins.node) ?? bins)
    }
    #expect(try titles(alice, .trash).contains("bins"))
  }

  /// What somebody puts below the next one, into the trash, does not come back under the ticker's name.
  @Test func aTickRestoresOnlyWhatItMade() async throws {
    try tick(alice)
    _ = try alice.database.write { try $0.undo() }
    try await settle(alice, bob)
    let there = try next(bob)
    _ = try bob.database.write { transaction in
      var part = NewTodo(try Title("pay mallory 900"))
      part.parent = there.node
      return try transaction.removeTodo(transaction.addTodos([part], to: bins.list(in: transaction))[0])
    }
    try await settle(bob, alice)
    try tick(alice)
    #expect(try !titles(alice, .open).contains("pay mallory 900"))
    #expect(try titles(alice, .open).filter { $0 == "paper" }.count == 2)
  }

  /// Only whoever says when it is due says by which clock.
  @Test func aClockOfSomebodyElseMovesNothing() async throws {
    let tokyo = Zone(name: "Asia/Tokyo") { _ in 9 * 3600 }
    let moment = When.moment(1_800_000_000_000)
    _ = try alice.database.write { transaction in
      try transaction.setDue(moment, by: ZonedTime(moment, in: tokyo), of: bins)
    }
    try await settle(alice, bob)
    func clock(_ device: Device) throws -> ZonedTime? {
      try device.database.read { transaction in
        guard case .one(let todo) = try transaction.findTodo(bins.id.text) else { return nil }
        return try transaction.document(of: todo.node, in: .todos)?.document.clock
      }
    }
    #expect(try clock(bob)?.zone == "Asia/Tokyo")
    _ = try bob.database.write { transaction in
      guard case .one(let todo) = try transaction.findTodo(bins.id.text) else { throw TreeError.noSuchNode }
      return try transaction.change(todo) { document, now, replica in
        try document.write(.clock, Array("23:00 Pacific/Honolulu".utf8), now: now, replica: replica)
      }
    }
    try await settle(bob, alice)
    for device in [alice, bob] { #expect(try clock(device) == nil) }
  }
}

extension Todo {
  fileprivate func list(in transaction: CloudTransaction) throws -> NodeID {
    guard case .one(let todo) = try transaction.findTodo(id.text) else { throw TreeError.noSuchNode }
    return todo.list
  }
}
