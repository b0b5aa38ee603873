import CloudAPI
import Sharing
import Signing
import SwiftProtobuf
import TestSupport
import Testing
import TodoCore

@testable import Treesystem

@Suite struct ReadAheadTests {
  /// A fresh device that reads a list page by page, and how often it asked.
  private func read(
    _ world: World, _ root: RootKey, pageLines: Int, readsAhead: Bool
  ) async throws -> (titles: [String], requests: Int) {
    let device = try world.device(
      "device-\(pageLines)-\(readsAhead)", pageLines: pageLines, readsAhead: readsAhead)
    try await device.session.logIn(root: root, handle: "alice", server: "test")
    let report = try await device.sync()
    #expect(report.troubles.isEmpty)
    #expect(try device.database.read { try $0.quarantined().isEmpty })
    return (try device.titles(), device.bodies(.pull).count)
  }

  @Test func howAListIsReadDoesNotChangeWhatIsRead() async throws {
    let world = try World()
    let alice = try await world.person("alice")
    let list = try alice.addList("Groceries", "Milk", "Bread", "Butter", "Salt", "Flour", "Yeast", "Oats")
    try await alice.sync()
    // The root's row comes after those of its children now.
    try alice.database.write { _ = try $0.renameList(list, to: ListName("Food")) }
    try await alice.sync()
    let root = try #require(try alice.database.read { try $0.root() })
    let expected = try alice.titles()
    let whole = try await read(world, root, pageLines: 1000, readsAhead: false)
    #expect(whole.titles == expected)
    for lines in [1, 2, 3, 5] {
      let one = try await read(world, root, pageLines: lines, readsAhead: false)
      let ahead = try await read(world, root, pageLines: lines, readsAhead: true)
      #expect(one.titles == expected)
      #expect(ahead.titles == expected)
      #expect(one.requests > whole.requests)
      #expect(ahead.requests == one.requests)
    }
  }

  @Test func aSignatureThatWasCheckedCountsForItsVeryKeyDomainAndBody() async throws {
    let world = try World()
    let alice = try await world.person("alice")
    try alice.addList("Groceries", "Milk")
    try await alice.sync()
    let account = try #require(try alice.database.read { try $0.account() })
    let keyring = try #require(try alice.database.read { try $0.keyring(account.user) })
    let key = try #require(keyring.devices[account.device]?.signKey)
    let put = try #require(
      try alice.transport.sentOperations.compactMap { operation -> SignedRecord? in
        guard case .put(let put) = operation.change else { return nil }
        return try SignedRecord(put.header)
      }.last)
    var checked = CheckedSignatures()
    await checked.check(try page(put), by: [account.user: keyring])
    #expect(checked.contains(key, put.signature, HeaderBody.domain, put.body))
    #expect(!checked.contains(keyring.rootKey, put.signature, HeaderBody.domain, put.body))
    #expect(!checked.contains(key, put.signature, TombstoneBody.domain, put.body))
    #expect(!checked.contains(key, put.signature, HeaderBody.domain, put.body + [0]))
    // A signature that does not hold counts for nothing.
    var other = put.signature.bytes
    other[0] ^= 1
    let bad = SignedRecord(body: put.body, signature: Signature(exactly: other))
    await checked.check(try page(bad), by: [account.user: keyring])
    #expect(!checked.contains(key, bad.signature, HeaderBody.domain, bad.body))
  }

  private func page(_ record: SignedRecord) throws -> IncomingPage {
    try IncomingPage(
      .with {
        $0.lines = data(Line(number: 1, kind: .header, cloudID: .random(SystemEntropy()), hash: record.hash).encoded)
        $0.rows = [
          .with {
            $0.line = 1
            $0.record = record.wire
          }
        ]
      })
  }
}
