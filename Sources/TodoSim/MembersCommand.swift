import ArgumentParser
import Simulator

/// `todo-sim members`.
struct MembersCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "members",
    abstract: "Play seeds in which a member of some lists changes their own database between a command and its sync.")

  @OptionGroup var options: SeedOptions
  @Option(help: ArgumentHelp("Plant a defect, and stop at the first seed that finds it.", visibility: .hidden))
  var defect: String?

  func run() throws {
    try Reproducible.ensure()
    if let defect {
      return try Hunt(defect: defect, first: options.first, seeds: options.seeds, kind: .hostileMember).run()
    }
    try options.play(.hostileMember) { "\($0.lies.values.reduce(0, +)) mutations, " }
  }
}
