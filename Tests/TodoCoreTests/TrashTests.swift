import Foundation
import Sharing
import TestSupport
import Testing
import TodoCore
import Treesystem

/// How todos in the trash are referred to, and what is known of them.
struct TrashTests {
  private let profile: LocalProfile
  private var clock: ManualClock { profile.clock }
  private var database: CloudDatabase { profile.database }

  init() throws { profile = try LocalProfile("trash") }

  /// Milk is in the trash, eggs are not.
  private func fill() throws -> (milk: Todo, eggs: Todo) {
    try database.write { transaction in
      guard case .list(let list) = try transaction.addList(ListName("Groceries")) else { throw TreeError.nameTaken }
      let todos = try transaction.addTodos([Title("milk"), Title("eggs")], to: list.node)
      clock.advance(1000)
      return (try transaction.removeTodo(todos[0]), todos[1])
    }
  }

  private func find(_ reference: String, _ wanted: TodoState) throws -> TodoResolution {
    try database.read { try $0.findTodo(reference, wanted: wanted) }
  }

  @Test func whatIsInTheTrashGoesByIdTitleAndListThere() throws {
    let (milk, _) = try fill()
    for reference in ["MILK", "groceries/milk", milk.shortID] {
      guard case .one(let found) = try find(reference, .trash) else {
        Issue.record("\(reference)")
        continue
      }
      #expect(found.node == milk.node)
    }
  }

  @Test func whatIsElsewhereIsNamedAndNotTaken() throws {
    let (milk, eggs) = try fill()
    for (reference, wanted, expected) in [
      ("milk", TodoState.open, milk), (milk.shortID, .open, milk), ("milk", .done, milk), ("eggs", .trash, eggs),
      (eggs.shortID, .trash, eggs),
    ] {
      guard case .otherState(let others) = try find(reference, wanted) else {
        Issue.record("\(reference)")
        continue
      }
      #expect(others.map(\.node) == [expected.node])
    }
    guard case .unknown = try find("bread", .trash) else {
      Issue.record("bread is nowhere")
      return
    }
  }

  @Test func theTimeOfARemovalIsKnownUntilItIsUndone() throws {
    let (milk, eggs) = try fill()
    #expect(milk.removedAt == clock.now())
    #expect(eggs.removedAt == nil)
    clock.advance(1000)
    let again = try database.write { try $0.removeTodo(milk) }
    #expect(again.removedAt == milk.removedAt)
    let back = try database.write { try $0.restoreTodo(milk) }
    #expect(back.state == .open)
    #expect(back.removedAt == nil)
  }
}
