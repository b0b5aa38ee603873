import CloudAPI
import CloudClient
import Foundation
import Signing
import Testing

@testable import CloudServer

/// The real server on a free port of this machine, in this process.
struct HTTPTests {
  @Test func requestsTravel() async throws {
    try await serve(HTTPLimits()) { try await exchange($0, $1) }
  }

  /// Connections that come while a server ends do not end the process.
  @Test func aServerEndsWhileConnectionsCome() async throws {
    for round in 0..<20 {
      let (world, (ports, found)) = (try World(), AsyncStream.makeStream(of: Int.self))
      let server = CloudHTTPServer(cloud: world.cloud, host: "127.0.0.1", port: 0, quiet: true)
      let running = Task { try await server.run { found.yield($0) } }
      let port = try #require(await ports.first { _ in true })
      let visitors = (0..<3).map { _ in
        Task.detached { for _ in 0..<40 { (try? Wire(port).hold("")).map(Wire.release) } }
      }
      try await Task.sleep(for: .milliseconds(round))
      running.cancel()
      let result = await running.result
      #expect(throws: Never.self) { try result.get() }
      for visitor in visitors { await visitor.value }
    }
  }

  @Test func slowOnesAreCutOff() async throws {
    var limits = HTTPLimits()
    limits.headSeconds = 2
    limits.graceSeconds = 1
    limits.requestSeconds = 4
    try await serve(limits) { _, port in
      try await slowHead(port)
      try await slowBody(port)
      try await longHead(port)
      try await longBody(port)
    }
  }

  /// Whoever takes most places holds them for a short time only.
  @Test func halfRequestsDoNotStopTheServer() async throws {
    var limits = HTTPLimits()
    limits.connections = 24
    limits.crowdedHeadSeconds = 2
    try await serve(limits) { _, port in
      let held = try (0..<24).map { _ in try Wire(port).hold("GET /health HTTP/1.1\r\n") }
      defer { held.forEach(Wire.release) }
      let answer = try await Wire(port).exchange(Self.health)
      #expect(answer.text.hasPrefix("HTTP/1.1 200"))
      #expect(answer.seconds < 12)
    }
  }

  @Test func oneAddressHasSoManyConnections() async throws {
    var limits = HTTPLimits()
    limits.connectionsOfAddress = 4
    limits.countsLoopback = true
    try await serve(limits) { _, port in
      var held = try (0..<4).map { _ in try Wire(port).hold("GET /health HTTP/1.1\r\n") }
      defer { held.forEach(Wire.release) }
      try await Task.sleep(for: .milliseconds(500))
      let refused = try await Wire(port).exchange(Self.health)
      #expect(refused.text.isEmpty)
      #expect(refused.seconds < 5)
      Wire.release(held.removeLast())
      try await Task.sleep(for: .milliseconds(500))
      #expect(try await Wire(port).exchange(Self.health).text.hasPrefix("HTTP/1.1 200"))
    }
    // A proxy's are everybody's.
    limits.countsLoopback = false
    try await serve(limits) { _, port in
      let held = try (0..<8).map { _ in try Wire(port).hold("GET /health HTTP/1.1\r\n") }
      defer { held.forEach(Wire.release) }
      #expect(try await Wire(port).exchange(Self.health).text.hasPrefix("HTTP/1.1 200"))
    }
  }

