import CloudAPI
import Foundation
import Signing
import SwiftProtobuf
import TestSupport
import Testing
import TodoCore

@testable import CloudServer
@testable import Sharing
@testable import Treesystem

/// Ends of keyrings that come back are held to what holds for those that are sent (spec §4.5, §2.5, §2.7).
@Suite struct KeyringRestoreTests {
  /// Gives the end of somebody's keyring back in another's name.
  private func giveBack(_ entries: [SignedRecord], of user: UserID, by device: Device, on branch: CloudID) async throws
  {
    let head = try Hand(device, on: branch).head
    let message = WireRestoreRequest.with {
      $0.branch = data(branch.bytes)
      $0.afterLine = head.line
      $0.afterHash = data(head.hash.bytes)
      $0.keyrings = [
        .with {
          $0.user = data(user.bytes)
          $0.entries = entries.map(\.wire)
        }
      ]
    }
    _ = try await device.session.connection().call(.restore, message, answer: WireRestored.self)
  }

  private func position(_ user: UserID, in world: World) throws -> UInt32 {
    try #require(try world.storage.read { try $0.keyringHead(of: user) }).position
  }

  /// Another handle, again and again, as a stolen device would sign it: of a few, as an account ever takes only some.
  private func entries(_ count: Int, by hand: Hand) throws -> [SignedRecord] {
    var keyring = try #require(try hand.device.database.read { try $0.keyring(hand.user) })
    for number in 0..<count {
      let entry = KeyringEntryBody(
        user: hand.user, position: keyring.position + 1, previous: keyring.head, signer: hand.identity.device,
        created: 1, change: .setHandle("mallory\(number % 5)", rootKey: nil, rootBoxKey: nil))
      try keyring.append([SignedRecord(signing: entry, with: hand.identity.signingKey)])
    }
    return Array(keyring.entries.suffix(count))
  }

  @Test func aDayHasRoomForSoMany() async throws {
    let stage = try await Stage()
    let mallory = try Hand(stage.mallory, on: stage.branch)
    let before = try position(mallory.user, in: stage.world)
    let entries = try entries(ServerLimits.entriesOfDay + 10, by: mallory)
    try await giveBack(entries, of: mallory.user, by: stage.carol, on: stage.branch)
    #expect(try position(mallory.user, in: stage.world) == before + UInt32(ServerLimits.entriesOfDay))
    // The same once more, or as a stranger's errand: no room today.
    try await giveBack(entries, of: mallory.user, by: stage.carol, on: stage.branch)
    #expect(try position(mallory.user, in: stage.world) == before + UInt32(ServerLimits.entriesOfDay))
    stage.world.clock.advance(24 * 3600 * 1000)
    try await giveBack(entries, of: mallory.user, by: stage.carol, on: stage.branch)
    #expect(try position(mallory.user, in: stage.world) == before + UInt32(entries.count))
  }

  /// An account that was deleted after the backup takes its own lists with it again, and none that others share.
  @Test func aDeletedAccountTakesItsListsAlong() async throws {
    let stage = try await Stage()
    try stage.mallory.add("Diary", "Secret")
    try await stage.mallory.sync()
    let diary = try stage.mallory.branch("Diary")
    let backup = try World(copying: stage.world, seed: "backup")
    let user = try Hand(stage.mallory, on: stage.branch).user
    let before = try position(user, in: backup)
    try await stage.mallory.session.deleteAccount()
    let entries = try stage.world.storage.read { try $0.keyringEntries(of: user, after: before) }
    #expect(try backup.storage.read { try $0.head(of: diary) } != nil)
    stage.carol.transport.setCloud(backup.cloud)
    try await giveBack(entries, of: user, by: stage.carol, on: stage.branch)
    #expect(try position(user, in: backup) == before + UInt32(entries.count))
    #expect(try backup.storage.read { try $0.head(of: diary) } == nil)
    #expect(try backup.storage.read { try $0.head(of: stage.branch) } != nil)
  }
}
