import ArgumentParser
import Foundation
import Simulator

/// `todo-sim mutants`.
struct MutantsCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "mutants", abstract: "Plant each defect, play seeds until one finds it, and write the table.")

  @Option(help: "How many seeds to play for each.") var seeds: UInt64 = 10_000
  @Option(help: "Where the table goes.") var out = "docs/simulation-mutants.md"

  private struct Finding {
    let defect: String
    let seed: String
    let complaint: String
  }

  func run() throws {
    let findings = try Simulation.defects.map { defect in
      let finding = try find(defect)
      print("\(finding.defect): seed \(finding.seed), \(finding.complaint)")
      return finding
    }
    let rows = findings.map { "| \($0.defect) | \($0.seed) | \($0.complaint) |" }
    let text = ([Self.head] + rows).joined(separator: "\n") + "\n"
    try text.write(toFile: out, atomically: true, encoding: .utf8)
    if findings.contains(where: { $0.seed == "none" }) { throw ExitCode.failure }
  }

  /// In a process of its own, so that a defect that stops the program is found as well.
  private func find(_ defect: String) throws -> Finding {
    let process = Process()
    let pipe = Pipe()
    process.executableURL = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
    process.arguments = [Simulation.kind(of: defect).rawValue, "--defect", defect, "--seeds", String(seeds)]
    process.standardOutput = pipe
    try process.run()
    let output = String(decoding: pipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    let parts = output.split(separator: "\t").map { $0.trimmingCharacters(in: .whitespacesAndNewlines) }
    guard parts.count == 2 else { return Finding(defect: defect, seed: "none", complaint: "") }
    return Finding(defect: defect, seed: parts[0], complaint: parts[1])
  }

  private static let head = """
    # Planted defects

    `make sim-mutants` writes this page. Each defect is one line of the program behind a switch that only the simulation has; seeds
    are played from 1 on until an invariant breaks.

    | defect | first seed | what the invariant said |
    |---|---|---|
    """
}

/// Plays seeds under a planted defect until one finds it.
struct Hunt {
  let defect: String
  let first: UInt64
  let seeds: UInt64
  var kind = WorldKind.honest

  func run() throws {
    let simulation = try Simulation(kind)
    for seed in first..<first + seeds {
      guard simulation.plant(defect) else { throw ValidationError("there is no defect '\(defect)'") }
      guard let complaint = simulation.run(seed).failures.first else { continue }
      simulation.heal()
      // What fails without the defect shows nothing about it.
      guard simulation.run(seed).failures.isEmpty else { continue }
      let line = complaint.split(separator: "\n")[0].filter { !"|\t".contains($0) }
      print("\(seed)\t\(line)")
      return
    }
  }
}
