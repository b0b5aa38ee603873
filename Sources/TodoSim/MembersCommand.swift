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
  @Option(help: ArgumentHelp("The law that has to find the defect.", visibility: .hidden))
  var law: String?
  @Flag(help: ArgumentHelp("Go on after the first seed that finds the defect.", visibility: .hidden))
  var thorough = false

  func run() throws {
    try Reproducible.ensure()
    if let defect {
      return try Hunt(
        defect: defect, first: options.first, seeds: options.seeds, kind: .hostileMember, law: law,
        isThorough: thorough
      ).run()
    }
    try options.play(.hostileMember) { "\($0.lies.values.reduce(0, +)) mutations, " }
  }
}
