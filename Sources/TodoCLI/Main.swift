import ArgumentParser
import Dispatch
import Formats
import Glibc
import Pictures
import TodoCore
import Treesystem

/// The program: reads the arguments, runs one command, and says in one voice what went wrong.
@main
struct Main {
  /// Before it there is one thread: what looks at a picture or a calendar gives up all that others would need.
  static func main() {
    Hardening.begin()
    if let side = DecoderProcess.side(asked: RawArguments.words) { exit(DecoderChild.run(fitting: side)) }
    if CalendarProcess.isAsked(by: RawArguments.words) { exit(CalendarChild.run()) }
    Task { await answer() }
    dispatchMain()
  }

  private static func answer() async {
    signal(SIGPIPE, SIG_IGN)
    var voice = Voice(wantsJSON: RawArguments.asksForJSON())
    do {
      try await run(RawArguments.read(), &voice)
    } catch {
      let complaint = Complaint(parsing: error) ?? Complaint(error)
      voice.complain(complaint)
      exit(complaint.exit.rawValue)
    }
    exit(Exit.success.rawValue)
  }

  private static func run(_ arguments: [String], _ voice: inout Voice) async throws {
    // What scripts ask in a loop needs nothing parsed.
    if arguments == ["--version"] { return try voice.tell(text: TodoCommand.version) }
    switch FirstWord.read(arguments, verbs: { TodoCommand.command(named: $0).map(TodoCommand.verbs) }) {
    case .command(let arguments): try await run(command: arguments, voice)
    case .help(let words): try await help(words, voice)
    case .unknownVerb(let verb, let noun, let similar):
      throw Complaint.usage(
        "'\(noun)' has no '\(Complaint.shortened(verb))'",
        hint: similar.isEmpty ? "see 'todo help \(noun)'" : Complaint.didYouMean(similar.map { "\(noun) \($0)" }),
        candidates: similar)
    case .perhapsList(let word, let options): try await show(list: word, options, voice)
    }
  }

  private static func run(command arguments: [String], _ voice: Voice) async throws {
    do {
      var command = try TodoCommand.parse(command: arguments)
      if var command = command as? any AsyncParsableCommand {
        try await command.run()
      } else {
        try command.run()
      }
    } catch let error where isHelp(error) {
      if let word = RawArguments.mistakenForHelp(in: arguments) { throw Complaint.unknownOption(word) }
      try voice.tell(text: TodoCommand.fullMessage(for: error))
    }
  }

  /// ArgumentParser throws what somebody asked to read: help and the version.
  private static func isHelp(_ error: any Error) -> Bool {
    !(error is Complaint) && TodoCommand.exitCode(for: error) == .success
  }

  /// `todo Groceries` is for people; scripts write `todo ls Groceries`.
  private static func show(list word: String, _ options: [String], _ voice: Voice) async throws {
    let words = TodoCommand.verbs.keys.filter { $0 != FirstWord.overviewName } + ["help"]
    let similar = similar(to: word, among: words)
    guard let command = try? TodoCommand.parseAsRoot(["ls", word] + options) as? LsCommand else {
      throw Complaint.unknownCommand(word, similar: similar)
    }
    if TodoFilter.isFilter(word) { return try await command.run() }
    let session = try Session.open(command.options)
    if case .unknown(let lists) = try session.read({ try $0.findList(word) }) {
      throw Complaint.unknownCommand(word, similar: similar + lists)
    }
    guard command.lists.count == 1 else {
      throw Complaint.usage(
        "'\(Complaint.shortened(word))' is a list, not a command",
        hint: "todo add \(shellQuoted(word)) <title> puts todos on it, todo ls shows several lists")
    }
    try await command.run()
  }

  private static func help(_ words: [String], _ voice: Voice) async throws {
    if words.count == 1, let topic = HelpTopic(rawValue: words[0]) { return try voice.tell(text: topic.text) }
    if words.first == "help" { return try await run(command: ["--help"], voice) }
    if let word = words.first, TodoCommand.command(named: word) == nil {
      throw Complaint.unknownCommand(
        word, similar: similar(to: word, among: Array(TodoCommand.verbs.keys) + HelpTopic.allCases.map(\.rawValue)))
    }
    try await run(command: words + ["--help"], voice)
  }
}

extension Complaint {
  /// What the first word should have been.
  static func unknownCommand(_ word: String, similar: [String]) -> Complaint {
    Complaint(
      "unknown_command", .usage, "no command or list '\(shortened(word))'",
      hint: similar.isEmpty ? "'todo help' shows the commands, 'todo lists' your lists" : didYouMean(similar),
      candidates: similar)
  }

  /// What ArgumentParser refused, in our voice; nil for any other error.
  init?(parsing error: any Error) {
    guard TodoCommand.exitCode(for: error) == .validationFailure else { return nil }
    let message =
      TodoCommand.message(for: error).split(separator: "\n").first.map(String.init) ?? "that is not understood"
    let text = (message.first?.lowercased() ?? "") + message.dropFirst()
    self = .usage(
      text.hasSuffix(".") ? String(text.dropLast()) : text,
      hint: Complaint.usageHint)
  }

  /// A word that begins with '-' and is no option.
  fileprivate static func unknownOption(_ word: String) -> Complaint {
    .usage("unknown option '\(shortened(word))'", hint: usageHint)
  }

  private static let usageHint =
    "'todo help <command>' shows how it is used; a title that begins with '-' comes after '--'"
}
