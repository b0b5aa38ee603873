import CloudServer
import Sharing
import TestSupport
import Testing
import TodoCore
import Treesystem

/// What is open is never deleted with something else, whoever does what at the same time.
@Suite struct TrashedWholeTests {
  private func addPart(_ title: String, of whole: String, on device: Device) throws {
    let todo = try device.todo(whole)
    var new = NewTodo(try Title(title))
    new.parent = todo.node
    _ = try device.database.write { try $0.addTodos([new], to: todo.list) }
  }

  private func emptyTrash(on device: Device) throws {
    try device.database.write { transaction in
      for list in try transaction.lists() { try transaction.deleteForGood(transaction.todos(in: list.node, .trash)) }
    }
  }

  /// Alice removes a todo, bob adds a part to it, and alice empties the trash after both have synced.
  @Test func aPartThatSomebodyAddedMeanwhileStays() async throws {
    let (alice, bob, world) = try await sharedList(seed: "a part meanwhile")
    let milk = try alice.todo("Milk")
    try alice.database.write { _ = try $0.removeTodo(milk) }
    try addPart("oat", of: "Milk", on: bob)
    try await settle(alice, bob)
    try emptyTrash(on: alice)
    try await settle(alice, bob)
    try await expectOnly("oat", alice, bob, world)
  }

  /// The same, but alice empties it before she knows.
  @Test func aPartThatIsAddedAtTheSameTimeStays() async throws {
    let (alice, bob, world) = try await sharedList(seed: "a part at the same time")
    let milk = try alice.todo("Milk")
    try alice.database.write { _ = try $0.removeTodo(milk) }
    try addPart("oat", of: "Milk", on: bob)
    try emptyTrash(on: alice)
    try await bob.sync()
    try await settle(alice, bob)
    try await settle(alice, bob)
    for device in [alice, bob] { #expect(try device.todo("oat").state == .open) }
    withExtendedLifetime(world) {}
  }

  /// Bob ticks and retitles what alice hangs elsewhere while she deletes its whole.
  @Test func whatIsChangedMeanwhileIsChangedWhereItHangsThen() async throws {
    let (alice, bob, world) = try await sharedList(seed: "a change meanwhile")
    try addPart("oat", of: "Milk", on: alice)
    try await settle(alice, bob)
    let (milk, oat) = (try alice.todo("Milk"), try bob.todo("oat"))
    try alice.database.write { _ = try $0.removeTodo(milk) }
    try emptyTrash(on: alice)
    try bob.database.write { _ = try $0.setTitle(Title("rice"), of: oat) }
    try await bob.sync()
    try await settle(alice, bob)
    try await expectOnly("rice", alice, bob, world)
  }

  private func expectOnly(_ title: String, _ alice: Device, _ bob: Device, _ world: World) async throws {
    let tablet = try await alice.second("tablet", "alice", in: world)
    try await settle(tablet)
    for device in [alice, bob, tablet] {
      #expect(try device.titles("Groceries") == [title])
      #expect(try device.todo(title).parent == nil)
      #expect(try device.quarantine().isEmpty && device.unsent() == 0)
    }
  }
}
