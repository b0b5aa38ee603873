import TodoCore

/// What the first word asks for. ArgumentParser would swallow a mistyped command, so we look before it parses.
enum FirstWord: Equatable {
  /// A command: the arguments in the order that ArgumentParser understands.
  case command([String])
  /// No command: perhaps a list that somebody wants to see. The options follow.
  case perhapsList(String, options: [String])
  /// A mistyped verb after a noun.
  case unknownVerb(String, noun: String, similar: [String])
  /// `todo help …`
  case help([String])

  /// - Parameter verbs: of the command of that name, perhaps none; nil where there is no such command.
  static func read(_ arguments: [String], verbs: (String) -> [String]?) -> FirstWord {
    var rest = arguments[...]
    let leading = takeGlobals(&rest)
    guard let word = rest.first else { return .command([overviewName] + leading) }
    if word == "--version" { return .command(["version"] + leading + rest.dropFirst()) }
    if word.hasPrefix("-") { return .command(rest + leading) }
    rest.removeFirst()
    if word == "help" { return .help(rest.filter { !$0.hasPrefix("-") }) }
    guard let verbs = verbs(word) else { return .perhapsList(word, options: leading + rest) }
    guard !verbs.isEmpty else {
      return .command([word] + leading + (takesNumbers.contains(word) ? apart(rest) : Array(rest)))
    }
    let between = takeGlobals(&rest)
    guard let verb = rest.first, !verb.hasPrefix("-") else { return .command([word] + leading + between + rest) }
    if takesAName.contains(word), !verbs.contains(verb), rest.count(where: { !$0.hasPrefix("-") }) == 1 {
      return .command([word] + leading + between + rest)
    }
    guard verbs.contains(verb) else {
      return .unknownVerb(verb, noun: word, similar: similar(to: verb, among: verbs))
    }
    return .command([word, verb] + leading + between + rest.dropFirst())
  }

  /// Nouns behind which a single word is no verb, but something that one looks for.
  private static let takesAName: Set = ["users"]

  /// Commands of which a number below zero is an argument, if no good one.
  private static let takesNumbers: Set = ["config"]

  /// Puts a number below zero last, where ArgumentParser does not take it for an option.
  private static func apart(_ rest: ArraySlice<String>) -> [String] {
    guard !rest.contains("--"), let number = rest.first(where: { $0.hasPrefix("-") && Int($0) != nil }) else {
      return Array(rest)
    }
    return rest.filter { $0 != number } + ["--", number]
  }

  /// The command behind a bare `todo`.
  static let overviewName = "overview"

  private static func takeGlobals(_ rest: inout ArraySlice<String>) -> [String] {
    var taken: [String] = []
    while let word = rest.first {
      if ["--json", "--sync", "--no-sync", "--plain", "--quiet", "--yes"].contains(word) || word.hasPrefix("--profile=")
      {
        taken.append(word)
        rest.removeFirst()
      } else if word == "--profile", rest.count > 1 {
        taken += rest.prefix(2)
        rest.removeFirst(2)
      } else {
        break
      }
    }
    return taken
  }
}
