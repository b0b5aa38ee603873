import ArgumentParser
import Foundation

/// Shares the seeds among processes, so that every core works.
struct Crew {
  let first: UInt64
  let seeds: UInt64
  let workers: UInt64

  func run() throws -> ExitCode {
    let clock = ContinuousClock()
    let began = clock.now
    let outputs = try (0..<min(workers, seeds)).map(start)
    var total = Tally()
    for (process, pipe) in outputs {
      // What a failing process has to say fits into its pipe while another is heard.
      let output = String(decoding: pipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
      process.waitUntilExit()
      total.add(tell(output, process))
    }
    let seconds = Double((clock.now - began).components.seconds) + 0.001
    print(total.line + String(format: ", %.0f s, %.1f seeds a second", seconds, Double(total.played) / seconds))
    return total.failed == 0 ? .success : .failure
  }

  private func start(_ worker: UInt64) throws -> (Process, Pipe) {
    let process = Process()
    let pipe = Pipe()
    process.executableURL = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
    process.arguments = [
      "run", "--workers", "1", "--first", String(first + worker), "--seeds", String(seeds - worker),
      "--every", String(workers),
    ]
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

  var line: String { "\(played) seeds played, \(failed) failed" }

  mutating func add(_ other: Tally) {
    played += other.played
    failed += other.failed
  }
}

extension Tally {
  /// Reads what `line` wrote; nil is another line.
  init?(_ line: Substring) {
    guard let match = line.wholeMatch(of: /(\d+) seeds played, (\d+) failed/), let played = Int(match.1),
      let failed = Int(match.2)
    else { return nil }
    self.init(played: played, failed: failed)
  }
}
