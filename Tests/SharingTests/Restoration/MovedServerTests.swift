import CloudAPI
import CloudServer
import Foundation
import Sharing
import Signing
import TestSupport
import Testing
import TodoCore

@testable import Treesystem

/// The account's server is said to have another address.
@Suite struct MovedServerTests {
  private let world: World
  private let alice: Device

  init() async throws {
    world = try World(seed: "moved")
    alice = try await world.person("alice")
    try alice.add("Groceries", "Milk")
    try await alice.sync()
  }

  private func server() throws -> String { try alice.own().server }

  private func move() async throws { try await alice.session.moveAccount(to: "elsewhere") }

  @Test func theSameServerIsBelieved() async throws {
    try await move()
    #expect(try server() == "elsewhere")
    try alice.add("Groceries", "Eggs")
    try await alice.sync()
    #expect(try alice.unsent() == 0)
  }

  /// It has gone on meanwhile, by the hands of another device.
  @Test func soIsOneThatIsAhead() async throws {
    let phone = try await alice.second("phone", "alice", in: world)
    try phone.add("Groceries", "Eggs")
    try await phone.sync()
    try await move()
    #expect(try server() == "elsewhere")
  }

  @Test func anotherServerIsNot() async throws {
    let other = try World(seed: "other")
    _ = try await other.person("alice")
    alice.transport.setCloud(other.cloud)
    await #expect(throws: MoveFailure.unknownAccount) { try await move() }
    alice.transport.setCloud(nil)
    await #expect(throws: CloudFailure.unreachable) { try await move() }
    #expect(try server() == "test")
  }

  /// A copy that was made before the last change.
  @Test func oneThatIsBehindIsNot() async throws {
    let copy = try World(copying: world, seed: "copy")
    try alice.add("Groceries", "Eggs")
    try await alice.sync()
    alice.transport.setCloud(copy.cloud)
    await #expect(throws: MoveFailure.behind) { try await move() }
    #expect(try server() == "test")
  }

  @Test func oneWithAShorterKeyringIsNot() async throws {
    let copy = try World(copying: world, seed: "copy")
    _ = try await alice.second("phone", "alice", in: world)
    try await alice.sync()
    alice.transport.setCloud(copy.cloud)
    await #expect(throws: MoveFailure.behind) { try await move() }
  }

  /// A copy that has gone on by itself: as long, or longer, but with another past.
  @Test(arguments: [1, 2]) func oneWithAnotherPastIsNot(_ changes: Int) async throws {
    let root = try #require(try alice.database.read { try $0.root() })
    let phone = try world.device("phone")
    try await phone.session.logIn(root: root, handle: "alice", server: "test")
    try await settle(phone, alice)
    let copy = try World(copying: world, seed: "copy")
    try alice.add("Groceries", "Eggs")
    try await alice.sync()
    let there = try copy.device("phone")
    for number in 0..<changes { try there.add("Groceries", "Bread \(number)") }
    try await there.sync()
    alice.transport.setCloud(copy.cloud)
    await #expect(throws: MoveFailure.otherPast) { try await move() }
    #expect(try server() == "test")
  }
}
