import ArgumentParser
import CloudAPI
import Dates
import TodoCore
import Treesystem

/// `todo export [FILE|-]`
struct ExportCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "export",
    abstract: "Write lists to a file, for other programs or to keep.",
    usage: "todo export [<file>|-] [--format <format>] [--list <list>]… [--no-images]",
    discussion: """
      Formats are json (everything, and the default), todotxt, taskwarrior, ical and markdown; without --format the file's \
      name says which: .json, .txt, .ics, .md. What a format cannot express is left out. Only json has what is in the trash, and images: beside backup.json they lie in backup.images, as files. \
      Standard output has none.

      Examples:
        todo export backup.json
        todo export todo.txt
        todo export --format taskwarrior | task import -
        todo export Groceries.md --list Groceries
      """)

  @OptionGroup var options: GlobalOptions

  @Option(help: "json, todotxt, taskwarrior, ical or markdown.")
  var format: String?

  @Option(help: "Only this list; several times for several.")
  var list: [String] = []

  @Flag(help: "Leave images out; nothing has to be fetched then.")
  var noImages = false

  @Argument(help: "The file; standard output without it, or for '-'. One that is there is not overwritten.")
  var file: String?

  func run() async throws {
    let target = file == "-" ? nil : file
    let format = try ExchangeFormat(named: format, file: target)
    let session = try Session.open(options)
    let entries = try session.read { try $0.entries(of: list, trash: format == .json) }
    let images = format == .json && !noImages ? entries.count { $0.image != nil } : 0
    func text(_ all: [ExportedTodo]) -> String {
      format.write(all.map(\.entry), zone: .system, now: session.database.clock.now())
    }
    guard let target else {
      if images > 0 { session.voice.note("\(counted(images, "image")) left out: 'todo export <file>' has them") }
      // In a pipe the next program gets what there is; a terminal would do what it says.
      return try session.voice.tell(text: session.voice.isRead ? visible(text(entries)) : text(entries))
    }
    let file = TextFile(path: target)
    // Nobody fetches a hundred images to hear at the end that there is no place for the file.
    try file.requireFree()
    let whole = images > 0 ? try await session.saveImages(of: entries, in: ImageFolder(beside: target)) : entries
    try file.write(text(whole))
    try session.voice.tell(ExportPage(file: target, format: format, count: entries.count, images: images))
  }
}

/// What was written.
struct ExportPage: Page {
  let file: String
  let format: ExchangeFormat
  let count: Int
  let images: Int

  func lines(_ style: Style) -> [String] {
    let beside = images == 0 ? "" : ", and \(counted(images, "image")) to \(harmless(ImageFolder(beside: file).path))"
    return ["wrote \(counted(count, "todo")) to \(harmless(file))\(beside)"]
  }

  var members: [JSON.Member] {
    [
      .init(key: "file", value: .string(file)), .init(key: "format", value: .string(format.rawValue)),
      .init(key: "count", value: .int(Int64(count))), .init(key: "images", value: .int(Int64(images))),
    ]
  }
}
