import ArgumentParser
import Foundation
import Simulator

/// `todo-sim hostile`.
struct HostileCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "hostile",
    abstract: "Play seeds in which the server lies, or find out which lies get through without a check of the client.")

  @OptionGroup var options: SeedOptions
  @Option(
    help: ArgumentHelp(
      "Take these checks out of the client, one after another, and stop each time at the first seed that notices.",
      visibility: .hidden))
  var without: [String] = []

  func run() throws {
    try Reproducible.ensure()
    if !without.isEmpty { return try hunt() }
    try options.play(.lyingServer) {
      "\($0.lies.values.reduce(0, +)) lies, \($0.noticed) reports, \($0.forks) forks, "
    }
  }

  /// A line for each check: the first seed that notices that it is gone, and what it says.
  private func hunt() throws {
    let simulation = try Simulation(.lyingServer)
    for defence in without {
      var found = "none of \(options.seeds)\t"
      for seed in options.first..<options.first + options.seeds {
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
