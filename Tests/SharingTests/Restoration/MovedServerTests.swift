import CloudAPI
import CloudServer
import Foundation
import Lies
import Sharing
import Signing
import SwiftProtobuf
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

  enum Page: CaseIterable { case empty, invented, ofAnotherBranch }

  /// A copy that was set back says that it is ahead, and that what was read here is its past. It cannot show the last line of that.
  @Test(arguments: Page.allCases) func oneThatOnlySaysSoIsNot(_ page: Page) async throws {
    let copy = try World(copying: world, seed: "copy")
    try alice.add("Groceries", "Eggs")
    try await alice.sync()
    alice.transport.setCloud(copy.cloud)
    alice.transport.setTamper { request, response in
      if request.path == Route.heads.path, var heads = try? decode(WireHeads.self, response.body) {
        for index in heads.branches.indices { heads.branches[index].line += 100 }
        return response.carrying(heads)
      }
      guard request.path == Route.pull.path, let asked = try? decode(WirePullRequest.self, request.body),
        let cloudID = CloudID(bytes: asked.branch)
      else { return response }
      let other = CloudID(bytes: [UInt8](repeating: 7, count: 16))!
      let lines = (1...2).map { Line(number: asked.afterLine + $0, kind: .header, cloudID: other, hash: .zeros) }
      return .told(
        WirePage.with {
          $0.branch = data(page == .ofAnotherBranch ? other.bytes : cloudID.bytes)
          if page != .empty { $0.lines = data(lines.flatMap(\.encoded)) }
          $0.headLine = asked.afterLine + 100
          $0.headHash = data(Hash32.zeros.bytes)
        })
    }
    await #expect(throws: MoveFailure.self) { try await move() }
    #expect(try server() == "test")
  }
}
