import ArgumentParser
import TodoCore
import Treesystem

/// `todo image add <todo> FILE`
struct ImageAddCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "add",
    abstract: "Attach a picture to a todo.",
    usage: "todo image add <todo> <file> [--keep-metadata]",
    discussion: """
      A JPEG, PNG, WebP or GIF. Where it was taken, and with which camera, is left out of it; --keep-metadata keeps the \
      file as it is. It takes the place of the image that the todo has, which stays as an earlier one, unless the server refused it: that is given up. \
      'todo image rm' first takes back one that was never sent.

      Example:
        todo image add k3fa sauce.jpg
      """)

  @OptionGroup var options: GlobalOptions

  @Flag(help: "Keep what the camera wrote into the picture, such as the place.")
  var keepMetadata = false

  @Argument(help: ArgumentHelp("A todo: its id or the beginning of it, List/title, or its title.", valueName: "todo"))
  var todo: String

  @Argument(help: ArgumentHelp("The picture.", valueName: "file"))
  var file: String

  func run() async throws {
    let session = try Session.open(options)
    if options.sync == true { _ = try session.requireAccount() }
    // Before anything that takes long.
    _ = try session.read(picked)
    let sealed = try await session.seal(file, keepsMetadata: keepMetadata)
    let page = try session.change { transaction in
      let before = try picked(transaction)
      let isRefused = try before.image.map { try transaction.isRefused($0) } ?? false
      let todo = try transaction.setImage(sealed.file, of: before)
      return ChangePage(
        verb: "attached an image to", todos: try transaction.named([todo]), attached: sealed.picture,
        remark: isRefused ? "in place of one that the server had refused, which is given up" : nil)
    }
    try await session.finish(page, files: true)
  }

  private func picked(_ transaction: CloudTransaction) throws -> Todo {
    let todo = try transaction.requireTodo(todo)
    try transaction.requireImageWrite(todo)
    return todo
  }
}
