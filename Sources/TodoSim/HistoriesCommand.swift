import ArgumentParser
import Simulator

/// `todo-sim histories`.
struct HistoriesCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "histories",
    abstract: "Compare documents of two to six replicas with what an oracle works out from all that was written.")

  @Option(help: "How many histories to play.") var count = 100_000
  @Option(help: "The seed of the first.") var seed: UInt64 = 1

  func run() throws {
    let failures = HistoryCheck.failures(count: count, seed: seed)
    // Of those whose texts outgrow a document a tenth will do: they are long.
    let crowds = CrowdCheck.failures(count: count / 10, seed: seed)
    print("histories: \(count), \(failures.isEmpty ? "good" : "bad")")
    print("crowds: \(count / 10), \(crowds.isEmpty ? "good" : "bad")")
    for failure in failures + crowds.prefix(10) { print("  \(failure)") }
    if !failures.isEmpty || !crowds.isEmpty { throw ExitCode.failure }
  }
}
