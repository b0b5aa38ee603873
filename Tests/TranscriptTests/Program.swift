import Foundation
import Glibc

/// Something that runs while a page goes on.
protocol Running {
  /// Ends it, and says its exit status.
  func stop() -> Int32

  /// The same at once, as a power cut does.
  func kill() -> Int32
}

/// A command of the shell, in an environment that holds nothing of this machine's user.
///
/// Its output goes to a file and not through a pipe, so that nothing waits for a server that keeps the pipe open.
struct Program: Running {
  private let process = Process()
  private let output: URL
  /// Where its own output begins: a server that is started again goes on in the same file.
  private let start: UInt64
  private let isOnTerminal: Bool

  /// Starts a command.
  /// - Parameter terminal: how large the terminal is that it runs on, as `stty` takes it; nil: on none.
  init(_ command: String, as person: String, in folder: URL, on terminal: String? = nil) throws {
    isOnTerminal = terminal != nil
    output = folder.appending(path: "\(person).log")
    let descriptor = open(output.path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
    let handle = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
    start = try handle.seekToEnd()
    // A server among the tests has this process ignore these, and what it starts would as well.
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = ["--default-signal=INT,PIPE"] + Self.words(command, on: terminal)
    process.currentDirectoryURL = folder
    process.environment = [
      "PATH": "\(Samples.programs.path):/usr/local/bin:/usr/bin:/bin", "HOME": folder.path,
      "TODO_HOME": folder.appending(path: person).path, "LANG": "C.UTF-8", "TZ": "UTC",
    ]
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = handle
    process.standardError = handle
    try process.run()
    try handle.close()
  }

  private static func words(_ command: String, on terminal: String?) -> [String] {
    guard let terminal else { return ["/bin/sh", "-c", command] }
    return ["NO_COLOR=1", "script", "--quiet", "--return", "--command", "stty \(terminal); \(command)", "/dev/null"]
  }

  var isRunning: Bool { process.isRunning }

  /// The exit status; that of a signal as the shell gives it.
  var exit: Int32 {
    process.waitUntilExit()
    return process.terminationReason == .exit ? process.terminationStatus : 128 + process.terminationStatus
  }

  /// What it has printed when it is enough, has ended, or had the time to: then it is ended.
  func lines(after limit: Duration, isEnough: ([String]) -> Bool) -> [String] {
    let deadline = ContinuousClock.now + limit
    while process.isRunning {
      if isEnough(lines) { return lines }
      // With what it has started: one of those that lives on would have Foundation wait for ever.
      if ContinuousClock.now > deadline { Glibc.kill(-process.processIdentifier, SIGKILL) }
      usleep(4000)
    }
    return lines
  }

  /// As Ctrl-C does.
  func stop() -> Int32 { end(with: SIGINT) }

  func kill() -> Int32 { end(with: SIGKILL) }

  private func end(with signal: Int32) -> Int32 {
    Glibc.kill(process.processIdentifier, signal)
    _ = lines(after: .seconds(60)) { _ in false }
    return exit
  }

  /// The lines that are complete, and what is left when it has ended.
  private var lines: [String] {
    let text = String(decoding: (try? Data(contentsOf: output))?.dropFirst(Int(start)) ?? Data(), as: UTF8.self)
    // A terminal's lines end in two characters.
    var lines = text.replacing("\r\n", with: "\n").split(separator: "\n", omittingEmptySubsequences: false)
      .map(String.init)
    if lines.last == "" || process.isRunning { lines.removeLast() }
    return isOnTerminal ? lines.map(Self.drawn) : lines
  }

  /// What a terminal still shows of a line: progress is drawn over, and on a slow machine any command may show some.
  static func drawn(_ line: String) -> String {
    line.range(of: "\r\u{1B}[K", options: [.backwards, .literal]).map { String(line[$0.upperBound...]) } ?? line
  }
}
