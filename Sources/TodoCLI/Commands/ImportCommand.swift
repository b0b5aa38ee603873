import ArgumentParser
import Dates
import Formats
import Sharing
import TodoCore
import Treesystem

/// `todo import <file>|-`
struct ImportCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "import",
    abstract: "Read todos from a file of this program or another one.",
    usage: "todo import <file>|- [--format <format>] [--list <list>] [--skip-broken]",
    discussion: """
      Formats are those of 'todo export'. A list that is named in the file and does not exist is made; todos without one go to --list, \
      or the default list. What is here already, in the trash too, is not imported again. A line that cannot be read stops all of it, \
      unless --skip-broken leaves it out. What of a todo cannot be kept, such as a rule with an end, is counted and named. Images come from the folder that 'todo export' has made beside the file.

      Examples:
        todo import todo.txt
        task export | todo import - --format taskwarrior
        todo import calendar.ics --list Work --skip-broken
      """)

  @OptionGroup var options: GlobalOptions

  @Option(help: "json, todotxt, taskwarrior, ical or markdown.")
  var format: String?

  @Option(help: "The list for todos for which the file names none.")
  var list: String?

  @Flag(help: "Leave out what cannot be read, and import the rest.")
  var skipBroken = false

  @Argument(help: "The file; '-' is standard input.")
  var file: String

  func run() async throws {
    let named = try ExchangeFormat(named: format, file: file)
    let bytes = try file == "-" ? StandardInput.bytes() : TextFile(path: file).bytes()
    // Taskwarrior's files end like ours.
    let isTaskwarrior = format == nil && named == .json && FileText.read(bytes).map(Taskwarrior.isLikely) == true
    let format = isTaskwarrior ? .taskwarrior : named
    guard let reading = try format.read(bytes, zone: .system, calendars: CalendarProcess.ofThisProgram) else {
      throw Complaint.noText(file)
    }
    let session = try Session.open(options)
    let check = ImportCheck(reading.entries, reading.broken, format: format)
    let (sound, broken) = (check.sound, check.broken)
    if !broken.isEmpty, !skipBroken { throw Complaint.broken(broken) }
    let images = try await session.sealImages(
      session.read { try $0.newImages(sound, list: list, standard: session.config.defaultList) },
      in: file == "-" ? nil : ImageFolder(beside: file), skipsBroken: skipBroken)
    var imported = try session.change {
      try $0.importEntries(
        sound, format: format, list: list, standard: session.config.defaultList, zone: .system, images: images.files)
    }
    if check.cleaned > 0 {
      imported.remarks.append("\(counted(check.cleaned, "todo")) without the characters that nobody can type")
    }
    if check.shortened > 0 {
      imported.remarks.append(
        "\(counted(check.shortened, "todo")) with a title or a note that was too long, and is shortened")
    }
    imported.left.merge(reading.left, uniquingKeysWith: +)
    if images.left > 0 { imported.remarks.append("\(counted(images.left, "image")) left out") }
    for entry in broken.prefix(20) { session.voice.note("line \(entry.line) left out: \(entry.reason)") }
    try await session.finish(
      ImportPage(imported: imported, todos: try session.read { try $0.named(imported.added) }, broken: broken))
  }
}

extension Complaint {
  fileprivate static func noText(_ file: String) -> Complaint {
    Complaint(
      "not_utf8", .badData, file == "-" ? "standard input is no Unicode" : "\(file) is no Unicode",
      hint: "convert it first, for example with iconv -f latin1 -t utf8")
  }

  /// A file of which nothing was imported.
  fileprivate static func broken(_ entries: [BrokenEntry]) -> Complaint {
    func place(_ entry: BrokenEntry) -> String {
      entry.line > 0 ? "line \(entry.line): \(entry.reason)" : entry.reason
    }
    let more = entries.count > 1 ? ", and \(entries.count - 1) more" : ""
    return Complaint(
      "broken_file", .badData, "\(place(entries[0]))\(more)",
      hint: "nothing was imported: correct the file, or leave out what is broken with --skip-broken",
      candidates: entries.prefix(100).map(place))
  }
}

/// What an import came to.
struct ImportPage: Page {
  let imported: Imported
  let todos: [NamedTodo]
  let broken: [BrokenEntry]

  func lines(_ style: Style) -> [String] {
    let lists = Set(todos.map(\.list)).count
    let known = imported.known == 0 ? "" : ", \(imported.known) known already"
    let removed = todos.count { $0.todo.state == .trash }
    let trash = removed == 0 ? "" : ", \(removed) of them in the trash"
    let left = broken.isEmpty ? "" : ", \(broken.count) left out"
    let on = todos.isEmpty ? "" : " on \(counted(lists, "list"))"
    return imported.newLists.map { "created list \(harmless($0))" }
      + ["imported \(counted(todos.count, "todo"))\(on)\(trash)\(known)\(left)"] + imported.remarks + notKept
      + imported.knownTitles.prefix(5).map { "known already: \(harmless(Complaint.shortened($0)))" }
  }

  /// What the file says of todos and this program has no place for, the most frequent first.
  private var notKept: [String] {
    imported.left.sorted { ($1.value, $0.key) < ($0.value, $1.key) }.prefix(20).map {
      "not kept: \(harmless(Complaint.shortened($0.key)))\($0.value == 1 ? "" : ", \($0.value) times")"
    }
  }

  var isPaged: Bool { false }

  var hints: [String] { todos.isEmpty ? [] : ["take it back with: todo undo"] }

  var members: [JSON.Member] {
    [
      .init(key: "todos", value: .array(todos.map(\.json))),
      .init(key: "new_lists", value: .array(imported.newLists.map { .string($0) })),
      .init(key: "known", value: .int(Int64(imported.known))),
      .init(key: "known_titles", value: .array(imported.knownTitles.map { .string($0) })),
      .init(
        key: "not_kept",
        value: .array(
          imported.left.sorted { $0.key < $1.key }.map { ["what": .string($0.key), "times": .int(Int64($0.value))] })),
      .init(
        key: "broken",
        value: .array(broken.map { ["line": .int(Int64($0.line)), "reason": .string($0.reason)] })),
    ]
  }
}
