/// The arguments as the shell gave them. Swift replaces bytes that are not UTF-8 silently, so we look at the bytes.
enum RawArguments {
  /// The arguments after the program's name.
  static func read() throws(Complaint) -> [String] {
    var arguments: [String] = []
    for index in 1..<max(1, Int(CommandLine.argc)) {
      guard let bytes = CommandLine.unsafeArgv[index] else { break }
      guard let text = String(validatingCString: bytes) else { throw notText(index) }
      arguments.append(text)
    }
    return arguments
  }

  /// Whether `--json` is among the arguments, for complaints about arguments that could not be parsed.
  static func asksForJSON() -> Bool {
    CommandLine.arguments.prefix { $0 != "--" }.contains("--json")
  }

  /// The argument that was taken for a request for help though it is none: ArgumentParser reads every letter behind a dash as
  /// an option, and finds the 'h' of '-dash' and of '-5 hours'. Nil where somebody did ask.
  static func mistakenForHelp(in arguments: [String]) -> String? {
    let words = arguments.prefix { $0 != "--" }
    if words.contains(where: { ["-h", "--help", "--help-hidden"].contains($0) }) { return nil }
    return words.first { $0.hasPrefix("-") && !$0.hasPrefix("--") && $0.contains("h") }
  }

  private static func notText(_ index: Int) -> Complaint {
    Complaint(
      "not_utf8", .badData, "argument \(index) is not UTF-8",
      hint: "convert it first, for example with iconv -f latin1 -t utf8")
  }
}
