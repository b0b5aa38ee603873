import CloudAPI
import Foundation
import Signing
import SwiftProtobuf
import Testing

@testable import CloudServer

/// How much one gives back at a time (spec §4.5): it is in memory until all of it is there.
struct RestoreLimitTests {
  private let world: World
  private let alice: Person
  private let list: BranchHand

  init() throws {
    world = try World()
    alice = try world.member("alice")
    list = try BranchHand.list(world, alice)
  }

  private func give(
    _ cloud: Cloud? = nil, _ bend: (inout WireRestoreRequest) -> Void = { _ in }
  ) -> CloudResponse {
    var restore = WireRestoreRequest.with {
      $0.branch = data(list.branch.bytes)
      $0.afterLine = list.head.line
      $0.afterHash = data(list.head.hash.bytes)
    }
    bend(&restore)
    return (cloud ?? world.cloud).handle(world.request(.restore, encode(restore), as: alice.signer, alice.device))
  }

  private var empty: Restoration {
    get throws {
      try world.storage.read { Restoration(continuing: try StoredBranch(list.branch, in: $0, Memory())) }
    }
  }

  @Test func onlyWhileSomebodyWantsIt() {
    let cloud = Cloud(storage: world.storage, blobs: MemoryBlobStore(), policy: .open, clock: world.clock)
    #expect(reason(give(cloud)) == "restore-closed")
    #expect(give().status == 200)
  }

  @Test func oneRequestHasItsMeasure() {
    let lines = give { $0.lines = Data(count: (Limits.restoreLines + 1) * Line.length) }
    #expect(reason(lines) == "limit-exceeded")
    let rows = give { $0.rows = Array(repeating: .init(), count: Limits.restoreLines + 1) }
    #expect(reason(rows) == "limit-exceeded")
    let long = WireKeyring.with {
      $0.entries = Array(repeating: alice.entries[0].wire, count: Limits.restoreEntries + 1)
    }
    let entries = give { $0.keyrings = [long] }
    #expect(reason(entries) == "limit-exceeded")
    let keyrings = give { $0.keyrings = Array(repeating: .init(), count: Limits.requestItems + 1) }
    #expect(reason(keyrings) == "limit-exceeded")
    let heavy = give {
      $0.rows = Array(repeating: .with { $0.record.body = Data(count: Limits.recordBytes) }, count: 6)
    }
    #expect(reason(heavy) == "limit-exceeded")
  }

  private func line(after head: LogHead) -> Line {
    Line(number: head.line + 1, kind: .header, cloudID: list.branch, hash: .random(entropy))
  }

  @Test func severalRequestsHaveTheirsInLines() throws {
    var work = try empty
    for _ in 0..<ServerLimits.restorationLines {
      try work.take(line(after: work.head), .superseded, size: 0, node: nil)
    }
    #expect(throws: Refusal.limitExceeded) {
      try work.take(line(after: work.head), .superseded, size: 0, node: nil)
    }
  }

  @Test func severalRequestsHaveTheirsInBytes() throws {
    var work = try empty
    let size = Limits.recordBytes
    for _ in 0..<ServerLimits.restorationBytes / size {
      try work.take(line(after: work.head), .superseded, size: size, node: nil)
    }
    #expect(throws: Refusal.limitExceeded) {
      try work.take(line(after: work.head), .superseded, size: size, node: nil)
    }
    // Keyrings count with them.
    let keyring = try Keyring(user: alice.user, entries: alice.entries)
    #expect(throws: Refusal.limitExceeded) { try work.take(keyring) }
  }

  @Test func soManyGiveBackAtATime() throws {
    let (desk, work) = (RestoreDesk(), try empty)
    for _ in 0..<ServerLimits.restorations { try desk.keep(work, of: .random(entropy), now: 0) }
    #expect(throws: Refusal.tooMany) { try desk.keep(work, of: alice.user, now: 0) }
    #expect(desk.take(list.branch, of: alice.user, now: ServerLimits.restorationLife) == nil)
    #expect(throws: Never.self) { try desk.keep(work, of: alice.user, now: ServerLimits.restorationLife) }
  }

  /// Of somebody who has no account here: whoever brings it pays for it.
  @Test func aKeyringOfSomebodyElseCounts() throws {
    let before = try world.storage.read { try $0.bytes(of: alice.user) }
    let stranger = Person("stranger")
    try world.storage.write { try $0.keepLost(stranger.entries, of: stranger.user, by: alice.user) }
    let length = stranger.entries.reduce(0) { $0 + $1.encoded.count }
    #expect(try world.storage.read { try $0.bytes(of: alice.user) } == before + UInt64(length))
    #expect(try world.storage.miscounted().isEmpty)
  }
}
