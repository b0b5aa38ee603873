import ArgumentParser
import Foundation
import Simulator

/// Plays simulated worlds from seeds.
@main struct TodoSim: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "todo-sim", abstract: "Plays simulated worlds from seeds, and says which invariant broke.",
    subcommands: [
      RunCommand.self, HostileCommand.self, MembersCommand.self, MutantsCommand.self, LawsCommand.self,
      HistoriesCommand.self, SealingCommand.self, DiskCommand.self, CarryCommand.self, TalkCommand.self,
    ],
    defaultSubcommand: RunCommand.self)
}

/// `todo-sim run`.
struct RunCommand: ParsableCommand {
  static let configuration = CommandConfiguration(commandName: "run", abstract: "Play seeds.")

  @Option(help: "Play this seed alone.") var seed: UInt64?
  @Option(help: "How many seeds to play.") var seeds: UInt64 = 10_000
  @Option(help: "The first of them.") var first: UInt64 = 1
  @Option(help: "How many processes share the work.") var workers: UInt64 = 2
  @Option(help: "Play every Nth seed only.") var every: UInt64 = 1
  @Option(help: ArgumentHelp("Plant a defect, and stop at the first seed that finds it.", visibility: .hidden))
  var defect: String?
  @Flag(help: "Print the history while it happens.") var verbose = false

  func run() throws {
    try Reproducible.ensure()
    if let defect { return try Hunt(defect: defect, first: first, seeds: seeds).run() }
    if let seed { return try play(alone: seed) }
    if workers > 1 { throw try Crew(first: first, seeds: seeds, workers: workers).run() }
    throw try Shift(first: first, seeds: seeds, every: every).run()
  }

  private func play(alone seed: UInt64) throws {
    let outcome = try Simulation().run(seed, listener: verbose ? { print($0) } : nil)
    Shift.tell(outcome, history: !verbose)
    print("seed \(seed): \(outcome.failures.isEmpty ? "good" : "bad"), history \(String(outcome.hash, radix: 16))")
    if !outcome.failures.isEmpty { throw ExitCode.failure }
  }
}
