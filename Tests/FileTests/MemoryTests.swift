import Foundation
import Testing

/// Something goes wrong at every so manieth step of what becomes of files on a disk: nothing may be lost, and nothing left. `todo-sim disk` tries
/// all of them.
@Suite struct DiskFaultTests {
  @Test func nothingIsLostOrLeftWhateverGoesWrong() throws {
    let said = try SimulatorProgram.run(["disk", "--every", "23"])
    #expect(said.status == 0, "\(said.output)")
    #expect(said.output.contains(" 0 failures"))
  }

  @Test func aThousandImagesStayWithinThePool() throws {
    let said = try SimulatorProgram.run(["disk", "--images", "1000"])
    #expect(said.status == 0, "\(said.output)")
    #expect(said.output.contains("1000 images"))
  }
}

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
    let said = try SimulatorProgram.run([
      "sealing", "--mebibytes", String(mebibytes), "--through", folder.appending(path: "file").path,
    ])
    let words = said.output.split { $0 == " " || $0 == "\n" }
    try #require(said.status == 0 && words.first == "same", "\(words)")
    return try #require(Int(words[1]))
  }
}

/// The simulator's program, in a process of its own.
enum SimulatorProgram {
  /// Where the programs are.
  static var folder: URL {
    (Bundle.main.executableURL ?? URL(filePath: CommandLine.arguments[0]))
      .resolvingSymlinksInPath().deletingLastPathComponent()
  }

  static func run(_ arguments: [String]) throws -> (status: Int32, output: String) {
    let output = FileManager.default.temporaryDirectory.appending(path: "todo-sim-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: output) }
    try Data().write(to: output)
    let process = Process()
    process.executableURL = folder.appending(path: "todo-sim")
    process.arguments = arguments
    process.standardOutput = try FileHandle(forWritingTo: output)
    try process.run()
    process.waitUntilExit()
    return (process.terminationStatus, try String(contentsOf: output, encoding: .utf8))
  }
}
