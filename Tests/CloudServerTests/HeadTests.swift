import CloudAPI
import Foundation
import Signing
import SwiftProtobuf
import Testing

@testable import CloudServer

/// What a request's head says is judged before its body is kept.
struct HeadTests {
  private let world: World
  private let alice: Person

  init() throws {
    world = try World()
    alice = try world.member("alice")
  }

  /// How many bytes of a body are taken, or why none.
  private func judged(
    _ route: Route, as signer: Caller? = nil, _ key: SigningKey? = nil, _ bend: (inout CloudRequest) -> Void = { _ in }
  ) -> String {
    var request = world.request(route, entropy.bytes(100_000), as: signer, key)
    request.body = []
    bend(&request)
    switch world.cloud.judgeHead(request) {
    case .taken(let limit): return "\(limit)"
    case .refused(let response): return reason(response)
    }
  }

  @Test func onlyKnownDevicesSendMuch() throws {
    let (stranger, other) = (SigningKey(entropy), Caller(user: alice.user, device: .random(entropy)))
    let (much, little) = ("\(Limits.bodyBytes)", "\(ServerLimits.strangersBodyBytes)")
    #expect(judged(.batch, as: alice.signer, alice.device) == much)
    #expect(judged(.batch, as: other, stranger) == "device-unknown")
    #expect(judged(.batch, as: alice.signer, stranger) == "signature-bad")
    #expect(judged(.batch) == "malformed")
    #expect(judged(.batch, as: alice.signer, alice.device) { $0.headers["content-digest"] = nil } == "malformed")
    #expect(judged(.keyringAppend, as: alice.signer, alice.device) == much)
    #expect(judged(.keyringAppend, as: alice.signer, stranger) == "signature-bad")
    #expect(judged(.keyringAppend, as: other, stranger) == little, "the entries may add it")
    #expect(judged(.accounts) == little)
    #expect(judged(.logins) == little)
    world.clock.move(by: 120_000)
    let late = world.request(.batch, [], as: alice.signer, alice.device)
    world.clock.move(by: 120_000)
    guard case .refused(let response) = world.cloud.judgeHead(late) else { return #expect(Bool(false)) }
    #expect(reason(response) == "clock-skew")
  }

  /// The same request is not checked twice, and not spent by its head.
  @Test func aHeadThatWasJudgedIsCheckedOnce() throws {
    let request = world.request(.openLogins, [], as: alice.signer, alice.device)
    let before = world.cloud.memory.signatures.checked
    guard case .taken = world.cloud.judgeHead(request) else { return #expect(Bool(false)) }
    #expect(world.cloud.handle(request).status == 200)
    #expect(reason(world.cloud.handle(request)) == "nonce-seen")
    #expect(world.cloud.memory.signatures.checked == before + 1)
  }
}

/// Over a socket; it has a run of its own, like all that does.
@Suite struct RefusalHTTPTests {
  /// Whoever sends much and is refused hears why.
  @Test func aRefusalIsHeardWhateverIsSent() async throws {
    let world = try World()
    let server = CloudHTTPServer(cloud: world.cloud, host: "127.0.0.1", port: 0, quiet: true)
    let (ports, found) = AsyncStream.makeStream(of: Int.self)
    let running = Task { try await server.run { found.yield($0) } }
    let port = try #require(await ports.first { _ in true })
    let body = String(repeating: "x", count: 1_500_000)
    let batch = try await Wire(port).exchange(
      "POST /v1/batch HTTP/1.1\r\nhost: x\r\ntodo-protocol: 1\r\ncontent-length: \(body.utf8.count)\r\nconnection: close\r\n\r\n\(body)"
    )
    #expect(batch.text.hasPrefix("HTTP/1.1 400"))
    let nowhere = try await Wire(port).exchange(
      "POST /v1/nowhere HTTP/1.1\r\nhost: x\r\ncontent-length: \(body.utf8.count)\r\nconnection: close\r\n\r\n\(body)")
    #expect(nowhere.text.hasPrefix("HTTP/1.1 404"))
    // A sign-up is short, so the head alone says that this is none.
    let account = try await Wire(port).exchange(
      "POST /v1/accounts HTTP/1.1\r\nhost: x\r\ntodo-protocol: 1\r\ncontent-length: 100000\r\nconnection: close\r\n\r\n\(body.prefix(100_000))"
    )
    #expect(account.text.hasPrefix("HTTP/1.1 413"))
    // One that does not say how long it is ends where it is too long, kept or not.
    let chunk = "100000\r\n\(String(repeating: "x", count: 1 << 20))\r\n"
    let endless = try await Wire(port).exchange(
      "POST /v1/batch HTTP/1.1\r\nhost: x\r\ntodo-protocol: 1\r\ntransfer-encoding: chunked\r\n\r\n", then: chunk)
    #expect(endless.text.hasPrefix("HTTP/1.1 413"))
    running.cancel()
    _ = await running.result
  }
}
