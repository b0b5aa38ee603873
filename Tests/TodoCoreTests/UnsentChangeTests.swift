import Sharing
import TestSupport
import Testing
import Treesystem

@testable import TodoCore

/// What a change that waits would do, told from what is known of the server's document.
struct UnsentChangeTests {
  private let world: World
  private let phone: Device
  private let list: TodoList

  init() async throws {
    world = try World(seed: "unsent")
    phone = try await world.person("alice")
    list = try phone.database.write { transaction in
      guard case .list(let list) = try transaction.addList(ListName("Groceries")) else { throw TreeError.nameTaken }
      try transaction.addTodos([Title("milk"), Title("eggs")], to: list.node)
      return list
    }
  }

  /// Changes milk, and says what of it waits to be sent.
  private func change(_ body: (CloudTransaction, Todo) throws -> Void) throws -> UnsentChange? {
    world.clock.advance(10)
    return try phone.database.write { transaction in
      let all = try [.open, .done, .trash].flatMap { try transaction.todos(in: list.node, $0) }
      let milk = try #require(all.first { $0.title.contains("milk") })
      try body(transaction, milk)
      return try transaction.unsentChange(of: milk.node)
    }
  }

  private func sync() async throws { _ = try await phone.session.sync() }

  @Test func whatTheServerNeverHadIsAddedWhateverWasDoneToIt() throws {
    #expect(try change { try $0.setTitle(Title("oat milk"), of: $1) } == UnsentChange(kinds: [.added], isMoved: false))
    #expect(try phone.database.read { try $0.unsentChange(of: list.node)?.kinds } == [.added])
  }

  @Test func whatWasSentIsToldFromWhatWasNot() async throws {
    try await sync()
    #expect(try change { try $0.setTitle(Title("oat milk"), of: $1) }?.kinds == [.retitled])
    #expect(try change { try $0.setDone(true, $1) }?.kinds == [.retitled, .done])
    try await sync()
    #expect(try change { try $0.setDone(false, $1) }?.kinds == [.reopened])
    try await sync()
    #expect(try change { try $0.moveTodoToBottom($1) } == UnsentChange(kinds: [], isMoved: true))
    #expect(try change { try $0.setNote(Note("2 litres"), of: $1) } == UnsentChange(kinds: [.edited], isMoved: true))
  }

  @Test func aNoteIsToldBesideAnythingElse() async throws {
    try await sync()
    _ = try change { try $0.setTitle(Title("oat milk"), of: $1) }
    #expect(try change { try $0.setNote(Note("2 litres"), of: $1) }?.kinds == [.retitled, .edited])
    #expect(try change { try $0.removeTodo($1) }?.kinds == [.removed, .edited])
  }

  /// Of what is given up where nothing can be fetched any more.
  @Test func theNoteThatWasReplacedIsTakenBack() async throws {
    _ = try change { try $0.setNote(Note("2 litres"), of: $1) }
    try await sync()
    _ = try change { try $0.setNote(Note("3 litres"), of: $1) }
    try phone.database.write { transaction in
      let operation = try #require(try transaction.operations().first)
      try transaction.discardOperation(operation.sequence)
      let milk = try #require(try transaction.todos(in: list.node, .open).first { $0.title == "milk" })
      #expect(try transaction.notes(of: milk) == ["2 litres"])
    }
  }

  @Test func aRemovalAndAReturnAreNoRenaming() async throws {
    try await sync()
    #expect(try change { try $0.removeTodo($1) }?.kinds == [.removed])
    try await sync()
    #expect(try change { try $0.restoreTodo($1) }?.kinds == [.restored])
    #expect(try change { try $0.setTitle(Title("oat milk"), of: $1) }?.kinds == [.restored, .retitled])
  }

  @Test func whatADeletionTookHasItsTitle() async throws {
    try await sync()
    let taken = try phone.database.write { transaction in
      let milk = try #require(try transaction.todos(in: list.node, .open).first)
      try transaction.delete(milk.node)
      let deletion = try #require(try transaction.operations().first { $0.kind == .delete })
      return try transaction.taken(by: deletion)
    }
    #expect(taken?.kind == .todo && taken?.title == "milk")
  }
}
