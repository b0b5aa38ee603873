import CloudAPI
import CloudServer
import Foundation
import Sealing
import Sharing
import Signing
import TestSupport
import Testing
import TodoCore

@testable import Treesystem

/// Files on their way: from one disk over the server to another one.
@Suite struct TransferTests {
  let home: Household
  var alice: Device { home.alice }
  var bob: Device { home.bob }

  init() async throws { home = try await Household() }

  @Test func anImageIsSeenAndItsBytesComeWhenTheyAreWanted() async throws {
    let file = try alice.attach(700_000)
    try await alice.syncAll()
    #expect(try alice.unsent() == 0)
    // It can be had again: it is in the cache from now on.
    #expect(try alice.size(.persistent) == 0)
    #expect(try alice.size(.cache) == Int64(file.layout.length - 80))
    bob.transport.clearTraffic()
    try await bob.syncAll()
    let image = try #require(try bob.image())
    #expect(image.file == file)
    #expect(bob.fileTraffic().down == 0)
    try await bob.session.fetchFile([.metadata, .thumbnail], of: image.node)
    #expect(bob.fileTraffic().down == Int(file.layout.metadata + file.layout.thumbnail))
    #expect(try bob.database.diskStore.section(.thumbnail, of: file) == Shelf.bytes(3000))
    #expect(try bob.database.diskStore.section(.metadata, of: file) == [1, 2, 3])
    #expect(try bob.picture() == nil)
    try await bob.session.fetchFile(.data, of: image.node)
    #expect(isSame(try bob.picture() ?? [], Shelf.bytes(700_000)))
  }

  @Test func entriesDoNotWaitForAnImage() async throws {
    try alice.attach(200_000)
    let report = try await alice.sync()
    #expect(report.unsent == 1)
    try await bob.syncAll()
    // Its todo is changed already, and has no image that could be shown.
    #expect(try bob.todo().image == nil)
    try await alice.syncAll()
    try await bob.syncAll()
    #expect(try bob.todo().image != nil)
  }

  @Test func whatIsThereAlreadyIsNotSentAgain() async throws {
    let file = try alice.attach(13_000_000)
    try await alice.sync()
    let parts = FileParts(of: file.layout)
    #expect(parts.count == 4)
    for part in 0..<parts.count {
      alice.transport.clearTraffic()
      // One part arrives, and the answer to it does not.
      let sent = alice.transport.setFate(.replyLost, ofRequest: 1) { $0.method == "PUT" }
      await #expect(throws: CloudFailure.unreachable) { try await alice.session.transferFiles() }
      #expect(sent.with { $0 } == 1)
      #expect(alice.fileTraffic().up == parts.range(of: part)?.count)
    }
    alice.transport.setFate { _ in .delivered }
    alice.transport.clearTraffic()
    #expect(try await alice.session.transferFiles().sent == 1)
    #expect(alice.fileTraffic().up == 0)
    try await alice.sync()
    try await bob.syncAll()
    try await bob.session.fetchFile(.data, of: try #require(try bob.image()).node)
    #expect(isSame(try bob.picture() ?? [], Shelf.bytes(13_000_000)))
  }

  @Test func aFetchGoesOnWhereItStopped() async throws {
    let (file, node) = try await home.shared(13_000_000)
    var rounds = 0
    var moved = 0
    while try bob.picture() == nil, rounds < 20 {
      rounds += 1
      bob.transport.clearTraffic()
      _ = bob.transport.setFate(.lost, ofRequest: rounds == 1 ? 2 : 3)
      try? await bob.session.fetchFile(.data, of: node)
      moved += bob.fileTraffic().down
    }
    #expect(rounds > 2)
    #expect(moved == Int(file.layout.data) + 32 * Int(file.layout.leafCount))
  }

  @Test func twoWhoWantTheSameFetchItOnce() async throws {
    let (file, node) = try await home.shared(3_000_000)
    bob.transport.clearTraffic()
    let session = bob.session
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<5 { group.addTask { try await session.fetchFile(.data, of: node) } }
      try await group.waitForAll()
    }
    #expect(bob.fileTraffic().down == Int(file.layout.data) + 32 * Int(file.layout.leafCount))
  }

