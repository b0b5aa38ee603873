import CloudAPI
import Foundation
import Sealing
import Sharing
import Signing
import TestSupport
import Testing
import TodoCore
import Treesystem

/// A fellow member lists a file of theirs under the content id of somebody else's, in another list: ids are for whoever writes a header to choose.
@Suite struct SameContentTests {
  let home: Household
  var alice: Device { home.alice }
  var bob: Device { home.bob }

  init() async throws { home = try await Household() }

  @Test(arguments: [700_000, 2_500_000, 5_000_000])
  func aFileUnderTheSameContentIDHarmsNoOther(of size: Int) async throws {
    let hers = try alice.attach(2_500_000)
    try await alice.syncAll()
    let his = try await attackAlice(with: hers.content, size)
    #expect(his.content == hers.content && his.root != hers.root)
    alice.transport.clearTraffic()
    let image = try #require(try alice.image(of: "other"))
    #expect(image.file == his)
    try alice.database.write { try $0.markFileAsNeedsDownload(image.node, components: [.thumbnail, .data]) }
    #expect(try await alice.session.transferFiles().troubles.isEmpty)
    #expect(isSame(try alice.picture(of: "other") ?? [], Shelf.bytes(size)))
    let down = alice.fileTraffic().down
    // Hers lies here as before, and is not fetched.
    #expect(isSame(try alice.picture() ?? [], Shelf.bytes(2_500_000)))
    #expect(try alice.database.diskStore.section(.thumbnail, of: hers) == Shelf.bytes(3000))
    #expect(alice.fileTraffic().down == down)
  }

  @Test func whatIsPersistentStaysToo() async throws {
    let hers = try alice.attach(700_000, after: .keep)
    try await alice.syncAll()
    #expect(try alice.size(.persistent) > 700_000)
    _ = try await attackAlice(with: hers.content, 2_500_000)
    let image = try #require(try alice.image(of: "other"))
    try await alice.session.fetchFile([.metadata, .thumbnail, .data], of: image.node)
    #expect(isSame(try alice.picture(of: "other") ?? [], Shelf.bytes(2_500_000)))
    let other = try alice.todo("other")
    try alice.database.write { try $0.delete(other.node) }
    try await alice.syncAll()
    #expect(isSame(try alice.picture() ?? [], Shelf.bytes(700_000)))
    #expect(try alice.size(.persistent) > 700_000)
  }

  /// Bob lists a file of his under this id in a list that he shares with alice, who takes it.
  private func attackAlice(with content: ContentID, _ size: Int) async throws -> NodeFile {
    try await bob.syncAll()
    let entropy = Repeating()
    let mallory = try Device(path: bob.path, transport: bob.transport, clock: home.world.clock, entropy: entropy)
    let list = try mallory.list("Trap", "other")
    entropy.next.with { $0 = content.bytes }
    let file = try mallory.attach(size, to: "other")
    try await mallory.syncAll()
    let friend = try #require(try await mallory.session.lookUp(handle: "alice"))
    try mallory.database.write { try $0.share(list, with: friend.user, role: .viewer, title: "Trap", note: "") }
    try await mallory.syncAll()
    try await alice.syncAll()
    try alice.database.write { _ = try $0.graftInvite(try $0.invites()[0].number) }
    try await alice.syncAll()
    return file
  }
}

/// Entropy of which somebody may choose what is drawn next.
private final class Repeating: Entropy {
  let next = Locked<[UInt8]?>(nil)
  private let other = SeededEntropy("mallory")

  func bytes(_ count: Int) -> [UInt8] {
    next.with { next in
      defer { if next?.count == count { next = nil } }
      return next?.count == count ? next : nil
    } ?? other.bytes(count)
  }
}
