import CloudAPI
import Foundation
import Sealing
import Sharing
import Signing
import TestSupport
import Testing
import TodoCore

@testable import Treesystem

/// Mallory, an editor, renews the permissions with keys that open nothing: she signs rightly, so that no server can tell.
@Suite struct JunkKeyTests {
  private let stage: Stage

  init() async throws { stage = try await Stage() }

  /// A new epoch whose key and older keys are noise, for everybody.
  private func junk(_ hand: Hand) -> Draft {
    hand.permit { body in
      let key = BranchKey(branch: body.branch, epoch: body.epoch + 1, secret: SecretBytes(hand.entropy.bytes(32)))
      body.olderKeys = (1...body.epoch).map { OlderKey(epoch: $0, sealed: hand.entropy.bytes(72)) }
      body.epoch += 1
      body.commitment = key.commitment
      body.entries = body.entries.map { entry in
        var entry = entry
        if !entry.sealedKey.isEmpty { entry.sealedKey = hand.entropy.bytes(80) }
        return entry
      }
    }
  }

  private func sendJunk() async throws {
    try await stage.mallory.sync()
    #expect(try await stage.send(junk(Hand(stage.mallory, on: stage.branch))) == "accepted")
  }

  private func epoch(_ device: Device) throws -> UInt64 {
    try device.database.read { transaction in
      let branch = try #require(try transaction.branch(stage.branch))
      return try #require(try transaction.permissions(of: branch)).body.epoch
    }
  }

  @Test func whoeverWritesNextGivesTheListAKeyThatOpens() async throws {
    try await sendJunk()
    try stage.alice.add("Groceries", "Bread")
    try await stage.alice.sync()
    try await stage.carol.sync()
    #expect(try stage.carol.titles("Groceries") == ["Bread", "Eggs", "Milk"])
    #expect(try epoch(stage.carol) == 3)
    for device in [stage.alice, stage.carol] {
      #expect(try device.database.read { try $0.quarantined().isEmpty })
      #expect(try device.unsent() == 0)
    }
  }

