import CloudAPI
import Foundation
import Sealing
import Sharing
import Signing
import TestSupport
import TodoCore
import Treesystem

/// Alice and bob with one list and one todo on it.
struct Household {
  let world: World
  let alice: Device
  let bob: Device

  init() async throws {
    world = try World(seed: "household")
    alice = try await world.person("alice")
    bob = try await world.person("bob")
    let list = try alice.list("Groceries", "BBQ sauce")
    let friend = try await alice.session.lookUp(handle: "bob")
    try alice.database.write { transaction in
      guard let friend else { throw TreeError.noSuchNode }
      try transaction.share(list, with: friend.user, role: .editor, title: "Groceries", note: "")
    }
    try await alice.sync()
    try await bob.sync()
    try bob.database.write { _ = try $0.graftInvite(try $0.invites()[0].number) }
    for _ in 0..<2 { for device in [bob, alice] { try await device.sync() } }
  }

  /// Has alice attach an image of so many bytes, and bob see that there is one: its file, and its node with him.
  func shared(_ size: Int) async throws -> (file: NodeFile, node: NodeID) {
    let file = try alice.attach(size)
    for device in [alice, bob] { try await device.syncAll() }
    guard let image = try bob.image() else { throw TreeError.noSuchNode }
    return (file, image.node)
  }
}

extension Device {
  @discardableResult
  func list(_ name: String, _ titles: String...) throws -> NodeID {
    try database.write { transaction in
      guard case .list(let list) = try transaction.addList(try ListName(name)) else { throw TreeError.nameTaken }
      try transaction.addTodos(titles.map { try Title($0) }, to: list.node)
      return list.node
    }
  }

  /// The todo with a title, of whatever list.
  func todo(_ title: String = "BBQ sauce") throws -> Todo {
    let todos = try database.read { transaction in
      try transaction.lists().flatMap { try transaction.todos(in: $0.node, .open) }
    }
    guard let todo = todos.first(where: { $0.title == title }) else { throw TreeError.noSuchNode }
    return todo
  }

  /// Attaches a picture of so many bytes.
  @discardableResult
  func attach(
    _ size: Int, to title: String = "BBQ sauce", thumbnail: Int = 3000, after: AfterUpload = .cache
  ) throws -> NodeFile {
    var source = MemorySource(Shelf.bytes(size))
    let file = try database.diskStore.store(
      metadata: [1, 2, 3], thumbnail: Shelf.bytes(thumbnail), data: &source, size: UInt64(size), after: after)
    let todo = try todo(title)
    try database.write { try $0.setImage(file, of: todo) }
    return file
  }

  @discardableResult
  func sync() async throws -> SyncReport { try await session.sync() }

  /// As `todo sync` does it.
  @discardableResult
  func syncAll() async throws -> SyncReport {
    var report = try await sync()
    for _ in 0..<3 where try await session.transferFiles().sent > 0 { report = try await session.sync() }
    return report
  }

  func image(of title: String = "BBQ sauce") throws -> TodoImage? {
    let todo = try todo(title)
    return try database.read { try $0.image(of: todo) }
  }

  /// The image's bytes, if all of them are on this disk.
  func picture(of title: String = "BBQ sauce") throws -> [UInt8]? {
    guard let image = try image(of: title) else { return nil }
    var sink = MemorySink()
    return try database.diskStore.data(of: image.file, into: &sink) ? sink.bytes : nil
  }

  /// How many bytes of bodies went up to, and came down from, the routes of files.
  func fileTraffic() -> (up: Int, down: Int) {
    transport.traffic.with { $0 }.reduce(into: (0, 0)) { sum, exchange in
      let path = exchange.request.path
      if path.hasPrefix("/v1/files/") { sum.0 += exchange.request.body.count }
      if path.hasPrefix("/v1/contents/") { sum.1 += exchange.response?.body.count ?? 0 }
    }
  }

  func size(_ mode: StorageMode) throws -> Int64 { try database.read { try $0.size(of: mode) } }

  func unsent() throws -> Int { try database.read { try $0.pendingOperationCount() } }

  func refused() throws -> [Refusal?] {
    try database.read { try $0.operations().filter { $0.state == .refused }.map(\.reason) }
  }
}
