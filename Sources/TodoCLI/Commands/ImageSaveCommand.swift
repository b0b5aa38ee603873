import ArgumentParser
import Glibc
import Signing
import TodoCore
import Treesystem

/// `todo image save <todo> [FILE|-]`
struct ImageSaveCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "save",
    abstract: "Write the image of a todo into a file.",
    usage: "todo image save <todo> [<file>|-] [--force] [--earlier <n>]",
    discussion: """
      Without a name the file is called as the one that was attached. A file that is there already stays, unless --force \
      replaces it. '-' writes to standard output.

      Examples:
        todo image save k3fa
        todo image save k3fa sauce.jpg --force
        todo image save k3fa - | wc -c
      """)

  @OptionGroup var options: GlobalOptions

  @Flag(help: "Replace a file that is there already.")
  var force = false

  @OptionGroup var choice: ImageChoice

  @Argument(help: ArgumentHelp("The file or its folder; '-' for standard output.", valueName: "file"))
  var file: String?

  func run() async throws {
    if file == "-", isatty(STDOUT_FILENO) == 1 {
      throw Complaint.usage("standard output is a terminal", hint: "'todo image show' draws the image there")
    }
    let session = try Session.open(options)
    try await session.syncIfAsked()
    let picked = try session.read { try $0.requireImage(of: choice.todo, earlier: choice.earlier) }
    if file == "-" { return try await session.print(picked.image) }
    let target = try await session.target(file, of: picked.image, or: picked.todo.todo.shortID)
    try target.requireFree(force: force)
    try await session.save(picked.image, as: target, force: force)
    try session.voice.tell(SavedImagePage(path: target.path, picked: picked))
    try session.tellNews()
  }
}

/// What was saved.
struct SavedImagePage: Page {
  let path: String
  let picked: PickedImage

  func lines(_ style: Style) -> [String] { ["saved \(harmless(path)), \(shortSize(picked.image.bytes))"] }

  var members: [JSON.Member] {
    [.init(key: "file", value: .string(path)), .init(key: "todo", value: picked.todo.json)]
  }
}
