import CloudAPI
import Foundation
import Signing
import SwiftProtobuf
import Testing

@testable import CloudServer

/// The worst request that each route was found to take does no more than what is written here. It is counted and not timed, so it is the same
/// on every machine.
struct WorstRequestTests {
  /// The most that one request may do.
  private struct Bound {
    let statements: Int
    let rows: Int
    var bytes = 0
    /// The request's own included.
    var signatures = 1
  }

  private let world: World
  private let alice: Person
  /// Whose keyring is as long as keyrings are.
  private let longest: Person
  private let list: BranchHand
  private let depths: [CloudID]

  init() throws {
    world = try World()
    (alice, longest) = (try world.member("alice"), try world.member("longest"))
    var list = try BranchHand.list(world, alice)
    var depths = [list.branch]
    for _ in 1..<Limits.depth {
      let put = list.put(list.header(parent: depths.last, alice), alice)
      guard word(try list.send(put, alice)) == "accepted" else { throw CloudFailure.nonsense }
      depths.append(try HeaderBody(decoding: put.record.body).cloudID)
    }
    (self.list, self.depths) = (list, depths)
    try Self.fill(longest, in: world)
    try fillList()
  }

  private static func fill(_ person: Person, in world: World) throws {
    try world.storage.write { storage in
      var previous = person.entries[3].hash
      for position in UInt32(5)...UInt32(Limits.keyringEntries) {
        let body = KeyringEntryBody(
          user: person.user, position: position, previous: previous, signer: nil, created: 0,
          change: .setHandle(person.handle, rootKey: nil, rootBoxKey: nil))
        let record = SignedRecord(body: body.encoded, signature: Signature(exactly: entropy.bytes(64)))
        try storage.append(record, hash: record.hash, at: position, to: person.user)
        previous = record.hash
      }
    }
  }

  /// More children with contents than a page has lines.
  private func fillList() throws {
    for _ in 0..<3 {
      let puts = (0..<400).map { _ in
        let contents = [Section.metadata, .data].map { sealedContent($0, entropy.bytes(256), by: alice) }
        var header = list.header(parent: list.branch, alice)
        header.contents = contents.map(\.1)
        return list.put(header, contents: contents.map(\.0), alice)
      }
      let outcomes = try world.batch(puts, as: alice)
      guard outcomes.allSatisfy({ word($0) == "accepted" }) else { throw CloudFailure.nonsense }
    }
  }

  private func expect(
    _ bound: Bound, _ name: String, status: Int = 200, _ answer: () throws -> CloudResponse
  ) throws {
    world.send(.openLogins, as: alice)
    let (before, checked) = (world.storage.work(), world.cloud.memory.signatures.checked)
    let response = try answer()
    let after = world.storage.work()
    let signatures = world.cloud.memory.signatures.checked - checked
    #expect(response.status == status, "\(name): \(reason(response))")
    let spent =
      "\(name): \(after.statements - before.statements) \(after.rows - before.rows) \(after.bytes - before.bytes) \(signatures)"
    #expect(after.statements - before.statements <= bound.statements, "\(spent)")
    #expect(after.rows - before.rows <= bound.rows, "\(spent)")
    #expect(after.bytes - before.bytes <= bound.bytes, "\(spent)")
    #expect(signatures <= bound.signatures, "\(spent)")
  }

  @Test func accounts() throws {
    let bound = Bound(statements: 100, rows: 100, bytes: 8 * 1024, signatures: 4)
    try expect(bound, "accounts", status: 201) { world.send(.accounts, Person("dora").signUp()) }
    try expect(Bound(statements: 3, rows: 1010, bytes: 512 * 1024), "handle") {
      world.send(.handle("longest"), as: alice)
    }
    let users = WireKeyringsRequest.with {
      $0.users = Array(
        repeating: .with { $0.user = data(longest.user.bytes) }, count: Limits.requestItems)
    }
    let most = ServerLimits.answerBytes + ServerLimits.keyringBytes
    try expect(Bound(statements: 120, rows: 40_000, bytes: most), "keyrings", status: 400) {
      world.send(.keyrings, users, as: alice)
    }
  }

  /// Whoever sends a keyring to which they cannot add makes the server check their own signature, if that.
  @Test func keyringAppends() throws {
    let entries = try world.storage.read { try $0.keyringEntries(of: longest.user, after: 0) }
    let append = WireKeyringAppend.with {
      $0.user = data(longest.user.bytes)
      $0.entries = entries.map(\.wire) + [entries[5].wire]
    }
    let bound = Bound(statements: 4, rows: 1010, bytes: 512 * 1024)
    let stranger = SigningKey(entropy)
    let forged = Caller(user: longest.user, device: .random(entropy))
    try expect(bound, "append", status: 400) {
      world.cloud.handle(world.request(.keyringAppend, encode(append), as: forged, stranger))
    }
    let wrong = world.request(.keyringAppend, encode(append), as: longest.signer, stranger)
    try expect(bound, "append", status: 401) { world.cloud.handle(wrong) }
  }

