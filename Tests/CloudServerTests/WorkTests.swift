import CloudAPI
import Foundation
import Signing
import SwiftProtobuf
import Synchronization
import Testing

@testable import CloudServer

/// What requests cost, counted: never more because of what lies there, and never without end.
struct WorkTests {
  private let world: World
  private let alice: Person

  init() throws {
    world = try World()
    alice = try world.member("alice")
  }

  /// What was done meanwhile.
  private func work(_ body: () throws -> Void) rethrows -> Work {
    let before = world.storage.work()
    try body()
    let after = world.storage.work()
    return Work(
      statements: after.statements - before.statements, rows: after.rows - before.rows,
      bytes: after.bytes - before.bytes)
  }

  /// Puts nodes below one, in as many batches as they need.
  private func fill(_ list: inout BranchHand, below parent: CloudID, _ count: Int) throws -> [WireOperation] {
    let puts = (0..<count).map { _ in list.put(list.header(parent: parent, alice), alice) }
    for start in stride(from: 0, to: count, by: 500) {
      let some = Array(puts[start..<min(count, start + 500)])
      let outcomes = try world.batch(some, as: alice)
      guard case .accepted(let accepted)? = outcomes.last?.result else { throw CloudFailure.nonsense }
      list.head = LogHead(line: accepted.line, hash: try fixed(accepted.logHash))
    }
    return puts
  }

  private func header(_ list: inout BranchHand) throws -> (CloudID, Hash32) {
    let put = list.put(list.header(parent: list.branch, alice), alice)
    guard word(try list.send(put, alice)) == "accepted" else { throw CloudFailure.nonsense }
    let record = try put.record
    return (try HeaderBody(decoding: record.body).cloudID, record.hash)
  }

  /// A tombstone whose author has not seen what lies below is refused at the same cost, whatever that is.
  @Test func aRefusedDeletionCostsTheSameWhateverLiesBelow() throws {
    var costs: [Work] = []
    for count in [1, 400] {
      var list = try BranchHand.list(world, alice)
      let (top, hash) = try header(&list)
      let seen = list.head
      _ = try fill(&list, below: top, count)
      let tombstone = list.delete(top, version: 2, previous: hash, read: seen, alice)
      _ = try world.batch([list.delete(.random(entropy), version: 2, previous: hash, read: seen, alice)], as: alice)
      try costs.append(
        work {
          let outcome = try list.send(tombstone, alice)
          #expect(word(outcome) == "conflict unseen-children")
        })
    }
    #expect(costs[0] == costs[1])
  }

  /// Few statements for many nodes; their contents go with them.
  @Test func aDeletionTakesFewStatements() throws {
    var list = try BranchHand.list(world, alice)
    let (top, hash) = try header(&list)
    _ = try fill(&list, below: top, 400)
    let spent = try work {
      let outcome = try list.send(list.delete(top, version: 2, previous: hash, alice), alice)
      #expect(word(outcome) == "accepted")
    }
    #expect(spent.statements < 600)
    #expect(try world.storage.read { try $0.nodes(of: list.branch).count { $0.isLive } } == 1)
  }

  /// A batch of the most and deepest changes that honest clients send takes less than half of what it may.
  @Test func anHonestBatchHasRoom() throws {
    var list = try BranchHand.list(world, alice)
    var parent = list.branch
    for _ in 0..<10 {
      let put = list.put(list.header(parent: parent, alice), alice)
      #expect(word(try list.send(put, alice)) == "accepted")
      parent = try HeaderBody(decoding: put.record.body).cloudID
    }
    let puts = (0..<500).map { _ in
      let contents = [Section.metadata, .data, .thumbnail, .history].map {
        sealedContent($0, entropy.bytes(256), by: alice)
      }
      var header = list.header(parent: parent, alice)
      header.contents = contents.map(\.1)
      return list.put(header, contents: contents.map(\.0), alice)
    }
    let spent = try work {
      let outcomes = try world.batch(puts, as: alice)
      #expect(outcomes.allSatisfy { word($0) == "accepted" })
    }
    #expect(spent.statements * 2 < ServerLimits.work.statements, "\(spent)")
    #expect(spent.rows * 2 < ServerLimits.work.rows, "\(spent)")
    #expect(spent.bytes * 2 < ServerLimits.work.bytes, "\(spent)")
  }

  /// What would take more than its budget is refused as a whole, and leaves nothing.
  @Test func whatExceedsItsBudgetLeavesNothing() throws {
    let small = try World(budget: Work(statements: 400, rows: 400, bytes: 1 << 20))
    let alice = try small.member("alice")
    let list = try BranchHand.list(small, alice)
    let puts = { (count: Int) in (0..<count).map { _ in list.put(list.header(parent: list.branch, alice), alice) } }
    let batch = WireBatch.with { $0.operations = puts(40) }
    let response = small.send(.batch, batch, as: alice)
    #expect(response.status == 429)
    #expect(reason(response) == "too-many")
    #expect(try small.storage.read { try $0.head(of: list.branch) } == list.head)
    #expect(try small.batch(puts(5), as: alice).allSatisfy { word($0) == "accepted" }, "others go on")
  }

  // MARK: Signatures

