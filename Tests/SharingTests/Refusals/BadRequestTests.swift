import CloudAPI
import CloudServer
import Foundation
import Signing
import SwiftProtobuf
import TestSupport
import Testing
import TodoCore

@testable import Sharing
@testable import Treesystem

/// What a client of somebody's own making may send: each route gets too much, too many and nonsense, answers with a word, and the
/// server goes on.
@Suite struct BadRequestTests {
  /// The routes that take a body.
  static let routes: [Route] = [
    .accounts, .keyrings, .keyringAppend, .logins, .loginPoll, .openLogins, .loginAnswer, .heads, .pull, .permissions,
    .restore, .batch,
  ]

  private let world: World
  private let alice: Device
  private let bob: Device
  private let before: [UInt8]

  init() async throws {
    (alice, bob, world) = try await sharedList(seed: "bad-requests")
    try alice.add("Groceries", "Bread")
    before = try Hand(bob, on: alice.branch("Groceries")).head.hash.bytes
  }

  private func reason(_ route: Route, _ body: [UInt8], as device: Device? = nil) throws -> (Int, String) {
    let answer = world.cloud.handle(try (device ?? bob).signed(route, in: world, body))
    return (answer.status, (try? decode(WireProblem.self, answer.body))?.reason ?? "")
  }

  /// The list is as it was, what waits is sent, and the other one reads it.
  private func goesOn() async throws {
    let branch = try alice.branch("Groceries")
    #expect(try world.storage.read { try $0.head(of: branch)?.hash.bytes } == before)
    try await settle(alice, bob)
    #expect(try bob.titles("Groceries") == ["Bread", "Milk"])
    #expect(try alice.unsent() == 0)
  }

  @Test(arguments: routes) func tooLong(_ route: Route) async throws {
    let (status, word) = try reason(route, [UInt8](repeating: 0, count: Limits.bodyBytes + 1))
    #expect(status == 413 && word == "limit-exceeded")
    try await goesOn()
  }

  /// Bytes that are no message; the wrong one; and fields that cannot be.
  @Test(arguments: routes) func nonsense(_ route: Route) async throws {
    for body in [[UInt8](repeating: 0xff, count: 100), Array("todo".utf8), [0x0a, 0xff, 0xff, 0xff, 0xff, 0x0f]] {
      let (status, word) = try reason(route, body)
      // What asks nothing of its body does not read it.
      guard route != .openLogins else { continue }
      #expect((400..<500).contains(status) && Refusal(rawValue: word) != nil, "\(route): \(status) \(word)")
      #expect(word != "internal")
    }
    try await goesOn()
  }

  /// What is asked of files that are not there, and with bodies where there are none.
  @Test(arguments: [
    Route.upload(.random(SystemEntropy())), .filePart(.random(SystemEntropy()), part: 0),
    .filePart(.random(SystemEntropy()), part: .max),
    .leaves(branch: .random(SystemEntropy()), .random(SystemEntropy())),
    .content(branch: .random(SystemEntropy()), .random(SystemEntropy())),
  ])
  func filesThatAreNot(_ route: Route) async throws {
    for body in [[], [0xff], [UInt8](repeating: 0xff, count: 100_000)] as [[UInt8]] {
      let (status, word) = try reason(route, body)
      #expect((400..<500).contains(status) && Refusal(rawValue: word) != nil, "\(route): \(status) \(word)")
    }
    try await goesOn()
  }

  @Test func tooManyAtOnce() async throws {
    let ids = (0...Limits.requestItems).map { _ in data(CloudID.random(SystemEntropy()).bytes) }
    let users = (0...Limits.requestItems).map { _ in data(UserID.random(SystemEntropy()).bytes) }
    let operations = [WireOperation](repeating: WireOperation(), count: Limits.batchOperations + 1)
    let many: [(Route, [UInt8])] = [
      (.heads, encode(WireHeadsRequest.with { $0.branches = ids })),
      (.heads, encode(WireHeadsRequest.with { $0.users = users })),
      (.batch, encode(WireBatch.with { $0.operations = operations })),
      (.restore, encode(WireRestoreRequest.with { $0.lines = Data(count: Line.length * (Limits.restoreLines + 1)) })),
    ]
    for (route, body) in many {
      let (status, word) = try reason(route, body)
      #expect((status == 400 || status == 413) && word == "limit-exceeded", "\(route): \(status) \(word)")
    }
    try await goesOn()
  }

  /// A keyring has a thousand entries, of which devices sign the first nine hundred, and sixty that end devices: the root's next one is refused, too.
  @Test func aKeyringThatIsTooLong() async throws {
    let root = try #require(try bob.database.read { try $0.root() })
    let user = root.userID
    let keyring = try #require(try bob.database.read { try $0.keyring(user) })
    var chain = KeyringChain(after: keyring, now: 0)
    for number in 0...(Limits.keyringEntries - Int(keyring.position)) {
      chain.append(.setHandle("bob\(number)", rootKey: nil, rootBoxKey: nil), signedBy: root.signing, signer: nil)
    }
    let message = WireKeyringAppend.with {
      $0.user = data(user.bytes)
      $0.entries = chain.records.map(\.wire)
    }
    let (status, word) = try reason(.keyringAppend, encode(message))
    #expect(status == 400 && word == "limit-exceeded")
    #expect(try world.storage.read { try $0.keyringHead(of: user)?.position } == keyring.position)
    try await goesOn()
  }

  /// Lines, positions and times that no honest client has.
  @Test func absurdNumbers() async throws {
    let branch = try alice.branch("Groceries")
    for line in [1 << 40, UInt64(Int64.max), UInt64.max] {
      let pull = WirePullRequest.with {
        $0.branch = data(branch.bytes)
        $0.afterLine = line
        $0.afterHash = data(Hash32.zeros.bytes)
      }
      let pulled = try reason(.pull, encode(pull))
      let isCounter = line <= Limits.counter
      #expect(pulled == (isCounter ? (409, "fork") : (400, "malformed")))
      let restore = WireRestoreRequest.with {
        $0.branch = data(branch.bytes)
        $0.afterLine = line
        $0.afterHash = data(Hash32.zeros.bytes)
      }
      let restored = try reason(.restore, encode(restore))
      #expect(restored == (isCounter ? (409, "chain-broken") : (400, "malformed")))
    }
    try await goesOn()
  }
}
