import ArgumentParser

/// Attacks what the program promises, with chance from seeds.
@main struct TodoSim: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "todo-sim", abstract: "Attacks what todo promises, with chance from seeds.",
    subcommands: [LawsCommand.self, HistoriesCommand.self])
}
