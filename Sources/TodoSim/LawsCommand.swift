import ArgumentParser
import Simulator

/// `todo-sim laws`.
struct LawsCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "laws", abstract: "Try the laws of joining documents on random triples (docs/spec/07-documents.md).")

  @Option(help: "How many triples to try of each type.") var triples = 1_000_000
  @Option(help: "The seed of the first.") var seed: UInt64 = 1
  @Option(help: "Try one type only.") var type: String?

  func run() throws {
    var isBroken = false
    for type in LawCheck.types where self.type.map({ $0 == type }) ?? true {
      let failures = LawCheck.failures(of: type, triples: triples, seed: seed)
      print("\(type): \(triples) triples, \(failures.isEmpty ? "good" : "bad")")
      for failure in failures { print("  \(failure)") }
      isBroken = isBroken || !failures.isEmpty
    }
    if isBroken { throw ExitCode.failure }
  }
}
