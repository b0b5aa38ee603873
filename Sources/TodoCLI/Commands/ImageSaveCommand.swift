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
    let target = try await session.target(file, of: picked)
    try target.requireFree(force: force)
    try await session.save(picked.image, as: target, force: force)
    try session.voice.tell(SavedImagePage(path: target.path, picked: picked))
    try session.tellNews()
  }
}

extension Session {
  /// Where an image is to be saved: what somebody said, in a folder under its own name.
  fileprivate func target(_ path: String?, of picked: PickedImage) async throws -> SavedFile {
    if let path, !isFolder(path) { return SavedFile(path: path) }
    let facts = ImageFacts(bytes: try await section(.metadata, of: picked.image, before: .data))
    let name = SavedFile.name(of: facts, shortID: picked.todo.todo.shortID)
    return SavedFile(path: path.map { $0.hasSuffix("/") ? $0 + name : "\($0)/\(name)" } ?? name)
  }

  private func isFolder(_ path: String) -> Bool {
    var status = stat()
    return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
  }

  /// Writes an image to standard output. Nobody takes a byte back there: all of it is looked at before the first goes out.
  fileprivate func print(_ image: NamedImage) async throws {
    _ = try await write(image) { NoSink() }
    var output = OpenFile(descriptor: STDOUT_FILENO)
    do {
      guard try database.diskStore.data(of: image.image.file, into: &output) else { throw StoreError.disk }
    } catch is ReaderGone {}
  }

  /// Writes a draft beside the file, which gets its name once it is whole: nobody ever sees a half.
  fileprivate func save(_ image: NamedImage, as target: SavedFile, force: Bool) async throws {
    try target.requireRoom()
    try await fetch(.data, of: image)
    do {
      let draft = try await Interruption.ending { [self] in
        try await write(image) { try target.open() }
      }
      try draft.keep()
      try target.take(force: force)
    } catch {
      unlink(target.draft)
      throw error
    }
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
