import ArgumentParser
import Glibc
import Pictures
import Signing
import TodoCore
import Treesystem

/// `todo image show <todo>`
struct ImageShowCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "show",
    abstract: "Draw the image of a todo in the terminal.",
    usage: "todo image show <todo> [--full] [--earlier <n>]",
    discussion: """
      Only a small copy is fetched for that, of at most 256 pixels; with --full the whole picture. In a pipe it is drawn \
      with letters.

      Examples:
        todo image show k3fa
        todo image show k3fa --earlier 1
      """)

  @OptionGroup var options: GlobalOptions

  @Flag(help: "Fetch the whole picture, and draw it as large as the terminal.")
  var full = false

  @OptionGroup var choice: ImageChoice

  func run() async throws {
    let session = try Session.open(options)
    try await session.syncIfAsked()
    let picked = try session.read { try $0.requireImage(of: choice.todo, earlier: choice.earlier) }
    try await session.fetch(needed(of: picked.image), of: picked.image)
    let facts = ImageFacts(bytes: try await session.section(.metadata, of: picked.image))
    let drawing = session.voice.wantsJSON ? nil : try await session.drawing(of: picked, isFull: full)
    try session.voice.tell(ImagePage(picked: picked, facts: facts, drawing: drawing))
    try session.tellNews()
  }

  /// All that is shown, in one go: where the server cannot be reached all of it comes with the next sync.
  private func needed(of image: NamedImage) -> NodeComponents {
    if options.json { return .metadata }
    let hasSmallCopy = !image.image.file.layout.range(of: .thumbnail).isEmpty
    return full || !hasSmallCopy ? [.metadata, .thumbnail, .data] : [.metadata, .thumbnail]
  }
}
