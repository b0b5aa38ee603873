import CloudAPI
import Foundation
import Lies
import Sharing
import Signing
import TestSupport
import Testing
import TodoCore

@testable import Treesystem

/// A server takes what a device sends, and goes on with another past, in which somebody deleted what that hung below, and could not have seen it.
@Suite struct OtherPastTests {
  @Test func whatItTookOutlivesADeletionThatDidNotKnowIt() async throws {
    let (alice, bob, world) = try await sharedList(seed: "other past")
    let other = try World(copying: world, seed: "other past, copied")
    bob.transport.setCloud(other.cloud)
    let milk = try bob.todo("Milk")
    _ = try bob.database.write { try $0.addComment(Note("half fat"), to: milk) }
    let alicesThere = try other.device("alice")
    try alicesThere.add("Groceries", "Bread")
    try await settle(alicesThere)
    // What is new there bob never reads.
    let groceries = try bob.branch("Groceries")
    bob.transport.setTamper { request, response in
      Lie(branch: groceries).page(response, to: request) { $0.headHash = Data(Hash32.zeros.bytes) }
    }
    #expect(try await bob.sync().sent == 1)
    #expect(try bob.unsent() == 0)
    bob.transport.setTamper { _, response in response }
    bob.transport.setCloud(world.cloud)
    try alice.deleteForGood("Milk")
    try alice.add("Groceries", "Eggs")
    try await settle(alice, bob, alice)
    for device in [alice, bob] {
      let milk = try device.todo("Milk")
      #expect(try device.database.read { try $0.comments(of: milk).map(\.text) } == ["half fat"])
    }
  }

  /// A server says that there is more than it has, and the device is gone before it asks for that. What was read is judged all the same, once the
  /// server says where its log ends.
  @Test func whatWasReadOfAPageThatWasNotTheLastIsNotDeletedUnseen() async throws {
    let (alice, bob, _) = try await sharedList(seed: "no last page")
    try bob.deleteForGood("Milk")
    try alice.edit("Milk", to: "Oat milk")
    try await settle(alice)
    let groceries = try bob.branch("Groceries")
    let isRead = Locked(false)
    bob.transport.setTamper { request, response in
      Lie(branch: groceries).page(response, to: request) { page in
        page.headLine += 1
        isRead.with { $0 = true }
      }
    }
    bob.transport.setFate { $0.path == Route.pull.path && isRead.with { $0 } ? .lost : .delivered }
    await #expect(throws: CloudFailure.unreachable) { try await bob.sync() }
    bob.transport.setTamper { _, response in response }
    bob.transport.setFate { _ in .delivered }
    try await settle(bob, alice)
    #expect(try alice.titles("Groceries") == ["Oat milk"] && bob.titles("Groceries") == ["Oat milk"])
    #expect(try bob.unsent() == 0 && bob.quarantine().isEmpty)
  }

  /// What a device sent to the copy may be nowhere else: the list stays there, and says why, until this person has decided.
  @Test func whatItTookStaysWhereAnotherDeviceTookTheListOff() async throws {
    let (alice, bob, world) = try await sharedList(seed: "copied list")
    let laptop = try await bob.second("laptop", "bob", in: world)
    try await settle(laptop)
    let other = try World(copying: world, seed: "copied list, copied")
    bob.transport.setCloud(other.cloud)
    try bob.add("Groceries", "Bread")
    for _ in 0..<2 { try await bob.sync() }
    #expect(try bob.unsent() == 0)
    bob.transport.setCloud(world.cloud)
    try alice.add("Groceries", "Eggs")
    try await settle(alice)
    _ = try await bob.sync()
    try laptop.database.write { _ = try $0.leave($0.lists()[0].node) }
    try await settle(laptop)
    for _ in 0..<2 {
      _ = try await bob.sync()
      #expect(try bob.titles("Groceries").contains("Bread"))
      // Alice takes bob off the list.
      try await settle(alice)
    }
  }

  /// A member signs that they have read what is more than a million lines ahead, and the server says that it has so many. Nobody follows it there.
  @Test func nobodyIsLedAlongLinesWithoutEnd() async throws {
    let (_, bob, _) = try await sharedList(seed: "far ahead")
    let groceries = try bob.branch("Groceries")
    try bob.database.write { transaction in
      let branch = try #require(try transaction.branch(groceries))
      let line = try #require(try transaction.cursor(of: branch)).line + Limits.pullLines + 1
      let told = Contradiction(kind: .fork, line: line, known: nil, told: .zeros, reason: .fork)
      try transaction.note(told, of: branch)
    }
    bob.transport.setTamper { request, response in
      Lie(branch: groceries).head(response, to: request) { $0.line += 2 * Limits.pullLines }
    }
    #expect(try await bob.sync().troubles == [groceries: .limitExceeded])
  }
}
