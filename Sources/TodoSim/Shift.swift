import ArgumentParser
import Foundation
import Simulator

/// One process's share of the seeds.
struct Shift {
  let first: UInt64
  let seeds: UInt64
  let every: UInt64
  var kind = WorldKind.honest
  /// More failures than these say nothing new.
  static let failureLimit = 10

  func run() throws -> ExitCode {
    let simulation = try Simulation(kind)
    var tally = Tally()
    var (lies, noticed, forks, unsettled): ([String: Int], Int, Int, Int) = ([:], 0, 0, 0)
    for seed in stride(from: first, to: first + seeds, by: Int(every)) {
      let outcome = simulation.run(seed)
      lies.merge(outcome.lies, uniquingKeysWith: +)
      noticed += outcome.noticed
      forks += outcome.forks
      unsettled += outcome.unsettled
      tally.add(Tally(played: 1, failed: outcome.failures.isEmpty ? 0 : 1, history: outcome.hash))
      var complaints = outcome.failures
      if seed % 100 == 0, simulation.run(seed).hash != outcome.hash {
        complaints.append("it does not replay")
      }
      guard !complaints.isEmpty else { continue }
      if outcome.failures.isEmpty { tally.failed += 1 }
      Self.tell(outcome, complaints: complaints, history: tally.failed <= 2, kind)
      if tally.failed >= Self.failureLimit { break }
    }
    switch kind {
    case .honest: break
    case .lyingServer:
      print(
        "\(lies.values.reduce(0, +)) lies of \(lies.count) kinds told, \(noticed) reports of them, \(forks) forks kept, "
          + "\(unsettled) times no rest before a repair")
    case .hostileMember: print("\(lies.values.reduce(0, +)) mutations of \(lies.count) kinds")
    }
    print(tally.line)
    return tally.failed == 0 ? .success : .failure
  }

  /// A failing seed says everything that is needed to play it again.
  static func tell(_ outcome: Outcome, complaints: [String]? = nil, history: Bool, _ kind: WorldKind = .honest) {
    let complaints = complaints ?? outcome.failures
    guard !complaints.isEmpty else { return }
    if history { print(outcome.lines.joined(separator: "\n")) }
    print(
      "seed \(outcome.seed) fails; todo-sim \(kind.rawValue) --seed \(outcome.seed) --verbose plays it again"
    )
    for complaint in complaints { print("  \(complaint)") }
  }
}

/// Swift draws the order of sets and dictionaries anew for each process, unless it is told not to.
enum Reproducible {
  private static let variable = "SWIFT_DETERMINISTIC_HASHING"

  /// Starts the program again under a fixed order, if it did not start under one.
  static func ensure() throws {
    guard ProcessInfo.processInfo.environment[variable] == nil else { return }
    setenv(variable, "1", 1)
    var arguments = CommandLine.arguments.map { strdup($0) }
    arguments.append(nil)
    execv("/proc/self/exe", arguments)
    throw ExitCode.failure
  }
}
