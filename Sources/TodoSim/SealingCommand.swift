import ArgumentParser
import Foundation
import Simulator

/// `todo-sim sealing`.
struct SealingCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "sealing",
    abstract: "Measure how fast files are sealed, and in how much memory (docs/spec/10-files.md).",
    shouldDisplay: false)

  @Option(help: "How large a file to seal.") var mebibytes: UInt64 = 256
  @Option(help: "Seal into this file and open it again, and say how much memory that took.") var through: String?

  func run() throws {
    let size = mebibytes << 20
    let measure = SealingMeasure(size: size)
    if let through {
      let (growth, isSame) = try measure.roundTrip(through: through)
      print("\(isSame ? "same" : "different") \(growth)")
      if !isSame { throw ExitCode.failure }
      return
    }
    // Seconds: what the bench divides by.
    print("chunks \(measure.chunksAlone())")
    for hands in 1...2 { print("file-\(hands) \(try measure.file(hands: hands))") }
  }
}
