import CloudAPI
import Foundation
import Signing
import SwiftProtobuf
import Testing

@testable import CloudServer

/// How much one request may bring or ask for, beside what `RequestTests` tries.
struct LimitTests {
  private let world: World
  private let alice: Person

  init() throws {
    world = try World()
    alice = try world.member("alice")
  }

  @Test func recordsAndContents() throws {
    let list = try BranchHand.list(world, alice)
    let (content, reference) = sealedContent(.data, entropy.bytes(Limits.contentBytes + 1), by: alice)
    var header = list.header(parent: list.branch, alice)
    header.contents = [reference]
    let long = WireOperation.with {
      $0.operation = data(entropy.bytes(16))
      $0.put.header.body = Data(count: Limits.recordBytes + 1)
      $0.put.header.signature = Data(count: 64)
    }
    let outcomes = try world.batch([list.put(header, contents: [content], alice), long], as: alice)
    #expect(outcomes.map { word($0) } == ["refused limit-exceeded", "refused limit-exceeded"])
  }

  @Test func whatIsNamedInOneRequest() throws {
    let (user, many) = (data(alice.user.bytes), Limits.requestItems + 1)
    let branches = WireHeadsRequest.with {
      $0.branches = Array(repeating: data(Trunk.home.cloudID(of: alice.user).bytes), count: many)
    }
    #expect(reason(world.send(.heads, branches, as: alice)) == "limit-exceeded")
    let users = WireKeyringsRequest.with {
      $0.users = Array(
        repeating: .with {
          $0.user = user
          $0.after = 4
        }, count: many)
    }
    #expect(reason(world.send(.keyrings, users, as: alice)) == "limit-exceeded")
  }

  @Test func aPageHasSoManyLines() throws {
    let list = try BranchHand.list(world, alice)
    for _ in 0..<3 {
      let puts = (0..<400).map { _ in list.put(list.header(parent: list.branch, alice), alice) }
      #expect(try world.batch(puts, as: alice).allSatisfy { word($0) == "accepted" })
    }
    for limit in [0, .max] as [UInt32] {
      let page = try world.pull(list.branch, limit: limit, as: alice)
      #expect(try Line.decode(Array(page.lines)).count == Limits.pageLines)
    }
  }

  @Test func soManyAreOnAList() throws {
    var list = try BranchHand.list(world, alice)
    let crowd = (0..<Limits.permissionsEntries).map { _ in
      PermissionsEntry(
        user: .random(entropy), letters: [.read], keyringPosition: 4, generation: 1, sealedKey: entropy.bytes(80))
    }
    let permit = list.permit([alice.entry([.read, .write, .share])] + crowd, alice)
    #expect(word(try list.send(permit, alice)) == "refused limit-exceeded")
  }

  @Test func nothingHangsDeeper() throws {
    let list = try BranchHand.list(world, alice)
    var (parent, puts) = (list.branch, [WireOperation]())
    for _ in 0...Limits.depth {
      let header = list.header(parent: parent, alice)
      puts.append(list.put(header, alice))
      parent = header.cloudID
    }
    let words = try world.batch(puts, as: alice).map { word($0) }
    #expect(words == Array(repeating: "accepted", count: Limits.depth) + ["refused limit-exceeded"])
  }

  /// None of it is read before it is known how much there is.
  @Test func aLongHistory() throws {
    let list = try BranchHand.list(world, alice)
    let length = try #require(list.permissions).encoded.count
    let before = world.storage.work().bytes
    #expect(try world.storage.read { try $0.permissionsHistory(of: list.branch, upTo: length - 1) } == nil)
    #expect(world.storage.work().bytes == before)
    #expect(try world.storage.read { try $0.permissionsHistory(of: list.branch, upTo: length) }?.count == 1)
  }
}

/// Requests that come once more, or too often.
struct NonceTests {
  private let world: World
  private let alice: Person
  private let request: CloudRequest

  init() throws {
    world = try World()
    alice = try world.member("alice")
    request = world.request(.openLogins, [], as: alice.signer, alice.device)
  }

  /// A signature like that of a request, with another nonce: nobody judges it here.
  private func signature(_ number: Int) throws -> RequestSignature {
    let nonce = try RequestSignature(of: request).nonce
    let other = String(repeating: "0", count: 32 - "\(number)".count) + "\(number)"
    var request = request
    request.headers["signature-input"] = request.headers["signature-input"]?
      .replacingOccurrences(of: nonce, with: other)
    return try RequestSignature(of: request)
  }

  private var now: Int64 { world.clock.now() }

  /// A minute: its nonce need not be remembered for longer.
  @Test func aRequestLivesForAMinute() throws {
    let created = now / 1000
    var long = request
    let input = try #require(long.headers["signature-input"])
    long.headers["signature-input"] = input.replacingOccurrences(
      of: "expires=\(created + 60)", with: "expires=\(created + 61)")
    #expect(long.headers["signature-input"] != input)
    #expect(reason(world.cloud.handle(long)) == "malformed")
    #expect(world.cloud.handle(request).status == 200)
  }

  @Test func oneUserSendsSoManyAtATime() throws {
    let window = NonceWindow()
    for number in 0..<ServerLimits.noncesOfUser { try window.admit(signature(number), now: now) }
    #expect(throws: Refusal.tooMany) { try window.admit(signature(ServerLimits.noncesOfUser), now: now) }
    world.clock.move(by: 61_000)
    #expect(throws: Never.self) { try window.admit(signature(ServerLimits.noncesOfUser), now: now) }
  }

  @Test func allSendSoManyAtATime() throws {
    let window = NonceWindow(limit: 3)
    for number in 0..<3 { try window.admit(signature(number), now: now) }
    #expect(throws: Refusal.nonceSeen) { try window.admit(signature(1), now: now) }
    #expect(throws: Refusal.tooMany) { try window.admit(signature(3), now: now) }
  }
}
