import CloudAPI
import CloudClient
import CloudServer
import Foundation
import Signing
import Testing

/// Files over the real server and a real socket, with the client's own verbs.
struct FileHTTPTests {
  @Test func filesTravel() async throws {
    try await serve(HTTPLimits()) { world, port in
      let (alice, bob) = (try world.member("alice"), try world.member("bob"))
      let file = try TestFile(data: 11 << 20)
      let (up, down) = (try connection(world, alice, port), try connection(world, bob, port))
      #expect(try await up.upload(file.content) == nil)
      for part in [2, 0, 1, 0] as [UInt64] {
        try await up.putPart(part, file.part(part), of: file.content, file.layout)
      }
      #expect(try await up.upload(file.content) == UploadState(layout: file.layout, parts: [0, 1, 2]))
      var list = try BranchHand.list(world, alice, with: [bob.entry([.read])])
      _ = try list.attach(file, alice)
      #expect(try await down.leaves(of: file.content, in: list.branch, from: 0) == Array(file.leaves.dropFirst(3)))
      #expect(try await down.leaves(of: file.content, in: list.branch, from: 9).count == 2)
      for range in [0..<file.layout.length, 79..<80, 3_000_000..<9_000_000] as [Range<UInt64>] {
        var bytes: [UInt8] = []
        for try await more in try await down.contentRange(
          range, of: file.content, in: list.branch, over: transport(port))
        { bytes += more }
        #expect(bytes == Array(file.bytes[Int(range.lowerBound)..<Int(range.upperBound)]))
      }
      let (branch, direct) = (list.branch, try transport(port))
      await #expect(throws: CloudFailure.refused(.malformed)) {
        _ = try await down.contentRange(0..<file.layout.length + 1, of: file.content, in: branch, over: direct)
      }
      var other = file.part(1)
      other[0] ^= 1
      let forged = other
      await #expect(throws: CloudFailure.refused(.fork)) {
        try await up.putPart(1, forged, of: file.content, file.layout)
      }
      let stranger = try connection(world, Person("eve"), port)
      await #expect(throws: CloudFailure.refused(.deviceUnknown)) {
        try await stranger.putPart(1, file.part(1), of: file.content, file.layout)
      }
    }
  }

  /// A clock that is wrong is corrected for long answers too.
  @Test func aWrongClockIsCorrected() async throws {
    try await serve(HTTPLimits()) { world, port in
      let alice = try world.member("alice")
      let file = try TestFile(data: 5000)
      // The HTTP library tells the time too.
      world.clock.move(by: SystemClock().now() - world.clock.now())
      let late = StillClock()
      let connection = try connection(world, alice, port, clock: late)
      try await connection.putPart(0, file.part(0), of: file.content, file.layout)
      var list = try BranchHand.list(world, alice)
      _ = try list.attach(file, alice)
      var bytes: [UInt8] = []
      for try await more in try await connection.contentRange(
        0..<file.layout.length, of: file.content, in: list.branch, over: transport(port))
      { bytes += more }
      #expect(bytes == file.bytes)
    }
  }

  @Test func onlyPartsMayBeLongAndSlow() async throws {
    var limits = HTTPLimits()
    limits.graceSeconds = 1
    limits.requestSeconds = 3
    limits.partSeconds = 6
    try await serve(limits) { _, port in
      let part = "/v1/files/\(ContentID.random(entropy))/0?length=80&metadata=0&thumbnail=0"
      let long = try await Wire(port).exchange(
        "PUT \(part) HTTP/1.1\r\nhost: x\r\ncontent-length: \(Limits.partBytes + 1)\r\n\r\n")
      #expect(long.text.hasPrefix("HTTP/1.1 413"))
      let get = try await Wire(port).exchange(
        "GET \(part) HTTP/1.1\r\nhost: x\r\ncontent-length: \(Limits.bodyBytes + 1)\r\n\r\n")
      #expect(get.text.hasPrefix("HTTP/1.1 413"))
      let head = "PUT \(part) HTTP/1.1\r\nhost: x\r\ncontent-length: 5000000\r\n\r\n"
      let slow = try await Wire(port).exchange(head, then: "x", every: 0.1)
      #expect(slow.text.hasPrefix("HTTP/1.1 408"))
      #expect(slow.seconds < 4)
      // Fast enough, and for longer than another request may take.
      let steady = try await Wire(port).exchange(head, then: String(repeating: "x", count: 4096), every: 0.2)
      #expect(steady.text.hasPrefix("HTTP/1.1 408"))
      #expect(steady.seconds > 4 && steady.seconds < 10)
    }
  }

  @Test func aSenderWhoGoesLeavesNothing() async throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("blobs-\(UUID().uuidString)").path
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let store = try FolderBlobStore(folder: folder)
    try await serve(HTTPLimits(), blobs: store) { world, port in
      let alice = try world.member("alice")
      let file = try TestFile(data: 9 << 20)
      let connection = try connection(world, alice, port)
      let arriving = { try FileManager.default.contentsOfDirectory(atPath: "\(folder)/arriving").count }
      for _ in 0..<20 {
        let task = Task { try await connection.putPart(0, file.part(0), of: file.content, file.layout) }
        try await Task.sleep(for: .milliseconds(.random(in: 1...30)))
        task.cancel()
        _ = await task.result
      }
      for _ in 0..<500 where try arriving() > 0 { try await Task.sleep(for: .milliseconds(10)) }
      #expect(try arriving() == 0)
      try await connection.putPart(0, file.part(0), of: file.content, file.layout)
      #expect(try await connection.upload(file.content)?.parts == [0])
    }
  }

  private func serve(
    _ limits: HTTPLimits, blobs: any BlobStore = MemoryBlobStore(), _ body: (World, Int) async throws -> Void
  ) async throws {
    let world = try World(blobs: blobs)
    let server = CloudHTTPServer(cloud: world.cloud, host: "127.0.0.1", port: 0, limits: limits, quiet: true)
    let (ports, found) = AsyncStream.makeStream(of: Int.self)
    let running = Task { try await server.run { found.yield($0) } }
    let port = try #require(await ports.first { _ in true })
    defer { running.cancel() }
    try await body(world, port)
    running.cancel()
    _ = await running.result
  }

  private func transport(_ port: Int) throws -> HTTPTransport { try HTTPTransport(server: "http://127.0.0.1:\(port)") }

  private func connection(
    _ world: World, _ person: Person, _ port: Int, clock: (any WallClock)? = nil
  ) throws -> CloudConnection {
    let transport = try transport(port)
    return CloudConnection(
      transport: transport, authority: transport.server.authority,
      signer: .init(caller: person.signer, key: person.device), clock: clock ?? world.clock, entropy: entropy)
  }
}
