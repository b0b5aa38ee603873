import Foundation
import Testing

/// A server that a fault of its own ends says so, and ends as it would have without that.
struct FaultNoteTests {
  @Test(arguments: [SIGILL, SIGTRAP, SIGSEGV, SIGABRT]) func itSaysSoAndDiesOfIt(_ fault: Int32) throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "fault-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let output = folder.appending(path: "output")
    try Data().write(to: output)
    let process = Process()
    process.executableURL = (Bundle.main.executableURL ?? URL(filePath: CommandLine.arguments[0]))
      .resolvingSymlinksInPath().deletingLastPathComponent().appending(path: "todo-server")
    process.arguments = ["--data", folder.appending(path: "data").path, "--listen", "127.0.0.1:0", "--quiet"]
    process.environment = ProcessInfo.processInfo.environment.merging(["SWIFT_BACKTRACE": "enable=no"]) { $1 }
    process.standardError = try FileHandle(forWritingTo: output)
    try process.run()
    let text = { try String(contentsOf: output, encoding: .utf8) }
    for _ in 0..<1000 where try !text().hasSuffix("\n") { usleep(20_000) }
    kill(process.processIdentifier, fault)
    process.waitUntilExit()
    #expect(process.terminationReason == .uncaughtSignal && process.terminationStatus == fault)
    let lines = try text().split(separator: "\n").dropFirst()
    #expect(
      lines == [
        "todo-server: error: stopped by a fault of its own",
        "todo-server: hint: please report it, with what stands above; start it again, nothing was lost",
      ])
  }
}
