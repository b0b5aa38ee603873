import CloudAPI
import Foundation
import Signing
import SwiftProtobuf
import Testing

@testable import CloudServer

/// What one account can make a server, and others, keep or do.
struct FloodTests {
  private let world: World
  private let alice: Person
  private let bob: Person
  private var inbox: BranchHand

  init() throws {
    world = try World()
    (alice, bob) = (try world.member("alice"), try world.member("bob"))
    inbox = BranchHand(world, Trunk.inbox.cloudID(of: bob.user))
    inbox.permissions = bob.trunkRecords[3]
  }

  /// A message without contents, put and not copied.
  private func message() -> WireOperation {
    var message = inbox.header(parent: inbox.branch, alice)
    message.author.read = LogHead(startOf: inbox.branch)
    message.wrappedKey = entropy.bytes(80)
    message.recipient = bob.user
    message.recipientGeneration = 1
    return inbox.put(message, alice)
  }

  private func burn(_ put: WireOperation) throws -> WireOperation {
    let record = try put.record
    let header = try HeaderBody(decoding: record.body)
    let body = TombstoneBody(
      branch: inbox.branch, cloudID: header.cloudID, version: 2, previous: record.hash,
      permissions: header.permissions, epoch: 1, author: alice.author(read: LogHead(startOf: inbox.branch)),
      operation: .random(entropy), burned: record)
    return .with {
      $0.operation = data(body.operation.bytes)
      $0.delete.tombstone = SignedRecord(signing: body, with: alice.device).wire
    }
  }

  private func words(_ operations: [WireOperation]) throws -> [String] {
    try world.batch(operations, as: alice).map { word($0) }
  }

  @Test func messagesThatArePutCountLikeCopies() throws {
    let taken = try words((0..<130).map { _ in message() })
    #expect(taken.count { $0 == "accepted" } == ServerLimits.messagesOfSender)
    #expect(taken.count { $0 == "refused too-many" } == 30)
  }

  /// A message that was burned leaves two lines for ever, and both are counted. Burning is not refused.
  @Test func puttingAndBurningEndsForTheDay() throws {
    let before = try #require(try world.storage.read { try $0.head(of: inbox.branch) }).line
    for _ in 0..<15 {
      let messages = (0..<80).map { _ in message() }
      let put = try words(messages).map { $0 == "accepted" }
      let burned = try words(try messages.map { try burn($0) }).map { $0 == "accepted" }
      #expect(put == burned)
    }
    let lines = try #require(try world.storage.read { try $0.head(of: inbox.branch) }).line - before
    #expect(lines == UInt64(ServerLimits.messageLinesOfDay))
    #expect(try words([message()]) == ["refused too-many"])
    world.clock.move(by: 24 * 3600 * 1000)
    #expect(try words([message()]) == ["accepted"])
  }

  @Test func oneOperationStandsOnceInABatch() throws {
    let put = message()
    let batch = WireBatch.with { $0.operations = [put, put] }
    #expect(reason(world.send(.batch, batch, as: alice)) == "malformed")
  }

  /// The largest numbers end no server: the request is answered, and so is the next one.
  @Test(arguments: [UInt64.max, 1 << 63, (1 << 53) + 1] as [UInt64]) func aCounterAtItsEndIsMalformed(_ end: UInt64)
    throws
  {
    let put = message()
    var header = try HeaderBody(decoding: try put.record.body)
    header.version = end
    let ended = SignedRecord(signing: header, with: alice.device)
    let body = TombstoneBody(
      branch: inbox.branch, cloudID: header.cloudID, version: 2, previous: ended.hash, permissions: header.permissions,
      epoch: 1, author: alice.author(read: LogHead(startOf: inbox.branch)), operation: .random(entropy),
      burned: ended)
    let tombstone = WireOperation.with {
      $0.operation = data(body.operation.bytes)
      $0.delete.tombstone = SignedRecord(signing: body, with: alice.device).wire
    }
    #expect(try words([tombstone, inbox.put(header, alice)]) == ["refused malformed", "refused malformed"])
    #expect(try words([put]) == ["accepted"])
  }
}
