import ArgumentParser

/// `todo image`
struct ImageCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "image",
    abstract: "Attach a picture to a todo, look at it, save it, or take it off.",
    usage: "todo image add | show | save | rm <todo>",
    discussion: """
      Everybody who shares the list sees it, and nobody else: it is encrypted like all the rest. A todo has one image; those that \
      it had before stay, as 'todo show' says.

      Examples:
        todo image add k3fa sauce.jpg
        todo image show k3fa
        todo image save k3fa
        todo image rm k3fa
      """,
    subcommands: [ImageAddCommand.self, ImageShowCommand.self, ImageSaveCommand.self, ImageRmCommand.self])
}
