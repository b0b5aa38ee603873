import Sharing
import TestSupport
import Testing
import Treesystem

@testable import TodoCore

/// Taking back what one did oneself.
struct UndoTests {
  private let profile: LocalProfile
  private let list: NodeID
  private var database: CloudDatabase { profile.database }

  init() throws {
    profile = try LocalProfile("undo")
    list = try profile.database.write { transaction in
      guard case .list(let list) = try transaction.addList(ListName("Groceries")) else { throw TreeError.nameTaken }
      return list.node
    }
  }

  private func act<Result>(_ body: (CloudTransaction) throws -> Result) throws -> Result {
    try database.write { transaction in try transaction.asAction { try body(transaction) } }
  }

  private func undo() throws -> Undone? { try database.write { try $0.undo() } }

  private func add(_ titles: String...) throws -> [Todo] {
    try act { try $0.addTodos(titles.map { try Title($0) }, to: list) }
  }

  private func now(_ todo: Todo) throws -> Todo { try #require(try database.read { try $0.todo(todo.node) }) }

  @Test func eachStepTakesBackTheOneBefore() throws {
    let milk = try add("milk")[0]
    _ = try act { try $0.setTitle(Title("oat milk"), of: milk) }
    _ = try act { try $0.setDone(true, $0.todo(milk.node) ?? milk) }
    _ = try act { try $0.setNote(Note("2 litres"), of: $0.todo(milk.node) ?? milk) }
    _ = try act { try $0.addTag(Tag("cold"), to: $0.todo(milk.node) ?? milk) }
    _ = try act { try $0.removeTodo($0.todo(milk.node) ?? milk) }
    #expect(try undo()?.steps.map(\.did) == [["removed"]])
    #expect(try now(milk).state == .done && now(milk).tags == ["cold"])
    #expect(try undo()?.steps.map(\.did) == [["edited"]])
    #expect(try now(milk).tags == [])
    _ = try undo()
    #expect(try database.read { try $0.notes(of: milk) } == [])
    #expect(try undo()?.steps.map(\.did) == [["done"]])
    #expect(try now(milk).state == .open)
    #expect(try undo()?.steps.map(\.did) == [["retitled"]])
    #expect(try now(milk).title == "milk")
    #expect(try undo()?.steps.map(\.did) == [["added"]])
    #expect(try now(milk).state == .trash)
    #expect(try undo() == nil)
  }

  @Test func oneActionIsTakenBackAsOne() throws {
    let todos = try add("milk", "eggs", "tea")
    _ = try act { transaction in for todo in todos { _ = try transaction.setDone(true, todo) } }
    let undone = try #require(try undo())
    #expect(undone.steps.count == 3 && undone.steps.allSatisfy { !$0.isKept })
    #expect(try todos.map { try now($0).state } == [.open, .open, .open])
  }

  @Test func whatHappenedOutsideOfAnActionIsNotTakenBack() throws {
    let milk = try add("milk")[0]
    _ = try database.write { try $0.setDone(true, milk) }
    #expect(try undo()?.steps.map(\.did) == [["added"]])
  }

  @Test func onlyTheLastHundredCanBeTakenBack() throws {
    for number in 0..<105 { _ = try add("todo \(number)") }
    var count = 0
    while try undo() != nil { count += 1 }
    #expect(count == 100)
    #expect(try database.read { try $0.todos(in: list, .open).count } == 5)
  }

  @Test func movesListsAndCommentsAreTakenBack() throws {
    let milk = try add("milk")[0]
    let work = try act { transaction in
      guard case .list(let list) = try transaction.addList(ListName("Work")) else { throw TreeError.nameTaken }
      return list
    }
    _ = try act { try $0.moveTodo(milk, to: work.node) }
    _ = try act { try $0.addComment(Note("half fat"), to: $0.todo(milk.node) ?? milk) }
    _ = try act { try $0.renameList(work, to: ListName("Office")) }
    #expect(try undo()?.steps.map(\.list?.name) == ["Work"])
    _ = try undo()
    #expect(try database.read { try $0.comments(of: milk) }.isEmpty)
    #expect(try undo()?.steps.map(\.did) == [["moved"]])
    #expect(try now(milk).list == list)
    _ = try undo()
    #expect(try database.read { try $0.lists().map(\.name) } == ["Groceries"])
  }

  @Test func aListThatIsNoLongerEmptyStays() throws {
    let work = try act { transaction in
      guard case .list(let list) = try transaction.addList(ListName("Work")) else { throw TreeError.nameTaken }
      return list
    }
    _ = try database.write { try $0.addTodos([Title("report")], to: work.node) }
    #expect(try undo()?.steps.map(\.isKept) == [true])
    #expect(try database.read { try $0.lists().count } == 2)
  }

  @Test func aListWithSomethingElseInItsTrashStays() throws {
    let (work, report) = try act { transaction in
      guard case .list(let list) = try transaction.addList(ListName("Work")) else { throw TreeError.nameTaken }
      return (list, try transaction.addTodos([Title("report")], to: list.node)[0])
    }
    let letter = try database.write { try $0.removeTodo($0.addTodos([Title("letter")], to: work.node)[0]) }
    #expect(try undo()?.steps.map { $0.todo?.title } == ["report"])
    #expect(try database.read { try $0.todos(in: work.node, .trash).map(\.title).sorted() } == ["letter", "report"])
    #expect(try now(letter).state == .trash && now(report).state == .trash)
  }

  /// What another device has made of the todos meanwhile would go with the list.
  @Test func whatIsTakenBackWithItsListIsInTheTrash() throws {
    let (work, report) = try act { transaction in
      guard case .list(let list) = try transaction.addList(ListName("Work")) else { throw TreeError.nameTaken }
      return (list, try transaction.addTodos([Title("report")], to: list.node)[0])
    }
    #expect(try undo()?.steps.map { $0.todo?.title } == ["report"])
    #expect(try now(report).state == .trash)
    #expect(try database.read { try $0.lists().map(\.name).sorted() } == ["Groceries", "Work"])
    #expect(try undo() == nil)
    #expect(try database.write { try $0.restoreTodo(report) }.list == work.node)
  }

  /// It would take back what was done before, which nobody asked for.
  @Test func whatWasDoneForGoodIsSaidAndNothingElseIsTakenBack() throws {
    let milk = try add("milk")[0]
    _ = try act { try $0.removeTodo(milk) }
    let eggs = try add("eggs")[0]
    try act { transaction in try transaction.deleteForGood(transaction.todos(in: list, .trash)) }
    #expect(throws: ActionEnd.trashEmptied) { try undo() }
    #expect(throws: ActionEnd.trashEmptied) { try undo() }
    #expect(try now(eggs).state == .open)
    let groceries = try #require(try database.read { try $0.list(list) })
    try act { try $0.removeList(groceries) }
    #expect(throws: ActionEnd.listRemoved) { try undo() }
  }

  /// A list that went with nothing on it comes back, and what was on it before.
  @Test func aMergeIsTakenBackWhole() throws {
    let todos = try add("milk", "eggs")
    let part = try act { transaction in
      var part = NewTodo(try Title("oats"))
      part.parent = todos[0].node
      return try transaction.addTodos([part], to: list)[0]
    }
    let other = try act { transaction in
      guard case .list(let other) = try transaction.addList(ListName("Food")) else { throw TreeError.nameTaken }
      return other
    }
    try act { transaction in
      for todo in todos { _ = try transaction.moveTodo(todo, to: other.node) }
      try transaction.removeList(#require(try transaction.list(list)))
    }
    #expect(try database.read { try $0.lists().map(\.name) } == ["Food"])
    let undone = try #require(try undo())
    #expect(undone.steps.map(\.did) == [["removed"], ["moved"], ["moved"]] && undone.steps.allSatisfy { !$0.isKept })
    let back = try #require(try database.read { try $0.lists().first { $0.name == "Groceries" } })
    #expect(try database.read { try $0.todos(in: back.node, .open).map(\.title).sorted() } == ["eggs", "milk", "oats"])
    #expect(try now(part).parent == todos[0].node)
    #expect(try undo()?.steps.map(\.list?.name) == ["Food"])
  }

  /// What was moved away before its list went comes back to the one that was made again, step by step.
  @Test func whatLeftBeforeItsListWentComesBack() throws {
    let milk = try add("milk")[0]
    let other = try act { transaction in
      guard case .list(let other) = try transaction.addList(ListName("Food")) else { throw TreeError.nameTaken }
      return other
    }
    try act { _ = try $0.moveTodo(milk, to: other.node) }
    try act { transaction in try transaction.removeList(#require(try transaction.list(list))) }
    #expect(try undo()?.steps.map(\.did) == [["removed"]])
    #expect(try undo()?.steps.map(\.isKept) == [false])
    let back = try #require(try database.read { try $0.lists().first { $0.name == "Groceries" } })
    #expect(try now(milk).list == back.node)
  }

  @Test func theTrashThatWasEmptyEndsNothing() throws {
    _ = try add("milk")
    try act { transaction in try transaction.deleteForGood(transaction.todos(in: list, .trash)) }
    #expect(try undo()?.steps.map(\.did) == [["added"]])
  }

  @Test func aPlaceIsTakenBackToo() throws {
    let todos = try add("milk", "eggs", "tea")
    _ = try act { try $0.moveTodoToTop(todos[2]) }
    #expect(try database.read { try $0.todos(in: list, .open).map(\.title) } == ["tea", "milk", "eggs"])
    _ = try undo()
    #expect(try database.read { try $0.todos(in: list, .open).map(\.title) } == ["milk", "eggs", "tea"])
  }
}

/// The same where somebody else has changed something since.
struct SharedUndoTests {
  @Test func whatOthersHaveChangedSinceStaysAsTheyMadeIt() async throws {
    let world = try World(seed: "shared-undo")
    let phone = try await world.person("alice")
    let milk = try phone.database.write { transaction in
      guard case .list(let list) = try transaction.addList(ListName("Groceries")) else { throw TreeError.nameTaken }
      return try transaction.addTodos([Title("milk")], to: list.node)[0]
    }
    let laptop = try world.device("laptop")
    _ = try await phone.session.sync()
    let root = try #require(try phone.database.read { try $0.root() })
    try await laptop.session.logIn(root: root, handle: "alice", server: "test")
    _ = try await laptop.session.sync()
    _ = try phone.database.write { transaction in
      try transaction.asAction {
        let todo = try transaction.setTitle(Title("oat milk"), of: milk)
        return try transaction.setDone(true, todo)
      }
    }
    _ = try await phone.session.sync()
    _ = try await laptop.session.sync()
    world.clock.advance(1000)
    try laptop.database.write { transaction in
      guard case .one(let todo) = try transaction.findTodo(milk.id.text) else { throw TreeError.noSuchNode }
      _ = try transaction.setTitle(Title("soy milk"), of: todo)
    }
    for device in [laptop, phone] { _ = try await device.session.sync() }
    let undone = try #require(try phone.database.write { try $0.undo() })
    #expect(undone.steps.map(\.isKept) == [true])
    for device in [phone, laptop] { _ = try await device.session.sync() }
    for device in [phone, laptop] {
      let todo = try device.database.read { transaction in
        try transaction.lists().flatMap { try transaction.todos(in: $0.node, .open) }
      }
      #expect(todo.map(\.title) == ["soy milk"])
    }
  }
}
