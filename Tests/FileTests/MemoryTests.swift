import Foundation
import Testing

/// Sealing and opening take the memory of a few leaves, however large a file is. A process of its own is measured: in this one others
/// are at work.
@Suite struct MemoryTests {
  @Test func aLargeFileTakesNoMoreMemoryThanASmallOne() throws {
    let growth = try Self.growth(mebibytes: 256)
    // Two leaves in hand, sealed and not, and what the allocator keeps of those before.
    #expect(growth > 0 && growth < 24 << 20, "\(growth) bytes")
  }

  private static func growth(mebibytes: Int) throws -> Int {
    let folder = FileManager.default.temporaryDirectory.appending(path: "sealing-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let process = Process()
    let programs = (Bundle.main.executableURL ?? URL(filePath: CommandLine.arguments[0]))
      .resolvingSymlinksInPath().deletingLastPathComponent()
    process.executableURL = programs.appending(path: "todo-sim")
    process.arguments = [
      "sealing", "--mebibytes", String(mebibytes), "--through", folder.appending(path: "file").path,
    ]
    let output = folder.appending(path: "output")
    try Data().write(to: output)
    process.standardOutput = try FileHandle(forWritingTo: output)
    try process.run()
    process.waitUntilExit()
    let words = try String(contentsOf: output, encoding: .utf8).split { $0 == " " || $0 == "\n" }
    try #require(process.terminationStatus == 0 && words.first == "same", "\(words)")
    return try #require(Int(words[1]))
  }
}
