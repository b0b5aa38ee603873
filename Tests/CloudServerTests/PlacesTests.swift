import CloudAPI
import Signing
import SwiftProtobuf
import Testing

@testable import CloudServer

/// A few accounts do not take from everybody what there is so much of.
struct PlacesTests {
  private func subscription(_ user: UserID, from origin: String = "") -> BranchSubscription {
    BranchSubscription(caller: Caller(user: user, device: .random(entropy)), origin: origin)
  }

  @Test func whoHasTheMostStreamsGivesOneToWhoHasNone() throws {
    let hub = BranchHub()
    let users = (0..<ServerLimits.streams / ServerLimits.streamsOfUser).map { _ in UserID.random(entropy) }
    let taken = try users.flatMap { user in
      try (0..<ServerLimits.streamsOfUser).map { _ in
        let new = subscription(user)
        try hub.add(new)
        return new
      }
    }
    let late = subscription(.random(entropy))
    try hub.add(late)
    #expect(!late.isOver)
    #expect(taken.count { $0.isOver } == 1)
    hub.remove(late)
    for new in taken { hub.remove(new) }
    #expect(hub.isIdle)
  }

  /// Where everybody has one, nobody loses it.
  @Test func oneStreamIsKept() throws {
    let hub = BranchHub()
    let taken = (0..<ServerLimits.streams).map { _ in subscription(.random(entropy)) }
    for new in taken { try hub.add(new) }
    #expect(throws: Refusal.tooMany) { try hub.add(subscription(.random(entropy))) }
    #expect(taken.allSatisfy { !$0.isOver })
  }

  @Test func anAddressHasSoManyStreams() throws {
    let hub = BranchHub()
    let taken = (0..<ServerLimits.streamsOfOrigin).map { _ in subscription(.random(entropy), from: "192.0.2.1") }
    for new in taken { try hub.add(new) }
    #expect(throws: Refusal.tooMany) { try hub.add(subscription(.random(entropy), from: "192.0.2.1")) }
    try hub.add(subscription(.random(entropy), from: "192.0.2.2"))
    hub.remove(taken[0])
    try hub.add(subscription(.random(entropy), from: "192.0.2.1"))
  }

  @Test func whatComesFromThisMachineIsAnybodys() {
    #expect(["", "127.0.0.1", "127.9.9.9"].allSatisfy { !Origin.isKnown($0) })
    #expect(!Origin.isKnown(Origin.of(peer: "::1", forwarded: nil)))
    #expect(Origin.isKnown("192.0.2.1"))
  }

  // MARK: Keyring entries

  private func room(_ person: Person, after count: Int, by signer: (DeviceID, SigningKey)?) throws -> KeyringRoom {
    let before = try Keyring(user: person.user, entries: person.entries)
    var longer = person
    for _ in 0..<count { longer.add(.setHandle(person.handle, rootKey: nil, rootBoxKey: nil), by: signer) }
    let new = Array(longer.entries.dropFirst(person.entries.count))
    var after = before
    try after.append(new)
    return KeyringRoom(before: before, after: after, entries: new)
  }

  /// What the root signs has its measure too, and a day later there is room again.
  @Test func rootAndDevicesHaveTheirMeasureOfADay() throws {
    let (allowance, person) = (EntryAllowance(), Person("alice"))
    let day: Int64 = 24 * 3600 * 1000
    let (byRoot, byDevice) = (
      try room(person, after: 10, by: nil), try room(person, after: 10, by: (person.deviceID, person.device))
    )
    for _ in 0..<10 { try allowance.take(byRoot, of: person.user, now: 1) }
    for _ in 0..<2 { try allowance.take(byDevice, of: person.user, now: 2) }
    #expect(throws: Refusal.tooMany) { try allowance.take(byRoot, of: person.user, now: 3) }
    #expect(throws: Refusal.tooMany) { try allowance.take(byDevice, of: person.user, now: day) }
    try allowance.take(byRoot, of: .random(entropy), now: day)
    try allowance.take(byRoot, of: person.user, now: day + 1)
    #expect(throws: Refusal.tooMany) { try allowance.take(byDevice, of: person.user, now: day + 1) }
    #expect(allowance.takeWhatFits(byDevice, of: person.user, now: day + 2) == 10)
  }

  // MARK: Accounts that end

  /// It goes in pieces: so many rows at once, and others are answered in between.
  @Test func anAccountGoesInPieces() throws {
    let world = try World()
    let (alice, bob) = (try world.member("alice"), try world.member("bob"))
    let list = try BranchHand.list(world, alice)
    for _ in 0..<3 {
      let (content, reference) = sealedContent(.data, entropy.bytes(64), by: alice)
      let puts = (0..<400).map { _ in
        var header = list.header(parent: list.branch, alice)
        header.contents = [reference]
        return list.put(header, contents: [content], alice)
      }
      #expect(try world.batch(puts, as: alice).allSatisfy { word($0) == "accepted" })
    }
    // Strangers name alice in lists of theirs: that is not hers, and is not looked at.
    for _ in 0..<20 { _ = try BranchHand.list(world, bob, with: [alice.entry([.read])]) }
    let counted = CountedStorage(world.storage)
    let cloud = Cloud(storage: counted, blobs: MemoryBlobStore(), policy: .open, clock: world.clock)
    var person = alice
    person.add(.deleteAccount, by: (alice.deviceID, alice.device))
    let append = WireKeyringAppend.with {
      $0.user = data(alice.user.bytes)
      $0.entries = person.entries.dropFirst(4).map(\.wire)
    }
    let request = world.request(.keyringAppend, encode(append), as: alice.signer, alice.device)
    #expect(cloud.handle(request).status == 200)
    #expect(counted.largest.rows < 8 * ServerLimits.rowsDeletedAtOnce, "\(counted.largest)")
    #expect(counted.writes > 5)
    let inbox = Trunk.inbox.cloudID(of: alice.user)
    let heads = try world.storage.read { try [$0.head(of: list.branch), $0.head(of: inbox)] }
    #expect(heads == [nil, nil])
    #expect(try world.storage.read { try $0.nodes(of: list.branch).isEmpty })
  }
}
