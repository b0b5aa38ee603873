import CloudAPI
import CloudServer
import Foundation
import Signing
import SwiftProtobuf
import Testing

struct RequestTests {
  @Test func answersSayProtocolAndDate() throws {
    let world = try World()
    for response in [world.send(.health), world.send(.batch), world.send(.handle("nobody"))] {
      #expect(response.headers["todo-protocol"] == "1")
      #expect(response.headers["date"] == "Tue, 14 Nov 2023 22:13:20 GMT")
    }
    #expect(world.send(.health).body == Array("ok".utf8))
  }

  @Test func aRequestIsRefusedForItsSignature() throws {
    let world = try World()
    let (alice, bob) = (try world.member("alice"), try world.member("bob"))
    let good = world.request(.handle("bob"), [], as: alice.signer, alice.device)
    #expect(world.cloud.handle(good).status == 200)
    #expect(reason(world.cloud.handle(good)) == "nonce-seen")
    let stolen = world.request(.handle("bob"), [], as: alice.signer, bob.device)
    #expect(reason(world.cloud.handle(stolen)) == "signature-bad")
    var moved = world.request(.handle("bob"), [], as: alice.signer, alice.device)
    moved.path = "/v1/handles/alice"
    #expect(reason(world.cloud.handle(moved)) == "signature-bad")
    var swapped = world.request(.heads, [], as: alice.signer, alice.device)
    swapped.body = [8, 1]
    #expect(reason(world.cloud.handle(swapped)) == "digest-wrong")
    let old = world.request(.handle("bob"), [], as: alice.signer, alice.device)
    world.clock.move(by: 61_000)
    #expect(reason(world.cloud.handle(old)) == "clock-skew")
    #expect(world.cloud.handle(old).status == 401)
    #expect(reason(world.send(.handle("bob"), as: Person("eve"))) == "device-unknown")
  }

  @Test func anotherProtocolIsRefused() throws {
    let world = try World()
    var request = world.request(.heads, [], as: nil, nil)
    request.headers["todo-protocol"] = "0"
    #expect(world.cloud.handle(request).status == 426)
    request.headers["todo-protocol"] = nil
    #expect(world.cloud.handle(request).status == 400)
  }

  @Test func limitsHold() throws {
    let world = try World()
    let alice = try world.member("alice")
    let long = world.request(.batch, [UInt8](repeating: 0, count: Limits.bodyBytes + 1), as: alice.signer, alice.device)
    #expect(world.cloud.handle(long).status == 413)
    let many = WireBatch.with { $0.operations = Array(repeating: .init(), count: Limits.batchOperations + 1) }
    #expect(reason(world.send(.batch, many, as: alice)) == "limit-exceeded")
    let id = data(alice.user.bytes)
    let users = WireHeadsRequest.with { $0.users = Array(repeating: id, count: Limits.requestItems + 1) }
    #expect(reason(world.send(.heads, users, as: alice)) == "limit-exceeded")
    let heavy = WireBatch.with {
      $0.operations = [.with { $0.put.contents = [.with { $0.ciphertext = Data(count: Limits.batchBytes + 1) }] }]
    }
    #expect(reason(world.send(.batch, heavy, as: alice)) == "limit-exceeded")
  }

  /// Whatever the bytes, there is an answer. Signed, so that they get past the signature.
  @Test func randomBytesNeverTrap() throws {
    let world = try World()
    let alice = try world.member("alice")
    var random = Seeded(seed: 7)
    let routes: [Route] = [.accounts, .keyrings, .keyringAppend, .heads, .pull, .permissions, .batch]
    let home = Trunk.home.cloudID(of: alice.user)
    let samples: [[UInt8]] = [
      encode(alice.signUp()),
      encode(
        WirePullRequest.with {
          $0.branch = data(home.bytes)
          $0.afterLine = .max
          $0.limit = .max
        }),
      encode(
        WireKeyringsRequest.with {
          $0.users = [
            .with {
              $0.user = data(alice.user.bytes)
              $0.after = .max
            }
          ]
        }),
      encode(WireBatch.with { $0.operations = [.with { $0.put.header = alice.trunkRecords[0].wire }] }),
      encode(
        WireKeyringAppend.with {
          $0.user = data(alice.user.bytes)
          $0.entries = alice.entries.map(\.wire)
        }),
    ]
    for round in 0..<400 {
      for route in routes {
        var body = samples[random.below(samples.count)]
        if round.isMultiple(of: 4) { body = (0..<random.below(200)).map { _ in UInt8(random.below(256)) } }
        for _ in 0..<random.below(4) where !body.isEmpty { body[random.below(body.count)] = UInt8(random.below(256)) }
        let status = world.cloud.handle(world.request(route, body, as: alice.signer, alice.device)).status
        #expect((200..<500).contains(status), "\(route.path) answered \(status)")
      }
    }
  }

  @Test func hugeNumbersInAPullAreAForkOrMalformed() throws {
    let world = try World()
    let alice = try world.member("alice")
    let home = Trunk.home.cloudID(of: alice.user)
    for line in [2, UInt64(Int64.max), UInt64(Int64.max) + 1, .max] {
      let message = WirePullRequest.with {
        $0.branch = data(home.bytes)
        $0.afterLine = line
        $0.afterHash = Data(count: 32)
      }
      #expect(reason(world.send(.pull, message, as: alice)) == (line > Limits.counter ? "malformed" : "fork"))
    }
    #expect(try world.pull(home, limit: .max, as: alice).lines.count == Line.length)
  }

  @Test func hostilePathsAndHeadersAreAnswered() throws {
    let world = try World()
    for path in [
      "", "/", "//", "/v1/handles/", "/v1/handles/\u{e9}", "/v1/contents//", "/v1/contents/00/00", "/health?x",
    ] {
      let request = CloudRequest(method: "GET", authority: "", path: path, headers: ["todo-protocol": "1"])
      #expect(world.cloud.handle(request).status == 404)
    }
    for input in ["", "todo=", "todo=()", "todo=(\"@method\");created=99999999999999999999"] {
      var request = world.request(.heads, [], as: nil, nil)
      request.headers["signature-input"] = input
      request.headers["signature"] = "todo=:AA==:"
      #expect(world.cloud.handle(request).status == 400)
    }
  }
}

/// SplitMix64: the same numbers each time.
struct Seeded: RandomNumberGenerator {
  private var state: UInt64
  init(seed: UInt64) { state = seed }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var z = state
    z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
    return z ^ (z >> 31)
  }

  mutating func below(_ bound: Int) -> Int { Int(next() % UInt64(bound)) }
}
