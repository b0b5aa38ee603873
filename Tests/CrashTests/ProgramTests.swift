import Foundation
import Glibc
import Testing

/// The real programs, killed and troubled by `scripts/crash`. A sample of what `make crash` does in full.
@Suite(.serialized, .timeLimit(.minutes(30))) struct ProgramTests {
  @Test(.enabled("strace cannot trace here") { canTrace() })
  func nothingIsLostWhereverAProgramIsKilledOrItsDiskFails() async throws {
    let said = try await crash("sample", "--sample", "8", "--seed", "7")
    #expect(
      said.status == 0 && said.text.contains("0 corruptions, lost acknowledged changes or duplicates"), "\(said.text)")
  }

  @Test(.enabled("strace cannot trace here") { canTrace() })
  func aLockedProfileIsWholeWhereverItsProgramIsKilled() async throws {
    let said = try await crash("lock", "--sample", "10", "--seed", "3")
    #expect(
      said.status == 0 && said.text.contains("0 corruptions, lost acknowledged changes or duplicates"), "\(said.text)")
  }

  /// Too many open files, a disk that fails, a file of another owner, a link that leads to itself: each call, each of them.
  @Test(.enabled("strace cannot trace here") { canTrace() })
  func noKeyIsLostWhereAFileCannotBeRead() async throws {
    let said = try await crash("keys", "--sample", "24", "--seed", "5")
    #expect(
      said.status == 0 && said.text.contains("0 corruptions, lost acknowledged changes or duplicates"), "\(said.text)")
  }

  @Test(.enabled("strace cannot trace here") { canTrace() })
  func aSettingIsOnTheDiskWhenTheCommandEnds() async throws {
    let home = FileManager.default.temporaryDirectory.appending(path: "todo-settings-\(UUID().uuidString)").path
    defer { try? FileManager.default.removeItem(atPath: home) }
    let said = try await run([
      "TODO_HOME=\(home)", "strace", "-f", "-y", "-e", "trace=fsync,rename,renameat,renameat2",
      programs.appending(path: "todo").path, "config", "background-sync", "off",
    ])
    let calls = said.text.split(separator: "\n").compactMap { line -> String? in
      if line.contains("fsync(") {
        return line.contains("config.toml.") ? "draft" : line.contains("\(home)>") ? "home" : nil
      }
      return line.contains("rename") ? "rename" : nil
    }
    #expect(said.status == 0 && calls.suffix(3) == ["draft", "rename", "home"], "\(said.text)")
  }

  @Test(.enabled("strace cannot trace here") { canTrace() })
  func theFolderOfImagesIsOnTheDiskWhenTheCommandEnds() async throws {
    let home = FileManager.default.temporaryDirectory.appending(path: "todo-images-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: home, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: home) }
    let picture = home.appending(path: "dot.gif")
    let dot: [UInt8] = [
      71, 73, 70, 56, 57, 97, 1, 0, 1, 0, 128, 0, 0, 0, 0, 0, 255, 255, 255, 44, 0, 0, 0, 0, 1, 0, 1, 0, 0, 2, 2, 68, 1,
      0, 59,
    ]
    try Data(dot).write(to: picture)
    let said = try await run([
      "TODO_HOME=\(home.path)", "strace", "-f", "-y", "-e", "trace=fsync,mkdir,mkdirat",
      programs.appending(path: "todo").path, "add", "dot", "--image", picture.path,
    ])
    let lines = said.text.split(separator: "\n")
    let made = try #require(lines.firstIndex { $0.contains("mkdir") && $0.contains(".files\"") && $0.hasSuffix("= 0") })
    let path = try #require(lines[made].split(separator: "\"").dropFirst().first)
    let parent = path[..<(try #require(path.lastIndex(of: "/")))]
    #expect(said.status == 0)
    #expect(lines[made...].contains { $0.contains("fsync(") && $0.contains("<\(parent)>") }, "\(said.text)")
  }

  @Test(.enabled("no disk can be mounted here") { canMount() })
  func nothingIsLostOnAFullDisk() async throws {
    let said = try await crash("space", "--sample", "1")
    #expect(said.status == 0 && said.text.contains("nothing was lost, all went on"), "\(said.text)")
  }

  @Test(.enabled("strace cannot trace here") { canTrace() })
  func manyProcessesShareAProfile() async throws {
    let said = try await crash("stress", "--adds", "6")
    #expect(said.status == 0 && said.text.contains("each under the lock"), "\(said.text)")
  }
}

private let programs = (Bundle.main.executableURL ?? URL(filePath: CommandLine.arguments[0]))
  .resolvingSymlinksInPath().deletingLastPathComponent()

private let script = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
  .deletingLastPathComponent().appending(path: "scripts/crash")

private func crash(_ what: String, _ options: String...) async throws -> (status: Int32, text: String) {
  try await run(["python3", "-B", script.path, what, programs.path] + options)
}

/// Whether this machine lets one process trace another, and has what the scripts need.
private func canTrace() -> Bool {
  (try? runNow(["strace", "-f", "-qq", "-o", "/dev/null", "-e", "inject=getppid:error=EIO", "python3", "-V"]).status)
    == 0
}

private func canMount() -> Bool {
  (try? runNow(["unshare", "-rm", "sh", "-c", "python3 -V && mount -t tmpfs none /mnt"]).status) == 0
}

/// Runs a command on a thread of its own, so that other tests go on meanwhile.
private func run(_ command: [String]) async throws -> (status: Int32, text: String) {
  try await withCheckedThrowingContinuation { continuation in
    Thread.detachNewThread { continuation.resume(with: Result { try runNow(command) }) }
  }
}

private func runNow(_ command: [String]) throws -> (status: Int32, text: String) {
  let output = FileManager.default.temporaryDirectory.appending(path: "todo-crash-\(UUID().uuidString)")
  defer { try? FileManager.default.removeItem(at: output) }
  try Data().write(to: output)
  let handle = try FileHandle(forWritingTo: output)
  let process = Process()
  process.executableURL = URL(filePath: "/usr/bin/env")
  process.arguments = command
  process.standardInput = FileHandle.nullDevice
  process.standardOutput = handle
  process.standardError = handle
  try process.run()
  process.waitUntilExit()
  try handle.close()
  return (process.terminationStatus, String(decoding: try Data(contentsOf: output), as: UTF8.self))
}