  @Test func sheCanBeRemovedAllTheSame() async throws {
    try await sendJunk()
    let list = try stage.alice.database.read { try #require(try $0.lists().first) }
    try stage.alice.database.write { try $0.unshare(list.node, with: try stage.mallory.user()) }
    try await stage.alice.sync()
    try await stage.alice.sync()
    #expect(try stage.alice.unsent() == 0)
    let members = try stage.alice.database.read { try $0.members(of: list.node).map(\.name) }
    #expect(!members.contains("mallory"))
    try stage.alice.add("Groceries", "Champagne")
    try await stage.alice.sync()
    try await stage.carol.sync()
    #expect(try stage.carol.titles("Groceries") == ["Champagne", "Eggs", "Milk"])
  }

  /// What she made of the older keys is not what newcomers get.
  @Test func whoJoinsLaterReadsWhatIsOld() async throws {
    try await sendJunk()
    try await stage.alice.sync()
    let dave = try await stage.world.person("dave")
    try await stage.alice.share("Groceries", with: "dave")
    try await stage.alice.sync()
    try await dave.sync()
    try dave.accept()
    try await dave.sync()
    #expect(try dave.titles("Groceries") == ["Eggs", "Milk"])
    #expect(try dave.database.read { try $0.quarantined().isEmpty })
  }

  /// Where two begin the same epoch, the one that lost is no key of the list.
  @Test func aKeyThatLostIsForgotten() async throws {
    try await sendJunk()
    try stage.alice.database.write { transaction in
      let branch = try #require(try transaction.branch(stage.branch))
      try transaction.setBranchKey(SecretBytes(SystemEntropy().bytes(32)), of: branch, epoch: 2)
    }
    try stage.alice.add("Groceries", "Bread")
    try await stage.alice.sync()
    try await stage.carol.sync()
    #expect(try stage.carol.titles("Groceries") == ["Bread", "Eggs", "Milk"])
    #expect(try epoch(stage.carol) == 3)
  }

  @Test func sheCannotDoThatForEver() async throws {
    var sent = 0
    while sent < 200 {
      try await stage.alice.sync()
      try await stage.mallory.sync()
      guard try await stage.send(junk(Hand(stage.mallory, on: stage.branch))) == "accepted" else { break }
      sent += 1
    }
    #expect(sent == 32)
    try stage.alice.add("Groceries", "Bread")
    try await stage.alice.sync()
    try await stage.carol.sync()
    #expect(try stage.carol.titles("Groceries") == ["Bread", "Eggs", "Milk"])
  }

  /// What mallory puts into the box of a viewer.
  enum Noise: CaseIterable {
    case bytes, anotherKey, anotherBox, boxOfAnother
  }

  /// A new epoch whose key everybody has but carol, who may only read.
  private func noise(_ noise: Noise, _ hand: Hand, for victim: UserID) throws -> Draft {
    let keyrings = try hand.device.database.read { transaction in
      try hand.permissions.body.readers.map { try ($0, #require(try transaction.keyring($0))) }
    }
    return hand.permit { body in
      let key = BranchKey(branch: body.branch, epoch: body.epoch + 1, secret: SecretBytes(hand.entropy.bytes(32)))
      let other = BranchKey(branch: body.branch, epoch: key.epoch, secret: SecretBytes(hand.entropy.bytes(32)))
      body.olderKeys = [OlderKey(epoch: 1, sealed: key.seal(older: hand.key, hand.entropy))]
      body.epoch = key.epoch
      body.commitment = key.commitment
      for (index, entry) in body.entries.enumerated() {
        guard let (user, keyring) = keyrings.first(where: { $0.0 == entry.user }),
          let userKey = keyring.generation(at: entry.keyringPosition)?.publicKey
        else { continue }
        body.entries[index].sealedKey =
          switch user == victim ? noise : nil {
          case nil: key.box(for: user, userKey)
          case .bytes: hand.entropy.bytes(80)
          case .anotherKey: other.box(for: user, userKey)
          case .anotherBox: userKey.sealBox(key.secret, hand.entropy)
          case .boxOfAnother: key.box(for: hand.user, userKey)
          }
      }
    }
  }

  /// Noise for those who may only read, while all who write have the key: whoever has it can tell, and gives it to them.
  @Test(arguments: Noise.allCases) func whoMayOnlyReadIsGivenTheKey(_ kind: Noise) async throws {
    try await stage.mallory.sync()
    let hand = try Hand(stage.mallory, on: stage.branch)
    let carol = try stage.carol.user()
    #expect(try await stage.send(noise(kind, hand, for: carol)) == "accepted")
    try stage.alice.add("Groceries", "Bread")
    try await stage.alice.sync()
    try await stage.carol.sync()
    #expect(try stage.carol.titles("Groceries") == ["Bread", "Eggs", "Milk"])
    #expect(try stage.carol.quarantine().isEmpty)
    #expect(try epoch(stage.carol) == 2, "the key is as good as it was")
    let (box, key) = try stage.alice.database.read { transaction in
      let branch = try #require(try transaction.branch(stage.branch))
      let body = try #require(try transaction.permissions(of: branch)).body
      let secret = try #require(try transaction.branchKey(of: branch, epoch: 2))
      let key = BranchKey(branch: body.branch, epoch: 2, secret: secret)
      let userKey = try #require(try transaction.keyring(carol)?.generations.last?.publicKey)
      return (try #require(body.entry(of: carol)).sealedKey, key.box(for: carol, userKey))
    }
    #expect(box == key)
  }

  /// A key that everybody has, and noise in place of the older ones: with somebody who is added by the same record, or not.
  private func hideOlder(_ hand: Hand, adding friend: (user: UserID, keyring: Keyring)) throws -> Draft {
    let keyrings = try hand.device.database.read { transaction in
      try hand.permissions.body.readers.map { try ($0, #require(try transaction.keyring($0))) }
    }
    return hand.permit { body in
      let key = BranchKey(branch: body.branch, epoch: body.epoch + 1, secret: SecretBytes(hand.entropy.bytes(32)))
      body.olderKeys = (1...body.epoch).map { OlderKey(epoch: $0, sealed: hand.entropy.bytes(72)) }
      body.epoch = key.epoch
      body.commitment = key.commitment
      for (user, keyring) in keyrings + [friend] {
        guard let generation = keyring.generation(at: keyring.position) else { continue }
        let letters = body.entry(of: user)?.letters ?? [.read]
        body.entries.removeAll { $0.user == user }
        body.entries.append(
          PermissionsEntry(
            user: user, letters: letters, keyringPosition: keyring.position, generation: generation.number,
            sealedKey: key.box(for: user, generation.publicKey)))
      }
    }
  }

  /// Somebody who is added by the record that hides what is old reads it once anybody has noticed; whoever comes later reads it at once.
  @Test func whatIsOldIsHiddenFromNobody() async throws {
    let dave = try await stage.world.person("dave")
    let erin = try await stage.world.person("erin")
    try await stage.alice.share("Groceries", with: "mallory", role: .admin)
    try await stage.alice.sync()
    try await stage.mallory.sync()
    let friend = try dave.database.read { transaction in
      let user = try transaction.requireAccount().user
      return (user, try #require(try transaction.keyring(user)))
    }
    let hand = try Hand(stage.mallory, on: stage.branch)
    #expect(try await stage.send(hideOlder(hand, adding: friend)) == "accepted")
    let first = try stage.alice.database.read { transaction in
      try #require(try transaction.branch(stage.branch).flatMap { try transaction.firstPermissions(of: $0) })
    }
    try dave.database.write { transaction in
      _ = try transaction.graftNode(
        withLocalPath: Treepath(.home, stage.branch.description), remoteCloudID: stage.branch, firstPermissions: first)
    }
    try await dave.sync()
    #expect(try dave.quarantine().isEmpty == false, "what is old does not open yet")
    try await stage.alice.sync()
    try await stage.alice.share("Groceries", with: "erin", role: .viewer)
    try await stage.alice.sync()
    try await erin.sync()
    try erin.accept()
    for device in [erin, dave, stage.carol] {
      try await device.sync()
      #expect(try device.titles("Groceries") == ["Eggs", "Milk"])
      #expect(try device.quarantine().isEmpty)
    }
    #expect(try epoch(stage.alice) == 3)
    // It is mended once.
    try await settle(stage.mallory, stage.alice)
    #expect(try epoch(stage.alice) == 3)
  }

  /// What honest people seal gives nobody a reason to renew it.
  @Test func whatIsSealedRightlyIsLeftAlone() async throws {
    func version() throws -> UInt64 {
      try stage.alice.database.read { transaction in
        let branch = try #require(try transaction.branch(stage.branch))
        return try #require(try transaction.permissions(of: branch)).body.version
      }
    }
    let before = try version()
    for device in [stage.alice, stage.mallory] {
      try device.database.write { try $0.noteRenewals() }
      try await settle(device, stage.alice)
    }
    #expect(try version() == before)
  }
}
