import CloudAPI
import GRDB
import Sharing
import Signing
import TestSupport
import Testing
import TodoCore
import Treesystem

/// What arrives from others is joined with what is here, whatever it is.
struct DelegateTests {
  @Test func editsOfTwoDevicesAreBothKept() async throws {
    let world = try World(seed: "delegate")
    let phone = try await world.person("alice")
    let list = try phone.database.write { transaction -> TodoList in
      guard case .list(let list) = try transaction.addList(ListName("Groceries")) else { throw TreeError.nameTaken }
      try transaction.addTodos([Title("milk")], to: list.node)
      return list
    }
    _ = try await phone.session.sync()
    let content = try phone.database.write { transaction -> NodeData in
      let todo = try transaction.todos(in: list.node, .open)[0]
      guard let node = try transaction.node(todo.node) else { throw TreeError.noSuchNode }
      let same = try TodoDelegate().content(of: node, in: transaction)
      return same
    }
    try phone.database.write { transaction in
      let todo = try transaction.todos(in: list.node, .open)[0]
      guard let node = try transaction.node(todo.node) else { throw TreeError.noSuchNode }
      #expect(try TodoDelegate().receive(.put(node, content), in: transaction) == .settled)
      try transaction.setTitle(Title("oat milk"), of: todo)
      #expect(try TodoDelegate().receive(.put(node, content), in: transaction) == .differs)
      #expect(throws: DocumentError.malformed) {
        try TodoDelegate().receive(.put(node, NodeData(data: [0xFF])), in: transaction)
      }
    }
    #expect(try phone.database.read { try $0.todos(in: list.node, .open).map(\.title) } == ["oat milk"])
  }

  /// Whoever reads it from the server calls it by that.
  @Test func aTodoWhoseNameIsNoIDIsCalledByItsNewCloudID() async throws {
    let world = try World(seed: "renumbered")
    let phone = try await world.person("alice")
    try phone.database.write { transaction in
      guard case .list(let list) = try transaction.addList(ListName("Groceries")) else { throw TreeError.nameTaken }
      let todo = try transaction.addTodos([Title("milk")], to: list.node)[0]
      let (old, new) = (CloudID.random(SystemEntropy()), CloudID.random(SystemEntropy()))
      try transaction.db.execute(
        sql: "UPDATE nodes SET name = 'of no todo', cloud_id = ? WHERE id = ?", arguments: [new, todo.node])
      let node = try #require(try transaction.node(todo.node))
      try TodoDelegate().renumbered(node, from: old, in: transaction)
      #expect(try transaction.todo(todo.node)?.id == TodoID(new))
    }
  }

  @Test func titlesThatNobodyMayTypeAreStoredAsTheyCame() async throws {
    let world = try World(seed: "hostile")
    let phone = try await world.person("alice")
    try phone.database.write { transaction in
      guard case .list(let list) = try transaction.addList(ListName("Groceries")) else { throw TreeError.nameTaken }
      let todo = try transaction.addTodos([Title("milk")], to: list.node)[0]
      guard let node = try transaction.node(todo.node) else { throw TreeError.noSuchNode }
      var content = try Document(bytes: TodoDelegate().content(of: node, in: transaction).data)
      let other = try #require(Replica(bytes: [UInt8](repeating: 9, count: 8)))
      try content.write(1, Array("a\u{1B}[2J\nb".utf8), now: 0, replica: other)
      _ = try TodoDelegate().receive(.put(node, NodeData(data: content.bytes)), in: transaction)
      #expect(try transaction.todo(todo.node)?.title == "a\u{1B}[2J\nb")
    }
  }
}
