import ArgumentParser
import Simulator

/// `todo-sim members`.
struct MembersCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "members",
    abstract: "Play seeds in which a member of some lists changes their own database between a command and its sync.")

  @Option(help: "Play this seed alone.") var seed: UInt64?
  @Option(help: "How many seeds to play.") var seeds: UInt64 = 1_000
  @Option(help: "The first of them.") var first: UInt64 = 1
  @Option(help: "How many processes share the work.") var workers: UInt64 = 2
  @Option(help: "Play every Nth seed only.") var every: UInt64 = 1
  @Option(help: ArgumentHelp("Plant a defect, and stop at the first seed that finds it.", visibility: .hidden))
  var defect: String?
  @Flag(help: "Print the history while it happens.") var verbose = false

  func run() throws {
    try Reproducible.ensure()
    if let defect { return try Hunt(defect: defect, first: first, seeds: seeds, kind: .hostileMember).run() }
    if let seed { return try play(alone: seed) }
    if workers > 1 { throw try Crew(first: first, seeds: seeds, workers: workers, kind: .hostileMember).run() }
    throw try Shift(first: first, seeds: seeds, every: every, kind: .hostileMember).run()
  }

  private func play(alone seed: UInt64) throws {
    let outcome = try Simulation(.hostileMember).run(seed, listener: verbose ? { print($0) } : nil)
    Shift.tell(outcome, history: !verbose, .hostileMember)
    let mutations = outcome.lies.values.reduce(0, +)
    print(
      "seed \(seed): \(outcome.failures.isEmpty ? "good" : "bad"), \(mutations) mutations, "
        + "history \(String(outcome.hash, radix: 16))")
    if !outcome.failures.isEmpty { throw ExitCode.failure }
  }
}
