import ArgumentParser
import Foundation
import Simulator

/// `todo-sim mutants`.
struct MutantsCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "mutants", abstract: "Plant each defect, play seeds until one finds it, and write the table.")

  @Option(help: "How many seeds to play for each.") var seeds: UInt64 = 10_000
  @Option(help: "Where the table goes.") var out = "docs/simulation-mutants.md"
  @Option(
    parsing: .upToNextOption,
    help: "Play for these rows only, by defect or law, and leave the others as they are; 'members': all with a law.")
  var only: [String] = []

  func run() throws {
    var page = MutantsPage(reading: out)
    var isComplete = true
    for mutant in Mutant.all where only.isEmpty || only.contains(where: mutant.isMeant) {
      let finding = try find(mutant)
      print("\(mutant.cells.joined(separator: ", ")): \(finding.map { "seed \($0.seed), \($0.complaint)" } ?? "none")")
      page[mutant] = finding
      if finding == nil { isComplete = false }
    }
    try page.text.write(toFile: out, atomically: true, encoding: .utf8)
    if !isComplete { throw ExitCode.failure }
  }

  /// In a process of its own, so that a defect that stops the program is found as well.
  private func find(_ mutant: Mutant) throws -> MutantsPage.Finding? {
    let process = Process()
    let pipe = Pipe()
    process.executableURL = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
    process.arguments =
      [mutant.kind.rawValue, "--defect", mutant.defect, "--seeds", String(seeds)]
      + (mutant.law.map { ["--law", $0] } ?? [])
    process.standardOutput = pipe
    try process.run()
    let output = String(decoding: pipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    let parts = output.split(separator: "\t").map { $0.trimmingCharacters(in: .whitespacesAndNewlines) }
    return parts.count == 2 ? MutantsPage.Finding(seed: parts[0], complaint: parts[1]) : nil
  }
}

/// A defect, and where members are hostile the law that has to find it.
struct Mutant {
  let law: String?
  let defect: String

  static var all: [Mutant] {
    let honest = Simulation.defects.filter { Simulation.kind(of: $0) == .honest }
    return honest.map { Mutant(law: nil, defect: $0) }
      + MemberLaw.allCases.flatMap { law in law.defects.map { Mutant(law: law.rawValue, defect: $0) } }
  }

  var kind: WorldKind { law == nil ? .honest : .hostileMember }
  /// What its row begins with.
  var cells: [String] { [law, defect].compactMap(\.self) }

  func isMeant(_ word: String) -> Bool { word == defect || word == law || (word == "members" && law != nil) }
}
