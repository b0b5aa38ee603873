import Foundation
import Testing

/// A file on its way from one device over a server to another one, by the calls that a client uses and between real programs: neither side has it in
/// memory. `scripts/bench` looks after the 64 MiB themselves, of release builds and for 1 GiB.
@Suite struct CarryMemoryTests {
  @Test func aLargeFileOnItsWayTakesNoMoreMemoryThanASmallOne() async throws {
    let (small, large) = (try await Self.peaks(mebibytes: 16), try await Self.peaks(mebibytes: 144))
    for side in small.indices {
      let growth = large[side] - small[side]
      #expect(small[side] > 0 && growth < 16, "\(small) and \(large) MiB: sender, receiver, server")
    }
  }

  /// The most memory that the sender, the receiver and the server had, in MiB.
  private static func peaks(mebibytes: Int) async throws -> [Int] {
    let folder = FileManager.default.temporaryDirectory.appending(path: "carry-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let (clear, fetched) = (folder.appending(path: "clear"), folder.appending(path: "fetched"))
    let bytes = Data(Shelf.bytes(mebibytes << 20))
    try bytes.write(to: clear)
    let output = folder.appending(path: "output")
    try Data().write(to: output)
    let server = Process()
    server.executableURL = SimulatorProgram.folder.appending(path: "todo-server")
    server.arguments = ["--data", folder.appending(path: "data").path, "--listen", "127.0.0.1:0", "--quiet"]
    server.standardError = try FileHandle(forWritingTo: output)
    try server.run()
    defer {
      server.terminate()
      server.waitUntilExit()
    }
    let address = try await address(in: output)
    func carry(_ words: String...) throws -> Int {
      let said = try SimulatorProgram.run(["carry", "--server", address, "--folder", folder.path] + words)
      try #require(said.status == 0, "\(said.output)")
      return try #require(said.output.split(whereSeparator: \.isWhitespace).last.flatMap { Int($0) })
    }
    let peaks = try [carry("--up", clear.path), carry("--down", fetched.path)]
    #expect(try Data(contentsOf: fetched) == bytes)
    let status = try String(contentsOfFile: "/proc/\(server.processIdentifier)/status", encoding: .utf8)
    let line = try #require(status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") })
    return peaks + [try #require(line.split(separator: " ").dropFirst().first.flatMap { Int($0) }) / 1024]
  }

  private static func address(in output: URL) async throws -> String {
    for _ in 0..<1000 {
      let text = try String(contentsOf: output, encoding: .utf8)
      if text.hasSuffix("\n"), let word = text.split(whereSeparator: \.isWhitespace).last { return String(word) }
      try await Task.sleep(for: .milliseconds(20))
    }
    throw CocoaError(.fileReadUnknown)
  }
}
