import Sharing
import Signing
import TestSupport
import TodoCore
import Treesystem

/// What people do in the tests, in their words.
extension Device {
  /// Adds todos to a list, which is made if need be.
  @discardableResult
  func add(_ list: String, _ titles: String...) throws -> TodoList {
    try database.write { transaction in
      let found = try transaction.lists().first { $0.name == list }
      let target = try found ?? transaction.makeList(list)
      try transaction.addTodos(titles.map { try Title($0) }, to: target.node)
      return target
    }
  }

  /// The open and done titles of a list, sorted, done ones with a tick.
  func titles(_ list: String) throws -> [String] {
    try database.read { transaction in
      guard let found = try transaction.lists().first(where: { $0.name == list }) else { return [] }
      let open = try transaction.todos(in: found.node, .open).map(\.title)
      return try (open + transaction.todos(in: found.node, .done).map { "✓ \($0.title)" }).sorted()
    }
  }

  func todo(_ title: String) throws -> Todo {
    try database.read { transaction in
      for list in try transaction.lists() {
        if let todo = try transaction.todos(in: list.node, .open).first(where: { $0.title == title }) { return todo }
      }
      throw TreeError.noSuchNode
    }
  }

  func share(_ list: String, with handle: String, role: Role = .editor, note: String = "") async throws {
    guard let person = try await session.lookUp(handle: handle) else { throw ShareError.unknownUser(handle) }
    try database.write { transaction in
      guard let found = try transaction.lists().first(where: { $0.name == list }) else { throw TreeError.noSuchNode }
      try transaction.share(found.node, with: person.user, role: role, title: found.title, note: note)
    }
  }

  /// Accepts the only invitation.
  func accept() throws {
    try database.write { transaction in
      guard let invite = try transaction.invites().first else { throw ShareError.noSuchInvite }
      try transaction.graftInvite(invite.number)
    }
  }

  @discardableResult
  func sync() async throws -> SyncReport { try await session.sync() }

  func quarantine() throws -> [Quarantined] { try database.read { try $0.quarantined() } }
}

extension CloudTransaction {
  func makeList(_ name: String) throws -> TodoList {
    switch try addList(try ListName(name)) {
    case .list(let list), .taken(let list): list
    }
  }
}