  /// Nothing is signed here, so that all of it comes from one address. Storage is busy, so that the first is worked on and the others wait.
  @Test func ofOneOriginSoManyRequestsWait() async throws {
    try await serve(HTTPLimits()) { world, port in
      let (storage, busy, free) = (world.storage, DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
      Thread.detachNewThread {
        try? storage.write { _ in
          busy.signal()
          free.wait()
        }
      }
      await wait(for: busy)
      let request = Array(encode(Person("alice").signUp()))
      let head = """
        POST /v1/accounts HTTP/1.1\r
        host: 127.0.0.1:\(port)\r
        todo-protocol: 1\r
        content-length: \(request.count)\r
        connection: close\r
        \r

        """
      let sent = ServerLimits.requestsWaiting + 3
      let statuses = try await withThrowingTaskGroup(of: String.self) { group in
        for _ in 0..<sent {
          group.addTask {
            try await String(Wire(port).exchange(Array(head.utf8) + request).text.dropFirst(9).prefix(3))
          }
        }
        var statuses: [String] = []
        for try await status in group {
          statuses.append(status)
          // One is worked on, and so many wait: that is all of them but two.
          if statuses.count == 2 { free.signal() }
        }
        return statuses
      }
      #expect(statuses.prefix(2) == ["429", "429"])
      #expect(statuses.dropFirst(2).allSatisfy { $0 != "429" }, "\(statuses)")
      #expect(statuses.contains("201"))
    }
  }

  private func wait(for semaphore: DispatchSemaphore) async {
    await withCheckedContinuation { continuation in
      Thread.detachNewThread {
        semaphore.wait()
        continuation.resume()
      }
    }
  }

  private static let health = "GET /health HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n"

  private func serve(_ limits: HTTPLimits, _ body: (World, Int) async throws -> Void) async throws {
    let world = try World()
    let server = CloudHTTPServer(cloud: world.cloud, host: "127.0.0.1", port: 0, limits: limits, quiet: true)
    let (ports, found) = AsyncStream.makeStream(of: Int.self)
    let running = Task { try await server.run { found.yield($0) } }
    try await body(world, try #require(await ports.first { _ in true }))
    running.cancel()
    _ = await running.result
  }

  private func exchange(_ world: World, _ port: Int) async throws {
    let transport = try HTTPTransport(server: "http://127.0.0.1:\(port)")
    let health = try await transport.send(
      CloudRequest(method: "GET", authority: transport.server.authority, path: "/health"))
    #expect(health.status == 200)
    #expect(health.body == Array("ok".utf8))
    #expect(health.headers["todo-protocol"] == "1")
    #expect(health.headers["date"] != nil)
    let alice = Person("alice")
    let connection = { (signer: CloudConnection.Signer?) in
      CloudConnection(
        transport: transport, authority: transport.server.authority, signer: signer, clock: world.clock,
        entropy: entropy)
    }
    try await connection(nil).call(.accounts, alice.signUp())
    let signed = connection(.init(caller: alice.signer, key: alice.device))
    let keyring = try await signed.call(.handle("alice"), answer: WireKeyring.self)
    #expect(keyring.entries.count == 4)
    await #expect(throws: CloudFailure.refused(.notFound)) { try await signed.call(.handle("nobody")) }
    let nobody = try HTTPTransport(server: "http://127.0.0.1:1")
    await #expect(throws: CloudFailure.unreachable) {
      try await nobody.send(CloudRequest(method: "GET", authority: "", path: "/health"))
    }
  }

  private func slowHead(_ port: Int) async throws {
    let answer = try await Wire(port).exchange("GET /health HTTP/1.1\r\n", then: "x-slow: 1\r\n", every: 0.3)
    #expect(answer.seconds < 8)
    #expect(!answer.text.contains("200"))
  }

  private func slowBody(_ port: Int) async throws {
    let head = "POST /v1/batch HTTP/1.1\r\nhost: x\r\ncontent-length: 100000\r\n\r\n"
    let answer = try await Wire(port).exchange(head, then: "x", every: 0.1)
    #expect(answer.seconds < 8)
    #expect(answer.text.hasPrefix("HTTP/1.1 408"))
    #expect(answer.text.contains("too-slow"))
    #expect(answer.text.contains("todo-protocol: 1"))
  }

  private func longHead(_ port: Int) async throws {
    let field = String(repeating: "x", count: 17 * 1024)
    let answer = try await Wire(port).exchange("GET /health HTTP/1.1\r\nhost: x\r\nx-long: \(field)\r\n\r\n")
    #expect(answer.text.hasPrefix("HTTP/1.1 413"))
  }

  private func longBody(_ port: Int) async throws {
    let answer = try await Wire(port).exchange(
      "POST /v1/batch HTTP/1.1\r\nhost: x\r\ncontent-length: \(Limits.bodyBytes + 1)\r\n\r\n")
    #expect(answer.text.hasPrefix("HTTP/1.1 413"))
    #expect(answer.text.contains("limit-exceeded"))
  }
}

struct ServerAddressTests {
  @Test(arguments: [
    ("todo.example.org", "https://todo.example.org"), ("Todo.Example.org:443", "https://todo.example.org"),
    ("todo.example.org:8443", "https://todo.example.org:8443"), ("http://localhost:8080/", "http://localhost:8080"),
    ("http://127.0.0.1:80", "http://127.0.0.1"), ("https://[2001:db8::1]:9", "https://[2001:db8::1]:9"),
  ])
  func addressesAreRead(text: String, url: String) throws {
    #expect(try ServerAddress(text).description == url)
  }

  @Test(arguments: [
    "", "http://", "ftp://x", "a b", "x/y", "https://x/y", "user@x", "x:0", "x:99999", "x:", ":8", "-x",
  ])
  func othersAreRefused(text: String) {
    #expect(throws: ServerAddress.Failure.malformed) { try ServerAddress(text) }
  }

  @Test(arguments: ["http://example.org", "http://128.0.0.1", "http://127.0.0.1.example.org"])
  func plainIsForThisMachine(text: String) {
    #expect(throws: ServerAddress.Failure.plainNotLoopback) { try ServerAddress(text) }
  }
}