  @Test func logins() throws {
    let login = LoginID.random(entropy)
    let start = WireLoginStart.with {
      $0.handle = "longest"
      $0.login = data(login.bytes)
      $0.commitment = data(entropy.bytes(32))
    }
    try expect(Bound(statements: 3, rows: 2, signatures: 0), "logins") { world.send(.logins, start) }
    let answer = WireLoginAnswer.with {
      $0.login = data(login.bytes)
      $0.nonce = data(entropy.bytes(32))
    }
    try expect(Bound(statements: 1, rows: 1), "answer") { world.send(.loginAnswer, answer, as: longest) }
    let poll = WireLoginPoll.with {
      $0.login = data(login.bytes)
      $0.opening = data(entropy.bytes(Limits.openingBytes))
    }
    try expect(Bound(statements: 2, rows: 1, signatures: 0), "poll") { world.send(.loginPoll, poll) }
    try expect(Bound(statements: 1, rows: 1), "open") { world.send(.openLogins, as: longest) }
  }

  @Test func reading() throws {
    let heads = WireHeadsRequest.with {
      $0.branches = Array(repeating: data(list.branch.bytes), count: Limits.requestItems)
      $0.users = Array(repeating: data(longest.user.bytes), count: Limits.requestItems)
    }
    try expect(Bound(statements: 4001, rows: 4001), "heads") { world.send(.heads, heads, as: alice) }
    let pull = WirePullRequest.with {
      $0.branch = data(list.branch.bytes)
      $0.afterHash = data(LogHead(startOf: list.branch).hash.bytes)
    }
    let page = Limits.pageBytes + Limits.recordBytes
    try expect(Bound(statements: 2010, rows: 4100, bytes: page), "pull") { world.send(.pull, pull, as: alice) }
    let newest = WireNewestRequest.with {
      $0.branch = data(list.branch.bytes)
      $0.parents = Array(repeating: data(list.branch.bytes), count: Limits.requestItems)
      $0.count = UInt32(Limits.pageLines)
    }
    try expect(Bound(statements: 4010, rows: 8000, bytes: page), "newest") { world.send(.newest, newest, as: alice) }
    let permissions = WirePermissionsRequest.with { $0.branch = data(list.branch.bytes) }
    try expect(Bound(statements: 4, rows: 5, bytes: ServerLimits.answerBytes), "permissions") {
      world.send(.permissions, permissions, as: alice)
    }
    try expect(Bound(statements: 10_000, rows: 10_000, bytes: 1 << 22), "restore") {
      let restore = WireRestoreRequest.with {
        $0.branch = data(list.branch.bytes)
        $0.afterHash = data(LogHead(startOf: list.branch).hash.bytes)
      }
      return world.send(.restore, restore, as: alice)
    }
  }

  @Test func filesAndContents() throws {
    let (branch, content) = (list.branch, ContentID.random(entropy))
    let few = Bound(statements: 6, rows: 6)
    try expect(few, "content", status: 404) {
      world.send(.content(branch: branch, content), as: alice)
    }
    try expect(few, "upload", status: 404) { world.send(.upload(content), as: alice) }
    try expect(few, "abandoned", status: 204) { world.send(.abandonedUpload(content), as: alice) }
    try expect(few, "leaves", status: 404) {
      let request = world.request(
        .leaves(branch: branch, content), query: "from=0", [], as: alice.signer, alice.device)
      return world.cloud.handle(request)
    }
  }

  /// A batch of the deepest nodes: each looks at all those above it in one statement, and what is above them is changed once.
  @Test func theDeepestBatch() throws {
    let deepest = depths[Limits.depth - 1]
    let puts = (0..<Limits.batchOperations).map { _ in list.put(list.header(parent: deepest, alice), alice) }
    let batch = WireBatch.with { $0.operations = puts }
    let bound = Bound(
      statements: 500 * 30 + 2 * Limits.depth, rows: 500 * (Limits.depth + 40), bytes: 1 << 20, signatures: 501)
    try expect(bound, "batch") { world.send(.batch, batch, as: alice) }
  }

  /// The same for their deletion, one by one, the newest first: with each of them all above has an older newest line.
  @Test func theDeepestDeletions() throws {
    let deepest = depths[Limits.depth - 1]
    let puts = (0..<Limits.batchOperations).map { _ in list.put(list.header(parent: deepest, alice), alice) }
    let outcomes = try world.batch(puts, as: alice)
    guard case .accepted(let last)? = outcomes.last?.result else { throw CloudFailure.nonsense }
    let read = LogHead(line: last.line, hash: try fixed(last.logHash))
    let deletions = try puts.reversed().map { put in
      let record = try put.record
      let cloudID = try HeaderBody(decoding: record.body).cloudID
      return list.delete(cloudID, version: 2, previous: record.hash, read: read, alice)
    }
    let bound = Bound(
      statements: 500 * 35 + 2 * Limits.depth, rows: 500 * 30, bytes: 1 << 20, signatures: 501)
    try expect(bound, "batch") {
      let response = world.send(.batch, WireBatch.with { $0.operations = deletions }, as: alice)
      let words = try WireOutcomes(serializedBytes: response.body).outcomes.map { word($0) }
      #expect(Set(words) == ["accepted"])
      return response
    }
  }

  /// Messages to an inbox, the most that one batch puts.
  @Test func aBatchOfRefusals() throws {
    let stale = (0..<Limits.batchOperations).map { _ in
      list.delete(depths[1], version: 2, previous: .random(entropy), alice)
    }
    let batch = WireBatch.with { $0.operations = stale }
    let bound = Bound(statements: 500 * 16, rows: 500 * 16, bytes: 1 << 20, signatures: 501)
    try expect(bound, "batch") { world.send(.batch, batch, as: alice) }
  }
}
