import CloudAPI
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

  /// Takes a list off this person's tree as a device does that takes it for somebody else's.
  func letGo(_ list: String) throws {
    try database.write { transaction in
      guard let found = try transaction.lists().first(where: { $0.name == list }),
        let pointer = try transaction.pointer(to: found.node)
      else { throw TreeError.noSuchNode }
      try transaction.letGo(of: pointer)
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

/// More of what people do.
extension Device {
  func edit(_ title: String, to new: String) throws {
    let todo = try todo(title)
    try database.write { try $0.setTitle(try Title(new), of: todo) }
  }

  func tick(_ title: String) throws {
    let todo = try todo(title)
    try database.write { try $0.setDone(true, todo) }
  }

  func decline() throws {
    try database.write { transaction in
      guard let invite = try transaction.invites().first else { throw ShareError.noSuchInvite }
      try transaction.declineInvite(invite.number)
    }
  }

  func invites() throws -> [Invite] { try database.read { try $0.invites() } }

  /// Where a todo without a list goes: a name, `shared <name>`, `none` or `unread`.
  func defaultList() throws -> String {
    switch try database.read({ try $0.defaultList() }) {
    case .list(let list): list.name
    case .shared(let list): "shared \(list.name)"
    case .none: "none"
    case .unread: "unread"
    }
  }

  func listNames() throws -> [String] { try database.read { try $0.lists().map(\.name) } }

  func inTrash() throws -> [String] { try database.read { try $0.listsInTrash().map(\.name) } }

  func unsent() throws -> Int { try database.read { try $0.pendingOperationCount() } }

  /// The branch of a list.
  func branch(_ list: String) throws -> CloudID {
    try database.read { transaction in
      guard let found = try transaction.lists().first(where: { $0.name == list }),
        let cloudID = try transaction.cloudID(of: found.branch)
      else { throw TreeError.noSuchNode }
      return cloudID
    }
  }

  /// Does it again while the network fails, the way people do.
  func insist(_ body: () async throws -> Void) async throws {
    for _ in 0..<5 {
      do { return try await body() } catch CloudFailure.unreachable { continue }
    }
    try await body()
  }

  /// Another device of the same person.
  func second(_ name: String, _ handle: String, in world: World) async throws -> Device {
    guard let root = try database.read({ try $0.root() }) else { throw TreeError.notSignedIn }
    let device = try world.device(name)
    try await device.session.logIn(root: root, handle: handle, server: "test")
    try await device.sync()
    return device
  }
}

/// Lets everybody sync until nobody has anything left to send, and once more.
func settle(_ devices: Device...) async throws {
  for _ in 0..<4 {
    for device in devices { try await device.sync() }
    if try devices.allSatisfy({ try $0.unsent() == 0 }) { break }
  }
  for device in devices { try await device.sync() }
}

/// Alice and bob on one list with Milk on it, everything sent and read; that bob joined is no news to alice any more. They are copies of
/// friends who met once.
func sharedList(seed: String = "shared") async throws -> (alice: Device, bob: Device, world: World) {
  let world = try await World(copying: friends.value.world, seed: seed)
  return (try world.device("alice"), try world.device("bob"), world)
}

private struct Friends: @unchecked Sendable {
  let world: World

  /// The seed is none that a copy has: nobody draws the same numbers twice.
  init() async throws {
    world = try World(seed: "friends who meet")
    let alice = try await world.person("alice")
    let bob = try await world.person("bob")
    try alice.add("Groceries", "Milk")
    try await alice.share("Groceries", with: "bob")
    try await alice.sync()
    try await bob.sync()
    try bob.accept()
    try await bob.sync()
    try await alice.sync()
    try alice.database.write { transaction in try transaction.mark(transaction.news(below: .seen), as: .seen) }
  }
}

private let friends = Task { try await Friends() }
