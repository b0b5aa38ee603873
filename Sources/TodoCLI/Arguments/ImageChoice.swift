import ArgumentParser

/// Which image is meant.
struct ImageChoice: ParsableArguments {
  @Option(help: ArgumentHelp("An image that the todo had before: 1 is the latest of them.", valueName: "n"))
  var earlier: Int?

  @Argument(help: ArgumentHelp("A todo: its id or the beginning of it, List/title, or its title.", valueName: "todo"))
  var todo: String
}
