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

  @OptionGroup var options: SeedOptions
  @Option(help: ArgumentHelp("Plant a defect, and stop at the first seed that finds it.", visibility: .hidden))
  var defect: String?

  func run() throws {
    try Reproducible.ensure()
    if let defect { return try Hunt(defect: defect, first: options.first, seeds: options.seeds).run() }
    try options.play(.honest)
  }
}
