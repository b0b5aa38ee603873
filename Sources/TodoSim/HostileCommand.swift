import ArgumentParser
import Foundation
import Simulator

/// `todo-sim hostile`.
struct HostileCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "hostile",
    abstract: "Play seeds in which the server lies, or find out which lies get through without a check of the client.")

  @Option(help: "Play this seed alone.") var seed: UInt64?
  @Option(help: "How many seeds to play.") var seeds: UInt64 = 1_000
  @Option(help: "The first of them.") var first: UInt64 = 1
  @Option(help: "How many processes share the work.") var workers: UInt64 = 2
  @Option(help: "Play every Nth seed only.") var every: UInt64 = 1
  @Option(
    help: ArgumentHelp(
      "Take these checks out of the client, one after another, and stop each time at the first seed that notices.",
      visibility: .hidden))
  var without: [String] = []
  @Flag(help: "Print the history while it happens.") var verbose = false

  func run() throws {
    try Reproducible.ensure()
    if !without.isEmpty { return try hunt() }
    if let seed { return try play(alone: seed) }
    if workers > 1 { throw try Crew(first: first, seeds: seeds, workers: workers, kind: .lyingServer).run() }
    throw try Shift(first: first, seeds: seeds, every: every, kind: .lyingServer).run()
  }

  private func play(alone seed: UInt64) throws {
    let outcome = try Simulation(.lyingServer).run(seed, listener: verbose ? { print($0) } : nil)
    Shift.tell(outcome, history: !verbose, .lyingServer)
    let lies = outcome.lies.values.reduce(0, +)
    print(
      "seed \(seed): \(outcome.failures.isEmpty ? "good" : "bad"), \(lies) lies, \(outcome.noticed) reports, \(outcome.forks) forks, "
        + "history \(String(outcome.hash, radix: 16))")
    if !outcome.failures.isEmpty { throw ExitCode.failure }
  }

  /// A line for each check: the first seed that notices that it is gone, and what it says.
  private func hunt() throws {
    let simulation = try Simulation(.lyingServer)
    for defence in without {
      var found = "none of \(seeds)\t"
      for seed in first..<first + seeds {
        guard simulation.takeDown(defence) else { throw ValidationError("there is no check '\(defence)'") }
        guard let complaint = simulation.run(seed).failures.first else { continue }
        _ = simulation.takeDown(nil)
        // What fails with the check in place shows nothing about it.
        guard simulation.run(seed).failures.isEmpty else { continue }
        found = "\(seed)\t\(complaint.split(separator: "\n")[0].filter { !"|\t".contains($0) })"
        break
      }
      _ = simulation.takeDown(nil)
      print("\(defence)\t\(found)")
    }
  }
}
