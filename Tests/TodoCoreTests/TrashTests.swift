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

  /// A whole with a part and a part of that, the middle one in the trash.
  private func nest() throws -> (whole: Todo, middle: Todo, leaf: Todo) {
    try database.write { transaction in
      guard case .list(let list) = try transaction.addList(ListName("Home")) else { throw TreeError.nameTaken }
      func add(_ title: String, below parent: NodeID?) throws -> Todo {
        try transaction.addTodos([part(title, of: parent)], to: list.node)[0]
      }
      let whole = try add("whole", below: nil)
      let middle = try add("middle", below: whole.node)
      return (whole, try transaction.removeTodo(middle), try add("leaf", below: middle.node))
    }
  }

  private func part(_ title: String, of parent: NodeID?) throws -> NewTodo {
    var new = NewTodo(try Title(title))
    new.parent = parent
    return new
  }

  private func now(_ todo: Todo) throws -> Todo? { try database.read { try $0.todo(todo.node) } }

  @Test func whatIsShownBesideATodoIsNoPartOfIt() throws {
    let (whole, middle, leaf) = try nest()
    #expect(try database.read { try $0.allParts(of: whole) }.isEmpty)
    #expect(try database.read { try $0.allParts(of: middle) }.map(\.node) == [leaf.node])
    let removed = try database.write { transaction in
      _ = try transaction.removeTodo(leaf)
      return try transaction.removedParts(of: whole).map(\.node)
    }
    #expect(removed == [middle.node, leaf.node])
  }

  /// An open todo was deleted for good, on all devices, because something above it was in the trash.
  @Test func whatIsOpenIsNotDeletedWithItsWhole() throws {
    let (whole, middle, leaf) = try nest()
    try database.write { try $0.deleteForGood([middle]) }
    #expect(try now(middle) == nil)
    #expect(try now(leaf)?.state == .open && now(leaf)?.parent == whole.node)
    let below = try database.write { transaction in
      let part = try transaction.addTodos([part("done part", of: whole.node)], to: whole.list)[0]
      _ = try transaction.setDone(true, part)
      try transaction.deleteForGood([transaction.removeTodo(whole)])
      return part
    }
    #expect(try now(whole) == nil)
    #expect(try now(leaf)?.state == .open && now(leaf)?.parent == nil)
    #expect(try now(below)?.state == .done && now(below)?.parent == nil)
  }

  @Test func whatWasTakenOutOfTheTrashMeanwhileIsNotDeleted() throws {
    let (milk, _) = try fill()
    try database.write { transaction in
      _ = try transaction.restoreTodo(milk)
      try transaction.deleteForGood([milk])
    }
    #expect(try now(milk)?.state == .open)
  }
}
