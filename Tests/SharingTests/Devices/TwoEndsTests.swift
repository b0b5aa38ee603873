import CloudAPI
import Sharing
import Signing
import TestSupport
import Testing
import TodoCore

@testable import Treesystem

/// Somebody ends two devices, and the answer to what gave their lists a new key after the first one is lost.
@Suite struct TwoEndsTests {
  @Test(arguments: [InProcessTransport.Fate.lost, .replyLost])
  func theSecondOneReadsNothingMoreEither(_ fate: InProcessTransport.Fate) async throws {
    let world = try World(seed: "two ends")
    let laptop = try await world.person("bob")
    try laptop.add("Groceries", "Milk")
    try await settle(laptop)
    let phone = try await laptop.second("phone", "bob", in: world)
    let tablet = try await laptop.second("tablet", "bob", in: world)
    try await settle(phone)
    phone.transport.setFate { $0.path == Route.batch.path ? fate : .delivered }
    try await phone.session.endDevice(laptop.own().device, withAdded: false)
    await #expect(throws: CloudFailure.unreachable) { try await phone.sync() }
    try await phone.session.endDevice(tablet.own().device, withAdded: false)
    phone.transport.setFate { _ in .delivered }
    try await settle(phone)
    let keyring = try #require(try phone.database.read { try $0.keyring($0.requireAccount().user) })
    let generation = try #require(keyring.generation(at: keyring.position)).number
    let groceries = try phone.branch("Groceries")
    try phone.database.read { transaction in
      for branch in [groceries, Trunk.home.cloudID(of: keyring.user)] {
        let id = try #require(try transaction.branch(branch))
        let body = try #require(try transaction.permissions(of: id)).body
        #expect(body.entry(of: keyring.user)?.generation == generation)
        #expect(body.epoch == 3, "a new key for each of the two")
      }
    }
  }
}
