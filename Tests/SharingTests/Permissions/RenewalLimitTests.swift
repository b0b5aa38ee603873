import CloudAPI
import Foundation
import Signing
import TestSupport
import Testing
import TodoCore

@testable import CloudServer
@testable import Sharing
@testable import Treesystem

/// Whoever may not share signs few renewals, and nobody can use up those of another (spec §3.3).
@Suite struct RenewalLimitTests {
  private let stage: Stage

  init() async throws { stage = try await Stage() }

  private func inForce() throws -> PermissionsBody {
    let record = try stage.world.storage.read { try $0.permissions(of: stage.branch) }
    return try PermissionsBody(decoding: #require(record).body)
  }

  /// Signs for mallory what nobody needs.
  private func sendIdle() async throws -> String {
    try await stage.mallory.sync()
    return try await stage.send(Hand(stage.mallory, on: stage.branch).permit { _ in })
  }

  /// Carol, who may only read, ends one device after the other; mallory, an honest editor here, renews each time.
  @Test func whatIsDueIsNotCounted() async throws {
    let (carol, words) = (try stage.carol.user(), try stage.carol.database.read { try $0.root() })
    let root = try #require(words)
    for number in 0...Limits.renewalsOfMember {
      let phone = try stage.world.device("phone\(number)")
      try await phone.session.logIn(root: root, handle: "carol", server: "test")
      try await stage.carol.sync()
      try await stage.carol.session.endDevice(phone.database.read { try $0.requireAccount().device }, withAdded: false)
      stage.world.clock.advance(24 * 3600 * 1000)
      try await stage.mallory.sync()
    }
    let (body, user) = (try inForce(), try stage.mallory.user())
    let position = try stage.world.storage.read { try $0.keyringHead(of: carol)?.position }
    #expect(body.author.user == user)
    #expect(body.entry(of: carol)?.keyringPosition == position)
    #expect(body.epoch > UInt64(Limits.renewalsOfMember))
    for _ in 0..<Limits.renewalsOfMember { #expect(try await sendIdle() == "accepted") }
    #expect(try await sendIdle() == "refused limit-exceeded")
  }

  /// Whose renewal is refused goes on writing, and the next who may renews.
  @Test func aRefusedRenewalKeepsNobodyFromWriting() async throws {
    for _ in 0..<Limits.renewalsOfMember { #expect(try await sendIdle() == "accepted") }
    let epoch = try inForce().epoch
    try await stage.carol.sync()
    try stage.carol.database.write { try $0.leave(try $0.lists()[0].node) }
    try await stage.carol.sync()
    try await stage.mallory.sync()
    try stage.mallory.add("Groceries", "Bread")
    try await stage.mallory.sync()
    let refused = try stage.mallory.database.read { try $0.operations() }
    #expect(refused.map(\.isRenewal) == [true] && refused.map(\.state) == [.refused])
    #expect(try inForce().epoch == epoch)
    try await settle(stage.alice, stage.mallory)
    #expect(try stage.alice.titles("Groceries") == ["Bread", "Eggs", "Milk"])
    #expect(try inForce().epoch == epoch + 1)
    #expect(try stage.mallory.database.read { try $0.operations() }.isEmpty)
  }

  /// One that was refused keeps none back that is due, though nobody has signed anything since.
  @Test func aRefusedRenewalKeepsNoneBackThatIsDue() async throws {
    for _ in 0..<Limits.renewalsOfMember { #expect(try await sendIdle() == "accepted") }
    let phone = try await stage.alice.second("phone", "alice", in: stage.world)
    try await stage.carol.sync()
    try stage.carol.database.write { try $0.leave(try $0.lists()[0].node) }
    try await stage.carol.sync()
    try await stage.mallory.sync()
    #expect(try stage.mallory.database.read { try $0.operations() }.map(\.state) == [.refused])
    let (epoch, user) = (try inForce().epoch, try stage.mallory.user())
    try await stage.alice.session.endDevice(phone.database.read { try $0.requireAccount().device }, withAdded: false)
    try await stage.mallory.sync()
    #expect(try inForce().epoch == epoch + 1 && inForce().author.user == user)
    #expect(try stage.mallory.database.read { try $0.operations() }.isEmpty)
  }
}
