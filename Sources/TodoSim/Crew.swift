import ArgumentParser
import Foundation
import Simulator

/// Shares the seeds among processes, so that every core works.
struct Crew {
  let first: UInt64
  let seeds: UInt64
  let workers: UInt64
  var kind = WorldKind.honest

  func run() throws -> ExitCode {
    let clock = ContinuousClock()
    let began = clock.now
    var total = Tally()
    for begin in stride(from: first, to: first + seeds, by: Int(Self.piece)) {
      let outputs = try (0..<workers).compactMap {
        try start($0, begin, min(Self.piece, first + seeds - begin))
      }
      for (process, pipe) in outputs {
        // What a failing process has to say fits into its pipe while another is heard.
        let output = String(decoding: pipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        total.add(tell(output, process))
      }
    }
    let seconds = Double((clock.now - began).components.seconds) + 0.001
    print(total.line + String(format: ", %.0f s, %.1f seeds a second", seconds, Double(total.played) / seconds))
    return total.failed == 0 ? .success : .failure
  }

  /// After so many seeds new processes go on: a world leaves something behind.
  private static let piece: UInt64 = 1000

  private func start(_ worker: UInt64, _ begin: UInt64, _ count: UInt64) throws -> (Process, Pipe)? {
    guard worker < count else { return nil }
    let process = Process()
    let pipe = Pipe()
    process.executableURL = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
    process.arguments =
      [kind.rawValue, "--workers", "1", "--first", String(begin + worker)]
      + ["--seeds", String(count - worker), "--every", String(workers)]
    process.standardOutput = pipe
    try process.run()
    return (process, pipe)
  }

  /// Passes on what a process said but for its tally. One that stopped without a tally is a failure by itself.
  private func tell(_ output: String, _ process: Process) -> Tally {
    var tally: Tally?
    for line in output.split(separator: "\n") {
      if let found = Tally(line) { tally = found } else { print(line) }
    }
    if tally == nil { print("a process stopped with \(process.terminationStatus)") }
    return tally ?? Tally(played: 0, failed: 1)
  }
}

/// How many seeds were played, and how many of them failed.
struct Tally {
  var played = 0
  var failed = 0
  /// Of all histories together: the same seeds give the same.
  var history: UInt64 = 0

  var line: String { "\(played) seeds played, \(failed) failed, history \(String(history, radix: 16))" }

  mutating func add(_ other: Tally) {
    played += other.played
    failed += other.failed
    history ^= other.history
  }
}

extension Tally {
  /// Reads what `line` wrote; nil is another line.
  init?(_ line: Substring) {
    guard let match = line.wholeMatch(of: /(\d+) seeds played, (\d+) failed, history ([0-9a-f]+)/),
      let played = Int(match.1), let failed = Int(match.2), let history = UInt64(match.3, radix: 16)
    else { return nil }
    self.init(played: played, failed: failed, history: history)
  }
}
