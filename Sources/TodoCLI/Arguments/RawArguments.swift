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

  private static func notText(_ index: Int) -> Complaint {
    Complaint(
      "not_utf8", .badData, "argument \(index) is not UTF-8",
      hint: "convert it first, for example with iconv -f latin1 -t utf8")
  }
}