  /// Two programs on one profile, as two terminals are: the second waits for the first, whatever it wants it for.
  @Test(arguments: [NodeComponents.thumbnail, .data]) func twoProcessesFetchItOnce(component: NodeComponents)
    async throws
  {
    let (file, node) = try await home.shared(9_000_000)
    let other = try Device(
      path: bob.path, transport: InProcessTransport(home.world.cloud), clock: PatientClock(clock: home.world.clock),
      entropy: SeededEntropy("other"))
    let third = try Device(
      path: bob.path, transport: InProcessTransport(home.world.cloud), clock: PatientClock(clock: home.world.clock),
      entropy: SeededEntropy("third"))
    try third.database.write { try $0.markFileAsNeedsDownload(node, components: component) }
    let (one, two) = (other.session, third.session)
    async let first: Void = one.fetchFile(component, of: node)
    async let second = two.transferFiles()
    _ = try await (first, second)
    let down = other.fileTraffic().down + third.fileTraffic().down
    let leaves = 32 * Int(file.layout.leafCount)
    #expect(
      down == Int(component == .data ? file.layout.data : file.layout.thumbnail) + (component == .data ? leaves : 0))
    #expect(try other.database.read { try $0.isHere(component == .data ? .data : .thumbnail, of: file) })
  }

  /// Whoever was stopped in the middle is not waited for: they hold the section's lock, and come no further.
  @Test func nobodyWaitsForWhoHasStopped() async throws {
    let (file, node) = try await home.shared(50_000)
    let lock = try #require(try SectionLock(path: bob.path + ".fetch", SectionName(root: file.root, section: .data)))
    let began = home.world.clock.now()
    try await bob.session.fetchFile(.data, of: node)
    #expect(home.world.clock.now() - began >= 30_000)
    #expect(try bob.database.read { try $0.isHere(.data, of: file) })
    withExtendedLifetime(lock) {}
  }

  /// What was taken off a todo before anybody could see it is nobody's any more: no byte of it goes out.
  @Test func whatIsTakenOffBeforeItWasSentIsNotSent() async throws {
    try alice.attach(400_000)
    try await alice.sync()
    let first = try alice.todo()
    try alice.database.write { _ = try $0.removeImage(of: first) }
    alice.transport.clearTraffic()
    try await alice.syncAll()
    #expect(alice.fileTraffic().up == 0)
    #expect(try alice.unsent() == 0 && alice.size(.persistent) == 0)
    #expect(try FileManager.default.contentsOfDirectory(atPath: alice.path + ".files") == [])
    let second = try alice.attach(200_000)
    try await alice.syncAll()
    #expect(alice.fileTraffic().up == Int(second.layout.length))
    try await bob.syncAll()
    #expect(try bob.image()?.file == second)
    let todo = try bob.todo()
    #expect(try bob.database.read { try $0.earlierImages(of: todo) } == [])
    #expect(try alice.database.read { try $0.forgottenNodes() } == [])
  }

  /// With the first byte of its header under way it may be there, and stays as an earlier one.
  @Test func whatMayHaveBeenSentStays() async throws {
    let file = try alice.attach(100_000)
    try await alice.sync()
    _ = try await alice.session.transferFiles()
    _ = alice.transport.setFate(.replyLost, ofRequest: 1) { $0.path == Route.batch.path }
    await #expect(throws: CloudFailure.unreachable) { try await alice.sync() }
    alice.transport.setFate { _ in .delivered }
    let todo = try alice.todo()
    try alice.database.write { _ = try $0.removeImage(of: todo) }
    try await alice.syncAll()
    try await bob.syncAll()
    let seen = try bob.todo()
    #expect(seen.image == nil)
    #expect(try bob.database.read { try $0.earlierImages(of: seen) }.map(\.file) == [file])
  }

  @Test func aMarkOutlivesBeingOffline() async throws {
    let node = try await home.shared(90_000).node
    try bob.database.write { try $0.markFileAsNeedsDownload(node, components: [.thumbnail, .data]) }
    bob.transport.setFate { _ in .lost }
    await #expect(throws: CloudFailure.unreachable) { try await bob.session.transferFiles() }
    bob.transport.setFate { _ in .delivered }
    #expect(try await bob.session.transferFiles().fetched == 2)
    #expect(isSame(try bob.picture() ?? [], Shelf.bytes(90_000)))
    #expect(try await bob.session.transferFiles() == TransferReport())
  }

  @Test func whatTheServerCollectedIsSentAgain() async throws {
    try alice.attach(100_000)
    try await alice.sync()
    #expect(try await alice.session.transferFiles().sent == 1)
    // A week passes before the put goes, and somebody else writes meanwhile.
    home.world.clock.advance(8 * 24 * 3_600_000)
    try bob.list("Other", "one")
    try await bob.syncAll()
    try await alice.syncAll()
    #expect(try alice.unsent() == 0)
    try await bob.syncAll()
    try await bob.session.fetchFile(.data, of: try #require(try bob.image()).node)
    #expect(isSame(try bob.picture() ?? [], Shelf.bytes(100_000)))
  }

  @Test func whatIsGivenUpOnItsWayTakesNoRoomOnTheServer() async throws {
    try alice.attach(13_000_000)
    try await alice.sync()
    // Two parts arrive.
    _ = alice.transport.setFate(.lost, ofRequest: 3) { $0.method == "PUT" }
    await #expect(throws: CloudFailure.unreachable) { try await alice.session.transferFiles() }
    alice.transport.setFate { _ in .delivered }
    #expect(home.world.blobs.list().count == 1)
    let todo = try alice.todo()
    try alice.database.write { try $0.delete(todo.node) }
    alice.transport.setFate { _ in .lost }
    await #expect(throws: CloudFailure.unreachable) { try await alice.session.transferFiles() }
    alice.transport.setFate { _ in .delivered }
    _ = try await alice.session.transferFiles()
    #expect(home.world.blobs.list() == [])
    // It is told once.
    alice.transport.clearTraffic()
    try await alice.syncAll()
    #expect(!alice.transport.traffic.with { $0 }.contains { $0.request.method == "DELETE" })
  }

  @Test func anImageGoesToAnotherListWithItsTodo() async throws {
    try alice.attach(300_000)
    let other = try alice.list("Party")
    try await alice.syncAll()
    alice.transport.clearTraffic()
    let todo = try alice.todo()
    try alice.database.write { _ = try $0.moveTodo(todo, to: other) }
    try await alice.syncAll()
    #expect(try alice.unsent() == 0)
    #expect(try alice.refused() == [])
    #expect(alice.fileTraffic().up == 0)
    #expect(isSame(try alice.picture() ?? [], Shelf.bytes(300_000)))
    let friend = try #require(try await alice.session.lookUp(handle: "bob"))
    try alice.database.write { try $0.share(other, with: friend.user, role: .viewer, title: "Party", note: "") }
    try await alice.syncAll()
    try await bob.syncAll()
    try bob.database.write { _ = try $0.graftInvite(try $0.invites()[0].number) }
    try await bob.syncAll()
    try await bob.session.fetchFile(.data, of: try #require(try bob.image()).node)
    #expect(isSame(try bob.picture() ?? [], Shelf.bytes(300_000)))
  }

  @Test func aTodoThatIsDeletedTakesItsImageFromEveryDisk() async throws {
    try alice.attach(300_000)
    try await alice.syncAll()
    try await bob.syncAll()
    try await bob.session.fetchFile([.thumbnail, .data], of: try #require(try bob.image()).node)
    #expect(try bob.size(.cache) > 300_000)
    let todo = try alice.todo()
    try alice.database.write { try $0.delete(todo.node) }
    #expect(home.world.blobs.list().count == 1)
    for device in [alice, bob] {
      try await device.syncAll()
      #expect(try device.size(.cache) == 0)
      #expect(try FileManager.default.contentsOfDirectory(atPath: device.path + ".files") == [])
    }
    // Somebody who had taken it back within a week would not have sent it again.
    #expect(home.world.blobs.list().count == 1)
    // Within the hour the server notes since when nothing lists it, and a week later it goes.
    for (name, hours) in [("Other", 2), ("More", 8 * 24)] {
      home.world.clock.advance(Int64(hours) * 3_600_000)
      try bob.list(name, "one")
      try await bob.syncAll()
    }
    #expect(home.world.blobs.list() == [])
  }

  @Test func anImageThatIsReplacedStays() async throws {
    try alice.attach(10_000)
    try await alice.syncAll()
    try await bob.syncAll()
    // Both at the same time.
    let second = try bob.attach(20_000)
    let third = try alice.attach(30_000)
    for device in [alice, bob, alice, bob] { try await device.syncAll() }
    let now = try #require(try alice.image())
    #expect(try bob.image()?.file == now.file)
    #expect([second, third].contains(now.file))
    let todo = try bob.todo()
    #expect(try bob.database.read { try $0.earlierImages(of: todo) }.count == 2)
    try bob.database.write { _ = try $0.removeImage(of: todo) }
    for device in [bob, alice] { try await device.syncAll() }
    #expect(try alice.todo().image == nil)
  }
}

/// The time of a world, and real waiting: whoever waits for somebody else's work lets them do it.
private struct PatientClock: WallClock {
  let clock: ManualClock
  func now() -> Int64 { clock.now() }
  func sleep(_ milliseconds: Int64) async throws { try await Task.sleep(for: .milliseconds(milliseconds)) }
}
