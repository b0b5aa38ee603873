import CloudAPI
import Sharing
import TestSupport
import Testing
import TodoCore

@testable import Treesystem

/// Images on a server that was set back to a backup.
struct RestoredImageTests {
  /// Bob knows of an image and has never had it: he gives back what he has, and alice her image. Nobody is refused anything.
  @Test func whoNeverHadAnImageIsRefusedNothing() async throws {
    let home = try await Household()
    let backup = try World(copying: home.world, seed: "backup")
    _ = try await home.shared(300_000)
    for device in [home.bob, home.alice] { device.transport.setCloud(backup.cloud) }
    _ = try await home.bob.session.repairServer()
    for _ in 0..<3 { try await home.bob.syncAll() }
    #expect(try home.bob.refused().isEmpty && home.bob.unsent() == 0)
    _ = try await home.alice.session.repairServer()
    for device in [home.alice, home.alice, home.bob] { try await device.syncAll() }
    #expect(try home.alice.refused().isEmpty && home.alice.unsent() == 0)
    let image = try #require(try home.bob.image())
    try await home.bob.session.fetchFile([.data], of: image.node)
    #expect(try home.bob.picture() == home.alice.picture())
  }
}
