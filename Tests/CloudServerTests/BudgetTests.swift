import CloudAPI
import Foundation
import Signing
import SwiftProtobuf
import Synchronization
import Testing

@testable import CloudServer

/// What ends a transaction that does too much: all that it does has to be counted.
struct BudgetTests {
  private let world: World
  private let alice: Person

  init() throws {
    world = try World()
    alice = try world.member("alice")
  }

  private func work(_ body: () throws -> Void) rethrows -> Work {
    let before = world.storage.work()
    try body()
    let after = world.storage.work()
    return Work(
      statements: after.statements - before.statements, rows: after.rows - before.rows,
      bytes: after.bytes - before.bytes)
  }

  @Test func eachOfTheThreeEndsATransaction() throws {
    let budget = Work(statements: 3, rows: 4, bytes: 5)
    try WorkMeter(budget).count(statements: 3, rows: 4, bytes: 5)
    #expect(throws: WorkExceeded.self) { try WorkMeter(budget).count(statements: 4) }
    #expect(throws: WorkExceeded.self) { try WorkMeter(budget).count(rows: 5) }
    #expect(throws: WorkExceeded.self) { try WorkMeter(budget).count(bytes: 6) }
  }

  /// Those that read one row, those that read many, and those that change some.
  @Test func eachVerbOfStorageCounts() throws {
    let one = try work { _ = try world.storage.read { try $0.keyringHead(of: alice.user) } }
    #expect(one == Work(statements: 1, rows: 1))
    let body = alice.entries.reduce(0) { $0 + $1.body.count }
    let many = try work { _ = try world.storage.read { try $0.keyringEntries(of: alice.user, after: 0) } }
    #expect(many == Work(statements: 1, rows: 4, bytes: body))
    let changed = try work { try world.storage.write { try $0.claim(handle: "alicia", for: alice.user) } }
    #expect(changed == Work(statements: 1, rows: 1))
    let home = Trunk.home.cloudID(of: alice.user)
    let none = try work { _ = try world.storage.read { try $0.places(from: home, in: home) } }
    #expect(none == Work(statements: 1))
    let list = try BranchHand.list(world, alice)
    let places = try work { _ = try world.storage.read { try $0.places(from: list.branch, in: list.branch) } }
    #expect(places == Work(statements: 1, rows: 1))
    let (content, reference) = sealedContent(.data, entropy.bytes(1000), by: alice)
    let stored = try work { try world.storage.write { try $0.store(Array(content.ciphertext), of: reference) } }
    #expect(stored.bytes == 1000)
    var header = list.header(parent: list.branch, alice)
    header.contents = [reference]
    _ = try world.batch([list.put(header, contents: [content], alice)], as: alice)
    let node = try #require(try world.storage.read { try $0.node(header.cloudID, in: list.branch) })
    let kept = try work { try world.storage.write { try $0.store(node, in: list.branch, by: alice.user) } }
    #expect(kept.bytes == header.encoded.count)
    let read = try work { _ = try world.storage.read { try $0.content(reference.content, in: list.branch) } }
    #expect(read.bytes == 1000)
  }

  // MARK: Signatures

  /// A server that counts what is checked while storage is taken.
  private func watched() -> (cloud: Cloud, storage: WatchedStorage) {
    let watched = WatchedStorage(world.storage)
    let cloud = Cloud(
      storage: watched, blobs: MemoryBlobStore(), policy: .open, clock: world.clock, acceptsRestores: true)
    watched.count.withLock { $0 = { [memory = cloud.memory] in memory.signatures.checked } }
    return (cloud, watched)
  }

  /// A device sends what another one of the account has signed.
  @Test func signaturesOfOtherDevicesAreCheckedFirst() throws {
    let list = try BranchHand.list(world, alice)
    let (phone, box) = (SigningKey(entropy), PublicKey.random(entropy))
    var person = alice
    person.add(.addDevice(Person.newDevice(phone.publicKey, box)))
    let append = WireKeyringAppend.with {
      $0.user = data(alice.user.bytes)
      $0.entries = person.entries.dropFirst(4).map(\.wire)
    }
    #expect(world.send(.keyringAppend, append, as: alice).status == 200)
    let (cloud, storage) = watched()
    let puts = (0..<20).map { _ in list.put(list.header(parent: list.branch, alice), alice) }
    let caller = Caller(user: alice.user, device: DeviceID(signKey: phone.publicKey, boxKey: box))
    let batch = encode(WireBatch.with { $0.operations = puts })
    let response = cloud.handle(world.request(.batch, batch, as: caller, phone))
    let words = try WireOutcomes(serializedBytes: response.body).outcomes.map { word($0) }
    #expect(Set(words) == ["accepted"])
    #expect(storage.inside.withLock { $0 } == 0)
  }

  @Test func signaturesOfWhatIsGivenBackAreCheckedFirst() throws {
    let list = try BranchHand.list(world, alice)
    let (cloud, storage) = watched()
    var (head, lines, rows) = (list.head, [Line](), [WireRow]())
    for _ in 0..<20 {
      let put = list.put(list.header(parent: list.branch, alice), alice)
      let record = try put.record
      let cloudID = try HeaderBody(decoding: record.body).cloudID
      lines.append(Line(number: head.line + 1, kind: .header, cloudID: cloudID, hash: record.hash))
      head = head.appending(lines[lines.count - 1])
      rows.append(
        .with {
          $0.line = head.line
          $0.record = record.wire
        })
    }
    let restore = WireRestoreRequest.with {
      $0.branch = data(list.branch.bytes)
      $0.afterLine = list.head.line
      $0.afterHash = data(list.head.hash.bytes)
      $0.lines = data(lines.flatMap(\.encoded))
      $0.rows = rows
    }
    let response = cloud.handle(world.request(.restore, encode(restore), as: alice.signer, alice.device))
    #expect(response.status == 200, "\(reason(response))")
    #expect(try world.storage.read { try $0.head(of: list.branch) } == head)
    #expect(storage.inside.withLock { $0 } == 0)
  }

  // MARK: Accounts that end

  /// Strangers who name somebody in lists of theirs do not make the end of that account dearer.
  @Test func othersListsCostNothing() throws {
    var costs: [Int] = []
    for (handle, count) in [("bob", 0), ("carol", 30)] {
      let (person, stranger) = (try world.member(handle), try world.member("\(handle)-stranger"))
      for _ in 0..<count { _ = try BranchHand.list(world, stranger, with: [person.entry([.read])]) }
      var leaving = person
      leaving.add(.deleteAccount, by: (person.deviceID, person.device))
      let append = WireKeyringAppend.with {
        $0.user = data(person.user.bytes)
        $0.entries = leaving.entries.dropFirst(4).map(\.wire)
      }
      costs.append(work { #expect(world.send(.keyringAppend, append, as: person).status == 200) }.statements)
    }
    #expect(costs[0] == costs[1])
  }
}
