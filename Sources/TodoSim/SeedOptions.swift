import ArgumentParser
import Simulator

/// Which seeds a command plays, and how.
struct SeedOptions: ParsableArguments {
  @Option(help: "Play this seed alone.") var seed: UInt64?
  @Option(help: "How many seeds to play.") var seeds: UInt64 = 1_000
  @Option(help: "The first of them.") var first: UInt64 = 1
  @Option(help: "How many processes share the work.") var workers: UInt64 = 2
  @Option(help: "Play every Nth seed only.") var every: UInt64 = 1
  @Flag(help: "Print the history while it happens.") var verbose = false

  /// - Parameter words: what is said of a seed that is played alone, beside whether it was good.
  func play(_ kind: WorldKind, _ words: (Outcome) -> String = { _ in "" }) throws {
    if let seed { return try play(alone: seed, kind, words) }
    if workers > 1 { throw try Crew(first: first, seeds: seeds, workers: workers, kind: kind).run() }
    throw try Shift(first: first, seeds: seeds, every: every, kind: kind).run()
  }

  private func play(alone seed: UInt64, _ kind: WorldKind, _ words: (Outcome) -> String) throws {
    let outcome = try Simulation(kind).run(seed, listener: verbose ? { print($0) } : nil)
    Shift.tell(outcome, history: !verbose, kind)
    print(
      "seed \(seed): \(outcome.failures.isEmpty ? "good" : "bad"), \(words(outcome))history \(String(outcome.hash, radix: 16))"
    )
    if !outcome.failures.isEmpty { throw ExitCode.failure }
  }
}