  /// One row, however long the keyring is.
  @Test func authenticationReadsOneRow() throws {
    world.send(.openLogins, as: alice)
    let short = work { #expect(world.send(.openLogins, as: alice).status == 200) }
    try lengthen(alice, by: 200)
    let long = work { #expect(world.send(.openLogins, as: alice).status == 200) }
    #expect(short.statements == 1)
    #expect(short.rows == 1)
    #expect(long == short)
  }

  /// Entries that only storage says are good: nobody checks them again.
  private func lengthen(_ person: Person, by count: Int) throws {
    let nobody = Signature(exactly: [UInt8](repeating: 7, count: 64))
    try world.storage.write { storage in
      var previous = person.entries[3].hash
      for position in UInt32(5)..<UInt32(5 + count) {
        let body = KeyringEntryBody(
          user: person.user, position: position, previous: previous, signer: nil, created: 0,
          change: .setHandle(person.handle, rootKey: nil, rootBoxKey: nil))
        let record = SignedRecord(body: body.encoded, signature: nobody)
        try storage.append(record, hash: record.hash, at: position, to: person.user)
        previous = record.hash
      }
    }
  }

  @Test func whatIsStoredIsNotVerifiedAgain() throws {
    try lengthen(alice, by: 20)
    let list = try BranchHand.list(world, alice)
    #expect(list.head.line == 2)
    // Nor where nothing of it is in memory.
    try world.restart(blobs: world.blobs)
    let other = try BranchHand.list(world, alice)
    #expect(other.head.line == 2)
  }

  /// All that a batch brings is checked while nobody waits for storage, and once only.
  @Test func signaturesAreCheckedOutsideOfTransactions() throws {
    let list = try BranchHand.list(world, alice)
    let watched = WatchedStorage(world.storage)
    let cloud = Cloud(storage: watched, blobs: MemoryBlobStore(), policy: .open, clock: world.clock)
    watched.count.withLock { $0 = { [memory = cloud.memory] in memory.signatures.checked } }
    let puts = (0..<40).map { number in
      var put = list.put(list.header(parent: list.branch, alice), alice)
      if number % 2 == 1 { put.put.header.signature[0] ^= 1 }
      return put
    }
    let batch = encode(WireBatch.with { $0.operations = puts })
    for expected in [41, 42] {
      let response = cloud.handle(world.request(.batch, batch, as: alice.signer, alice.device))
      let outcomes = try WireOutcomes(serializedBytes: response.body).outcomes.map { word($0) }
      #expect(outcomes.count { $0 == "accepted" } == 20)
      #expect(outcomes.count { $0 == "refused signature-bad" } == 20)
      #expect(cloud.memory.signatures.checked == expected)
    }
    let signUp = cloud.handle(world.request(.accounts, encode(Person("dora").signUp()), as: nil, nil))
    #expect(signUp.status == 201)
    #expect(cloud.memory.signatures.checked == 46)
    #expect(watched.inside.withLock { $0 } == 0)
  }

  /// It is found and entered entry by entry, and what was used longest ago goes first.
  @Test func aFullMemoryForgetsTheOldestOnly() {
    var memory = RecentlyUsed<Int, String>(limit: 10)
    for number in 0..<10 { memory.keep("\(number)", for: number) }
    #expect(memory.value(for: 0) == "0")
    memory.keep("ten", for: 10)
    #expect(memory.value(for: 1) == nil)
    #expect((0...10).filter { memory.value(for: $0) != nil } == [0] + Array(2...10))
    memory.keep("large", for: 11, cost: 9)
    #expect(memory.cost == 10)
    #expect(memory.value(for: 10) == "ten")
    memory.keep("too large", for: 12, cost: 11)
    #expect(memory.value(for: 12) == nil)
    for number in 0..<1000 {
      memory.keep("again", for: number % 7)
      #expect(memory.value(for: number % 7) == "again")
    }
    #expect(memory.cost == 8, "the others, and ten")
  }
}

/// Counts the signatures that are checked while storage is taken.
final class WatchedStorage: CloudStorage {
  private let storage: SQLiteStorage
  let count = Mutex<@Sendable () -> Int>({ 0 })
  let inside = Mutex(0)

  init(_ storage: SQLiteStorage) { self.storage = storage }

  private func watching<T>(_ body: () throws -> T) rethrows -> T {
    let count = count.withLock { $0 }
    let before = count()
    defer { inside.withLock { $0 += count() - before } }
    return try body()
  }

  func read<T>(_ body: (any CloudStorageReader) throws -> T) throws -> T {
    try storage.read { storage in try watching { try body(storage) } }
  }

  func write<T>(_ body: (any CloudStorageTransaction) throws -> T) throws -> T {
    try storage.write { storage in try watching { try body(storage) } }
  }
}

/// Remembers what the largest of all transactions did.
final class CountedStorage: CloudStorage {
  private struct State {
    var largest = Work()
    var writes = 0
  }

  private let storage: SQLiteStorage
  private let state = Mutex(State())

  init(_ storage: SQLiteStorage) { self.storage = storage }

  /// Each of the three by itself.
  var largest: Work { state.withLock { $0.largest } }
  var writes: Int { state.withLock { $0.writes } }

  private func counting<T>(_ writes: Int, _ body: () throws -> T) throws -> T {
    let before = storage.work()
    defer {
      let after = storage.work()
      state.withLock { state in
        state.writes += writes
        state.largest = Work(
          statements: max(state.largest.statements, after.statements - before.statements),
          rows: max(state.largest.rows, after.rows - before.rows),
          bytes: max(state.largest.bytes, after.bytes - before.bytes))
      }
    }
    return try body()
  }

  func read<T>(_ body: (any CloudStorageReader) throws -> T) throws -> T {
    try counting(0) { try storage.read(body) }
  }

  func write<T>(_ body: (any CloudStorageTransaction) throws -> T) throws -> T {
    try counting(1) { try storage.write(body) }
  }
}
