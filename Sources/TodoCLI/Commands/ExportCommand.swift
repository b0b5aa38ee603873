import ArgumentParser
import CloudAPI
import Dates
import TodoCore
import Treesystem

/// `todo export [FILE|-]`
struct ExportCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "export",
    abstract: "Write lists to a file, for other programs or to keep.",
    usage: "todo export [<file>|-] [--format <format>] [--list <list>]…",
    discussion: """
      Formats are json (everything but images, and the default), todotxt, taskwarrior, ical and markdown; without --format the file's \
      name says which: .txt, .ics, .md. What a format cannot express is left out. Only json has what is in the trash.

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

  @Argument(help: "The file; standard output without it, or for '-'. One that is there is not overwritten.")
  var file: String?

  func run() throws {
    let target = file == "-" ? nil : file
    let format = try ExchangeFormat(named: format, file: target)
    let session = try Session.open(options)
    let entries = try session.read { try $0.entries(of: list, trash: format == .json) }
    let text = format.write(entries, zone: .system, now: session.database.clock.now())
    guard let target else { return try session.voice.tell(text: text) }
    try TextFile(path: target).write(text)
    try session.voice.tell(ExportPage(file: target, format: format, count: entries.count))
  }
}

/// What was written.
struct ExportPage: Page {
  let file: String
  let format: ExchangeFormat
  let count: Int

  func lines(_ style: Style) -> [String] { ["wrote \(counted(count, "todo")) to \(harmless(file))"] }

  var members: [JSON.Member] {
    [
      .init(key: "file", value: .string(file)), .init(key: "format", value: .string(format.rawValue)),
      .init(key: "count", value: .int(Int64(count))),
    ]
  }
}
