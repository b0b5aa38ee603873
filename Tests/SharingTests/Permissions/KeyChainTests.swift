import CloudAPI
import CloudServer
import Foundation
import Sealing
import Sharing
import Signing
import SwiftProtobuf
import TestSupport
import Testing
import TodoCore

@testable import Treesystem

/// Mallory, an admin, begins one epoch after the other: that costs later records nothing, and hides nothing that is old.
@Suite struct KeyChainTests {
  private let stage: Stage

  init() async throws {
    stage = try await Stage()
    try await stage.alice.share("Groceries", with: "mallory", role: .admin)
    try await stage.alice.sync()
    try await stage.mallory.sync()
  }

  /// What a record holds of the keys before its own.
  private enum Form {
    case chain, noise
    /// Of every epoch, as records once did.
    case list
  }

  /// Signs as many new epochs, each with a key that everybody gets.
  private func rotate(_ forms: [Form]) async throws {
    let hand = try Hand(stage.mallory, on: stage.branch)
    let readers = try stage.mallory.database.read { transaction in
      try hand.permissions.body.readers.map { ($0, try #require(try transaction.keyring($0)?.generations.last)) }
    }
    var (before, head, keys) = (hand.permissions, hand.head, [hand.key])
    var drafts: [Draft] = []
    for form in forms {
      var body = before.body
      let key = BranchKey(branch: body.branch, epoch: body.epoch + 1, secret: SecretBytes(hand.entropy.bytes(32)))
      let older = form == .list ? keys : [try #require(keys.last)]
      body.version += 1
      body.previous = before.hash
      body.author = Author(
        user: hand.user, device: hand.identity.device, keyringPosition: hand.author().keyringPosition, read: head)
      body.olderKeys = older.map { old in
        let sealed = form == .noise ? hand.entropy.bytes(72) : key.seal(older: old, hand.entropy)
        return OlderKey(epoch: old.epoch, sealed: sealed)
      }
      body.epoch = key.epoch
      body.commitment = key.commitment
      for (user, generation) in readers {
        guard let index = body.entries.firstIndex(where: { $0.user == user }) else { continue }
        body.entries[index].sealedKey = key.box(for: user, generation.publicKey)
      }
      let record = SignedRecord(signing: body, with: hand.identity.signingKey)
      before = try UnverifiedPermissions(record)
      head = head.appending(
        Line(number: head.line + 1, kind: .permissions, cloudID: body.branch, hash: record.hash))
      keys.append(key)
      drafts.append(
        Draft(
          kind: .permissions, node: body.branch, record: record, operationID: .random(hand.entropy),
          sender: stage.mallory))
    }
    #expect(try await send(drafts) == forms.count)
  }

  /// Returns how many the server took.
  private func send(_ drafts: [Draft]) async throws -> Int {
    let identity = try stage.mallory.database.read { try $0.identity() }
    let connection = CloudConnection(
      transport: InProcessTransport(stage.world.cloud), authority: "test",
      signer: .init(caller: Caller(user: identity.user, device: identity.device), key: identity.signingKey),
      clock: stage.world.clock, entropy: SystemEntropy())
    var accepted = 0
    for start in stride(from: 0, to: drafts.count, by: Limits.batchOperations) {
      let some = drafts[start..<min(start + Limits.batchOperations, drafts.count)]
      let batch = WireBatch.with { $0.operations = some.map(\.operation) }
      let outcomes = try await connection.call(.batch, batch, answer: WireOutcomes.self).outcomes
      accepted += outcomes.count { if case .accepted = $0.result { true } else { false } }
    }
    return accepted
  }

  private func join(_ name: String) async throws -> Device {
    let friend = try await stage.world.person(name)
    try await stage.alice.share("Groceries", with: name, role: .viewer)
    try await stage.alice.sync()
    try await friend.sync()
    try friend.accept()
    return friend
  }

  private func inForce() throws -> (body: PermissionsBody, size: Int) {
    let record = try #require(try stage.world.storage.read { try $0.permissions(of: stage.branch) })
    return (try PermissionsBody(decoding: record.body), record.body.count)
  }

  private func expectAll(_ device: Device) throws {
    #expect(try device.titles("Groceries") == ["Eggs", "Milk"])
    #expect(try device.quarantine().isEmpty)
  }

  /// A record held the keys of all epochs before, 78 bytes each: none fitted any more after some 3,360, and nobody could be removed.
  @Test func anAdminDoesNotBecomeIrremovable() async throws {
    try await rotate(.init(repeating: .chain, count: 4000))
    try await stage.alice.sync()
    try stage.alice.database.write { transaction in
      _ = try transaction.unshare(transaction.lists()[0].node, with: stage.mallory.user())
    }
    try await stage.alice.sync()
    let (body, size) = try inForce()
    let mallory = try stage.mallory.user()
    #expect(body.epoch == 4002 && body.letters(of: mallory).isEmpty)
    #expect(body.olderKeys.map(\.epoch) == [4001] && size < 1000)
    let dave = try await join("dave")
    try await dave.sync()
    try expectAll(dave)
    #expect(try dave.database.read { try $0.keyProblems() }.isEmpty)
  }

  /// Several links are noise, and the last is not: whoever has the keys mends what those who come later need.
  @Test func whatIsHiddenUnderAKeyThatOpensIsMended() async throws {
    try await rotate([.noise, .noise, .noise, .chain])
    try await stage.alice.sync()
    let body = try inForce().body
    #expect(body.epoch == 6 && body.olderKeys.map(\.epoch) == [1, 2, 3, 5])
    try expectAll(try await joined("dave"))
    // It is mended once, and the next record is as short as ever.
    try await stage.mallory.sync()
    try await rotate([.chain])
    try await stage.alice.sync()
    #expect(try inForce().body.epoch == 7)
    try expectAll(try await joined("erin"))
  }

  private func joined(_ name: String) async throws -> Device {
    let friend = try await join(name)
    try await friend.sync()
    return friend
  }

  /// More than one record takes is mended by several.
  @Test func howeverMuchIsHiddenEachRecordStaysSmall() async throws {
    try await rotate(.init(repeating: .noise, count: Limits.mendedKeys + 50))
    try await stage.alice.sync()
    #expect(try inForce().body.epoch == UInt64(Limits.mendedKeys) + 53)
    let records = try stage.world.storage.read { try $0.permissionsHistory(of: stage.branch, upTo: .max) }
    #expect(try #require(records).allSatisfy { $0.body.count < 12_000 })
    try expectAll(try await joined("dave"))
  }

  /// What older versions wrote: a record with the keys of all epochs before.
  @Test func recordsWithAllOlderKeysAreRead() async throws {
    try await rotate(.init(repeating: .list, count: 5))
    try await stage.alice.sync()
    #expect(try inForce().body.olderKeys.map(\.epoch) == [1, 2, 3, 4, 5])
    try stage.alice.database.write { transaction in
      _ = try transaction.unshare(transaction.lists()[0].node, with: stage.mallory.user())
    }
    try await stage.alice.sync()
    #expect(try inForce().body.olderKeys.map(\.epoch) == [6])
    let dave = try await joined("dave")
    try expectAll(dave)
    #expect(try dave.database.read { try $0.keyProblems() }.isEmpty)
  }

  /// What every record of an epoch repeats leaves room for members in it.
  @Test func aServerTakesNoEndlessList() async throws {
    try await rotate(.init(repeating: .chain, count: Limits.olderKeys + 3))
    try await stage.mallory.sync()
    let hand = try Hand(stage.mallory, on: stage.branch)
    let commitment = try #require(Hash32(bytes: hand.entropy.bytes(32)))
    func fat(_ count: Int) -> Draft {
      hand.permit { body in
        body.olderKeys = (0..<UInt64(count)).reversed().map {
          OlderKey(epoch: body.epoch - $0, sealed: hand.entropy.bytes(72))
        }
        body.epoch += 1
        body.commitment = commitment
      }
    }
    #expect(try await stage.send(fat(Limits.olderKeys + 1)) == "refused limit-exceeded")
    #expect(try await stage.send(fat(Limits.olderKeys)) == "accepted")
  }
}
