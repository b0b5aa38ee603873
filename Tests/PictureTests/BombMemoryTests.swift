import Foundation
import Glibc
import Testing

@testable import Pictures

/// What a picture that was made to harm costs in memory, in processes of the program itself.
@Suite struct BombMemoryTests {
  private static let program: URL = {
    let tests = Bundle.main.executableURL ?? URL(filePath: CommandLine.arguments[0])
    return tests.resolvingSymlinksInPath().deletingLastPathComponent().appending(path: "todo")
  }()

  private let folder: URL

  init() throws {
    folder = FileManager.default.temporaryDirectory.appending(path: "bomb-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  }

  private func start(_ script: String, output: Any) throws -> Process {
    let process = Process()
    process.executableURL = URL(filePath: "/bin/sh")
    process.arguments = ["-c", script]
    process.currentDirectoryURL = folder
    process.environment = [
      "TODO": Self.program.path, "TODO_HOME": folder.appending(path: "home").path, "PATH": "/usr/bin:/bin",
    ]
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = output
    process.standardError = output
    try process.run()
    return process
  }

  /// A shell that gives its programs no more memory says what they say.
  private func say(_ script: String) throws -> (status: Int32, output: String) {
    let file = folder.appending(path: "said")
    try Data().write(to: file)
    let process = try start(script, output: try FileHandle(forWritingTo: file))
    process.waitUntilExit()
    return (process.terminationStatus, try String(contentsOf: file, encoding: .utf8))
  }

  /// Of 60,000 × 60,000 pixels one byte each would be seven times as much memory as the program gets here, with which it works well.
  @Test func whatIsRefusedTakesNoMemory() throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    let small = try Sample.clean("colours.png")
    let size = Part.big(60_000) + Part.big(60_000)
    var bomb = small
    bomb.replaceSubrange(8..<33, with: Part.pngChunk("IHDR", size + small[24..<29]))
    try Data(small).write(to: folder.appending(path: "small.png"))
    try Data(bomb).write(to: folder.appending(path: "bomb.png"))
    let limit = "ulimit -v 524288"
    let good = try say("\(limit); exec $TODO add Groceries sauce --image small.png")
    #expect(good.status == 0, "\(good.output)")
    let refused = try say("\(limit); exec $TODO add Groceries bang --image bomb.png")
    #expect(refused.status == 65 && refused.output.contains("error: "), "\(refused)")
    let decoded = try say("\(limit); exec $TODO decode-picture 256 < small.png > /dev/null")
    #expect(decoded.status == 0, "\(decoded.output)")
    let child = try say("\(limit); exec $TODO decode-picture 256 < bomb.png")
    #expect(child.status == 3 && child.output == "", "\(child)")
  }

  /// One that stays below the limits costs its pixels twice and not more, however small its file is. Its decoder has to wait before it can write
  /// all of what it made, and says meanwhile how much it had.
  @Test func whatIsAllowedTakesItsPixels() throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    let side = 4000
    let pixels = try #require(
      Bitmap(width: side, height: side, pixels: [UInt8](repeating: 255, count: 4 * side * side)))
    let file = try pixels.encoded()
    #expect(file.count < 1 << 20)
    try Data(file).write(to: folder.appending(path: "large.png"))
    let pipe = Pipe()
    let process = try start("exec $TODO decode-picture 256 < large.png", output: pipe)
    let most = try peak(of: process.processIdentifier, filling: pipe.fileHandleForReading.fileDescriptor)
    process.terminate()
    process.waitUntilExit()
    #expect(most > 4 * side * side && most < 2 * 4 * side * side + 64 << 20, "\(most) bytes")
  }

  /// Whatever is wrong in a decoder, the kernel lets it do nothing but compute.
  @Test func itIsConfinedBeforeItReads() throws {
    try? FileManager.default.removeItem(at: folder)
    let (child, input) = (Process(), Pipe())
    child.executableURL = Self.program
    child.arguments = ["decode-picture", "16"]
    child.standardInput = input
    child.standardOutput = FileHandle.nullDevice
    try child.run()
    // A server among the tests has this process ignore gentler signals, and what it starts as well.
    defer { kill(child.processIdentifier, SIGKILL) }
    var state: [Substring] = []
    for _ in 0..<500 where !state.contains("Seccomp:\t2") {
      usleep(20_000)
      state = try String(contentsOfFile: "/proc/\(child.processIdentifier)/status", encoding: .utf8).split(
        separator: "\n")
    }
    #expect(state.contains("Seccomp:\t2") && state.contains("NoNewPrivs:\t1"))
    let limits = try String(contentsOfFile: "/proc/\(child.processIdentifier)/limits", encoding: .utf8).split(
      separator: "\n")
    for name in ["Max open files", "Max file size", "Max processes", "Max core file size"] {
      let row = limits.first { $0.hasPrefix(name) }?.dropFirst(name.count).split(separator: " ").prefix(2)
      #expect(row.map(Array.init) == ["0", "0"], "\(name)")
    }
  }

  /// The most memory that a process had until a pipe was full of what it writes.
  private func peak(of process: pid_t, filling pipe: Int32) throws -> Int {
    let end = ContinuousClock.now + .seconds(60)
    var filled: Int32 = 0
    while ContinuousClock.now < end, filled < 1 << 16 {
      usleep(20_000)
      try #require(ioctl(pipe, UInt(FIONREAD), &filled) == 0)
    }
    let lines = try String(contentsOfFile: "/proc/\(process)/status", encoding: .utf8).split(separator: "\n")
    let line = try #require(lines.first { $0.hasPrefix("VmHWM:") })
    let words = line.split { $0 == " " || $0 == "\t" }
    return try #require(Int(words[1])) << 10
  }
}
