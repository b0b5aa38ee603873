import ArgumentParser
import Sharing
import TodoCore
import Treesystem

/// What can stand where somebody presses the tab key.
struct Completion {
  /// What was typed before, without options that stand anywhere.
  private let before: [String]
  /// The word that is being typed.
  let typed: String
  /// The command, `lists rename`; nil where that is what is being typed.
  private let command: String?
  /// How many words stand behind the command, options and their values left out.
  private let position: Int

  /// - Parameter words: all that was typed behind the program's name; the last is the one that is being typed.
  init(_ words: [String]) {
    typed = words.last ?? ""
    before = Array(words.dropLast())
    let plain = Self.plain(before)
    let names = TodoCommand.command(named: plain.first ?? "").map(TodoCommand.verbs)
    let verb = plain.count > 1 ? plain[1] : ""
    if let first = plain.first, let names, names.contains(verb) {
      (command, position) = ("\(first) \(verb)", plain.count - 2)
    } else {
      (command, position) = (plain.first, max(0, plain.count - 1))
    }
  }

  /// Words without options and what follows these.
  private static func plain(_ words: [String]) -> [String] {
    var plain: [String] = []
    var rest = words[...]
    while let word = rest.popFirst() {
      if word == "--" { return plain + rest }
      if WordTable.options[word] != nil || ["--profile", "--note", "--title", "-m", "-n"].contains(word) {
        rest = rest.dropFirst()
      } else if !word.hasPrefix("-") || word == "-" {
        plain.append(word)
      }
    }
    return plain
  }

  /// The options that the shell would have to know of to open the right profile.
  var profile: String? {
    before.firstIndex(of: "--profile").flatMap { $0 + 1 < before.count ? before[$0 + 1] : nil }
  }

  /// The candidates that begin with what was typed.
  /// - Parameter session: opens the profile, if there is one; asked only where that is needed.
  func candidates(_ session: () throws -> Session?) throws -> [Candidate] {
    if let last = before.last, !before.contains("--"), let kind = WordTable.options[last] {
      return try candidates(of: kind, session)
    }
    if typed.hasPrefix("-"), !before.contains("--") { return matching(options) }
    guard let command else {
      return matching(Self.commands) + (typed.isEmpty ? [] : try candidates(of: .list, session))
    }
    if position == 0, let type = TodoCommand.command(named: command),
      !type.configuration.subcommands.isEmpty
    {
      let found = matching(Self.verbs(of: type))
      if WordTable.arguments[command] == nil { return found }
      return try found + candidates(of: WordTable.arguments[command]?.first ?? .none, session)
    }
    guard let kinds = WordTable.arguments[command], let last = kinds.last else { return [] }
    return try candidates(of: position < kinds.count ? kinds[position] : last, session)
  }

  private func candidates(of kind: WordKind, _ session: () throws -> Session?) throws -> [Candidate] {
    switch kind {
    case .none: return []
    case .file: return [.files]
    case .one(let words): return matching(words.map { Candidate(value: $0) })
    case .date: return matching(WordTable.dates.map { Candidate(value: $0) })
    case .setting: return matching(Config.Key.allCases.map { Candidate(value: $0.rawValue, explanation: $0.meaning) })
    case .command:
      return matching(
        Self.commands + HelpTopic.allCases.map { Candidate(value: $0.rawValue, explanation: $0.summary) })
    default:
      guard let session = try session() else { return [] }
      return try matching(session.read { try $0.candidates(of: kind, beginning: typed) })
    }
  }

  private func matching(_ candidates: [Candidate]) -> [Candidate] {
    candidates.filter { $0.value.utf8.begins(with: typed.utf8) }
  }

  private static var commands: [Candidate] {
    TodoCommand.configuration.subcommands.map { $0.configuration }.filter { $0.shouldDisplay }.map {
      Candidate(value: $0.commandName ?? "", explanation: $0.abstract)
    } + [Candidate(value: "help", explanation: "Explain a command or a topic.")]
  }

  private static func verbs(of command: any ParsableCommand.Type) -> [Candidate] {
    command.configuration.subcommands.map { $0.configuration }.map {
      Candidate(value: $0.commandName ?? "", explanation: $0.abstract)
    }
  }

  /// The options of the command, as its help shows them.
  private var options: [Candidate] {
    let parts = (command ?? "").split(separator: " ").map(String.init)
    var type = parts.first.flatMap(TodoCommand.command)
    if parts.count > 1 {
      type = type?.configuration.subcommands.first { $0.configuration.commandName == parts[1] }
    }
    guard let type else { return [] }
    let lines = TodoCommand.helpMessage(for: type, columns: 1000).split(separator: "\n")
    return lines.compactMap { line in
      guard let match = line.wholeMatch(of: #/ +(?:-\w, )?(--[a-z-]+)(?:/--[a-z-]+)?(?: <[^>]+>)? +(\S.*)/#) else {
        return nil
      }
      return Candidate(value: String(match.1), explanation: String(match.2))
    }
  }
}
