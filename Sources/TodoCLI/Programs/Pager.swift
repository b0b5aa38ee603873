import Glibc

/// What shows text that is longer than the terminal is high.
struct Pager {
  /// A command line of the shell.
  let command: String

  /// - Parameter setting: `auto` for what the environment says and else `less`, a command, or nothing for none.
  init?(_ setting: String, environment: (String) -> String?) {
    func named(_ name: String) -> String? { environment(name).flatMap { $0.isEmpty ? nil : $0 } }
    command = named("TODO_PAGER") ?? (setting == Self.auto ? named("PAGER") ?? "less" : setting)
    if ["", "off", "cat"].contains(command) { return nil }
  }

  static let auto = "auto"

  /// Shows text, until its reader has seen enough. False: there is no such program, and nothing was shown.
  func show(_ text: String) -> Bool {
    guard let pipe = ProcessPipe() else { return false }
    // As git has it: colours are colours, and what fits the screen after all stays on it.
    let variables = environment("LESS") == nil ? ["LESS": "FRX"] : [:]
    let process = ChildProcess.shell(quietly, files: [(its: STDIN_FILENO, ours: pipe.output)], variables: variables)
    close(pipe.output)
    guard let process else {
      close(pipe.input)
      return false
    }
    // Ctrl-C is meant for the one that is on the screen.
    let before = signal(SIGINT, SIG_IGN)
    defer { signal(SIGINT, before) }
    write(Array(text.utf8)[...], to: pipe.input)
    close(pipe.input)
    return process.wait() != .status(127)
  }

  /// The same, without the shell's complaint where there is no such program: then the text is simply printed.
  private var quietly: String {
    let program = command.prefix { $0 != " " }
    guard program.allSatisfy({ $0.isASCII && ($0.isLetter || $0.isNumber || "._/-+".contains($0)) }) else {
      return command
    }
    return "command -v \(program) > /dev/null || exit 127; \(command)"
  }

  /// Who has seen enough does not read the rest.
  private func write(_ bytes: ArraySlice<UInt8>, to descriptor: Int32) {
    var rest = bytes
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
      if count > 0 { rest = rest.dropFirst(count) } else if errno != EINTR { return }
    }
  }
}
