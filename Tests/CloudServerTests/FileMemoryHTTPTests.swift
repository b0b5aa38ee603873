import CloudAPI
import CloudClient
import CloudServer
import Foundation
import Signing
import SwiftProtobuf
import Testing

/// A file goes through the server without being in its memory. The real program, so that nothing else is measured.
struct FileMemoryHTTPTests {
  @Test func aLargeFileTakesNoMoreMemoryThanAPart() async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "todo-memory-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let server = try Server(folder)
    defer { server.stop() }
    let connection = try await server.connection()
    let (alice, file) = (Person("alice"), try TestFile(data: 64 << 20))
    try await connection(nil).call(.accounts, alice.signUp())
    let signed = connection(.init(caller: alice.signer, key: alice.device))
    let before = try server.peak
    for part in 0..<file.parts.count {
      try await signed.putPart(part, file.part(part), of: file.content, file.layout)
    }
    let branch = try await attach(file, alice, signed)
    var offset = 0
    for try await bytes in try await signed.contentRange(
      0..<file.layout.length, of: file.content, in: branch, over: server.transport)
    {
      try #require(bytes[...] == file.bytes[offset..<offset + bytes.count])
      offset += bytes.count
    }
    #expect(offset == file.bytes.count)
    // Two parts, of which one may still be with the allocator.
    let growth = try server.peak - before
    #expect(growth < 16 << 20, "\(growth) bytes")
  }

  /// A list with one todo that lists the file.
  private func attach(_ file: TestFile, _ alice: Person, _ connection: CloudConnection) async throws -> CloudID {
    var list = BranchHand(try World())
    let permit = list.permit([alice.entry([.read, .write, .share])], alice)
    let record = try permit.record
    list.permissions = record
    list.head = list.head.appending(Line(number: 1, kind: .permissions, cloudID: list.branch, hash: record.hash))
    var header = list.header(parent: list.branch, alice)
    header.contents = [file.reference(by: alice)]
    let batch = WireBatch.with { $0.operations = [permit, list.put(header, alice)] }
    let outcomes = try await connection.call(.batch, batch, answer: WireOutcomes.self).outcomes
    try #require(outcomes.map { word($0) } == ["accepted", "accepted"])
    return list.branch
  }
}

/// `todo-server` on a folder of its own.
private final class Server {
  private let process = Process()
  private let output: URL

  init(_ folder: URL) throws {
    output = folder.appending(path: "output")
    try Data().write(to: output)
    let programs = (Bundle.main.executableURL ?? URL(filePath: CommandLine.arguments[0]))
      .resolvingSymlinksInPath().deletingLastPathComponent()
    process.executableURL = programs.appending(path: "todo-server")
    process.arguments = ["--data", folder.appending(path: "data").path, "--listen", "127.0.0.1:0", "--quiet"]
    process.standardError = try FileHandle(forWritingTo: output)
    try process.run()
  }

  func stop() {
    process.terminate()
    process.waitUntilExit()
  }

  private var address: String {
    get async throws {
      for _ in 0..<1000 {
        let text = try String(contentsOf: output, encoding: .utf8)
        if text.hasSuffix("\n"), let word = text.split(whereSeparator: \.isWhitespace).last { return String(word) }
        try await Task.sleep(for: .milliseconds(20))
      }
      throw CloudFailure.unreachable
    }
  }

  var transport: HTTPTransport {
    get async throws { try HTTPTransport(server: try await address) }
  }

  func connection() async throws -> (CloudConnection.Signer?) -> CloudConnection {
    let transport = try await transport
    return {
      CloudConnection(
        transport: transport, authority: transport.server.authority, signer: $0, clock: SystemClock(), entropy: entropy)
    }
  }

  /// The most memory that it has had, in bytes.
  var peak: Int {
    get throws {
      let status = try String(contentsOfFile: "/proc/\(process.processIdentifier)/status", encoding: .utf8)
      let line = status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") }
      let kilobytes = line?.split(separator: " ").dropFirst().first.flatMap { Int($0) }
      return try #require(kilobytes) * 1024
    }
  }
}
