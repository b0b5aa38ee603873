import CloudAPI
import Foundation
import Sealing
import Sharing
import Signing
import TestSupport
import Testing
import TodoCore
import Treesystem

/// What becomes of images when somebody makes a list of their own of one that ended for them, or keeps their lists without an account.
@Suite struct KeptImageTests {
  let home: Household
  var alice: Device { home.alice }
  var bob: Device { home.bob }

  init() async throws { home = try await Household() }

  private func groceries(_ device: Device) throws -> TodoList {
    try #require(try device.database.read { try $0.lists().first })
  }

  private func takeBobOff() async throws {
    let friend = try #require(try await alice.session.lookUp(handle: "bob"))
    let list = try groceries(alice)
    try alice.database.write { _ = try $0.unshare(list.node, with: friend.user) }
    try await alice.sync()
    try await bob.sync()
  }

  private func keep(_ device: Device) throws -> TodoList {
    let list = try groceries(device)
    return try device.database.write { try $0.keepList(list) }
  }

  /// As another device of the account sees it that has nothing yet.
  private func second(of device: Device, _ handle: String) async throws -> Device {
    let other = try home.world.device("second")
    let root = try #require(try device.database.read { try $0.root() })
    try await other.session.logIn(root: root, handle: handle, server: "test")
    try await other.syncAll()
    return other
  }

  @Test func whatIsHereIsOnesOwnFromThenOn() async throws {
    let file = try alice.attach(700_000)
    try await alice.syncAll()
    try await bob.syncAll()
    try await bob.session.fetchFile([.metadata, .thumbnail, .data], of: try #require(try bob.image()).node)
    try await takeBobOff()
    #expect(try bob.database.read { try $0.imagesElsewhere(on: $0.lists()[0].node) }.isEmpty)
    _ = try keep(bob)
    // Nobody else has it for him: it is not in the cache, where others could crowd it out.
    #expect(try bob.size(.cache) == 0)
    bob.transport.clearTraffic()
    try await bob.syncAll()
    #expect(try bob.unsent() == 0)
    #expect(bob.fileTraffic().up == Int(file.layout.length))
    #expect(try bob.size(.persistent) == 0)
    let other = try await second(of: bob, "bob")
    let node = try #require(try other.image()).node
    try await other.session.fetchFile([.thumbnail, .data], of: node)
    #expect(isSame(try other.picture() ?? [], Shelf.bytes(700_000)))
    #expect(try other.database.diskStore.section(.thumbnail, of: file) == Shelf.bytes(3000))
    // Alice's is hers, and goes on.
    #expect(isSame(try alice.picture() ?? [], Shelf.bytes(700_000)))
  }

  @Test func aPictureWithoutItsThumbnailIsSealedAnew() async throws {
    let file = try alice.attach(2_500_000)
    try await alice.syncAll()
    try await bob.syncAll()
    try await bob.session.fetchFile(.data, of: try #require(try bob.image()).node)
    try await takeBobOff()
    _ = try keep(bob)
    try await bob.syncAll()
    #expect(try bob.refused() == [] && bob.unsent() == 0)
    let mine = try #require(try bob.image()).file
    #expect(mine != file)
    #expect(try bob.size(.persistent) == 0)
    let other = try await second(of: bob, "bob")
    try await other.session.fetchFile([.thumbnail, .data], of: try #require(try other.image()).node)
    #expect(isSame(try other.picture() ?? [], Shelf.bytes(2_500_000)))
    #expect(try other.database.diskStore.section(.thumbnail, of: mine) == [])
  }

  @Test func whatIsNotHereDoesNotComeAlong() async throws {
    try alice.attach(90_000)
    try await alice.syncAll()
    try await bob.syncAll()
    try await takeBobOff()
    #expect(try bob.database.read { try $0.imagesElsewhere(on: $0.lists()[0].node) }.count == 1)
    _ = try keep(bob)
    #expect(try bob.todo().image == nil)
    try await bob.syncAll()
    #expect(try bob.refused() == [] && bob.unsent() == 0)
  }

  @Test func earlierImagesComeAlongInTheirOrder() async throws {
    for size in [10_000, 20_000, 30_000] {
      try bob.attach(size)
      try await bob.syncAll()
    }
    try await takeBobOff()
    _ = try keep(bob)
    try await bob.syncAll()
    let todo = try bob.todo()
    let sizes = try bob.database.read { transaction in
      try ([transaction.image(of: todo)].compactMap { $0 } + transaction.earlierImages(of: todo))
        .map { try $0.file.sizes.data }
    }
    #expect(sizes == [30_000, 20_000, 10_000])
  }

  /// One that was never sent belonged to nobody else.
  @Test func whatWasNotSentInTimeIsSent() async throws {
    try await takeBobOff()
    try bob.attach(50_000)
    _ = try keep(bob)
    try await bob.syncAll()
    #expect(try bob.refused() == [] && bob.unsent() == 0)
    #expect(isSame(try bob.picture() ?? [], Shelf.bytes(50_000)))
  }

  /// The server keeps what a list had that was deleted, for a while.
  @Test func ofADeletedListImagesCanStillBeFetched() async throws {
    try alice.attach(300_000)
    try await alice.syncAll()
    try await bob.syncAll()
    let list = try groceries(alice)
    try alice.database.write { _ = try $0.close(list.node) }
    try await alice.sync()
    try await bob.sync()
    let image = try #require(try bob.image())
    try await bob.session.fetchFile([.metadata, .thumbnail, .data], of: image.node)
    _ = try keep(bob)
    try await bob.syncAll()
    #expect(try bob.refused() == [] && bob.unsent() == 0)
    #expect(isSame(try bob.picture() ?? [], Shelf.bytes(300_000)))
  }

  /// Lists without an account have the images that are here, and the next account gets them; of others nothing is left that could be refused.
  @Test func withoutAnAccountOnlyWhatIsHereIsLeft() async throws {
    try alice.list("Party", "Cake")
    try alice.attach(80_000)
    try alice.attach(60_000, to: "Cake")
    try await alice.syncAll()
    let other = try await second(of: alice, "alice")
    try await other.session.fetchFile(.data, of: try #require(try other.image(of: "Cake")).node)
    try other.database.write { try $0.keepLists() }
    #expect(try other.todo().image == nil)
    #expect(isSame(try other.picture(of: "Cake") ?? [], Shelf.bytes(60_000)))
    try await other.session.signUp(handle: "alicia", server: "test")
    try await other.syncAll()
    #expect(try other.refused() == [] && other.unsent() == 0)
    #expect(isSame(try other.picture(of: "Cake") ?? [], Shelf.bytes(60_000)))
  }
}
