import Glibc

/// The arguments as the shell gave them. Swift replaces bytes that are not UTF-8 silently, so we look at the bytes.
enum RawArguments {
  /// The arguments after the program's name.
  static func read() throws(Complaint) -> [String] {
    guard !all.isEmpty else {
      throw Complaint("no_arguments", .defect, "the arguments are gone", hint: "start todo by its name")
    }
    var arguments: [String] = []
    for (index, bytes) in all.enumerated().dropFirst() {
      guard let text = String(validating: bytes, as: UTF8.self) else { throw notText(index) }
      arguments.append(text)
    }
    return arguments
  }

  /// With the program's name. Swift's runtime finds none where a library that was loaded first has changed the environment
  /// (swiftlang/swift#76080): then the kernel is asked.
  static let all: [[UInt8]] = {
    if CommandLine.argc > 0 {
      return (0..<Int(CommandLine.argc)).compactMap { CommandLine.unsafeArgv[$0] }
        .map { Array(UnsafeBufferPointer(start: $0, count: strlen($0))).map(UInt8.init(bitPattern:)) }
    }
    guard let bytes = try? TextFile(path: "/proc/self/cmdline").bytes() else { return [] }
    return bytes.split(separator: 0, omittingEmptySubsequences: false).dropLast().map { Array($0) }
  }()

  /// The same as text, whatever they are.
  static var words: [String] { all.map { String(decoding: $0, as: UTF8.self) } }

  /// Whether `--json` is among the arguments, for complaints about arguments that could not be parsed.
  static func asksForJSON() -> Bool {
    words.prefix { $0 != "--" }.contains("--json")
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
