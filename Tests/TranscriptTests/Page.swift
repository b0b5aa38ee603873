/// A page of `samples/`: commands, and what they print. `samples/README.md` says how one is written.
struct Page: Sendable {
  /// A command, who gives it, and what is expected of it.
  struct Step: Sendable {
    /// Where the command stands on the page, counted from 1.
    let line: Int
    let person: String
    var command: String
    var output: [String] = []
    var exit: Int32 = 0
  }

  /// A line that is neither a command, nor what one prints, nor a comment.
  struct Unreadable: Error {
    let line: Int
  }

  let name: String
  /// A command that must succeed for the page to make sense on this machine; nil if any machine will do.
  private(set) var need: String?
  /// How large the terminal is that the page is played on, as `stty` takes it; nil: none.
  private(set) var terminal: String?
  private(set) var steps: [Step] = []

  /// Reads the text of a page.
  init(name: String, text: String) throws(Unreadable) {
    self.name = name
    var isOpen = false
    for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init).enumerated() {
      if let (person, command) = Self.prompt(line) {
        steps.append(Step(line: index + 1, person: person, command: command))
        isOpen = true
      } else if line == "#" || line.hasPrefix("# ") {
        if line.hasPrefix("# needs: ") { need = String(line.dropFirst(9)) }
        if let match = line.wholeMatch(of: /# terminal: ([0-9]+) x ([0-9]+)/) {
          terminal = "columns \(match.1) rows \(match.2)"
        }
        isOpen = false
      } else if isOpen {
        steps[steps.count - 1].take(line)
      } else if !line.isEmpty {
        throw Unreadable(line: index + 1)
      }
    }
    for index in steps.indices { steps[index].output = trimmed(steps[index].output) }
  }

  /// `alice$ todo ls` is alice's; `$ todo ls` is nobody's in particular.
  private static func prompt(_ line: String) -> (person: String, command: String)? {
    guard let match = line.wholeMatch(of: /([a-z][a-z0-9-]*)?\$ (.+)/) else { return nil }
    return (match.1.map(String.init) ?? "somebody", String(match.2))
  }
}

extension Page.Step {
  /// Takes a line below the command: more of it, its exit status, or what it prints.
  fileprivate mutating func take(_ line: String) {
    if output.isEmpty, line.hasPrefix("> ") {
      command += "\n" + line.dropFirst(2)
    } else if let match = line.wholeMatch(of: /\[exit ([0-9]+)\]/) {
      exit = Int32(match.1) ?? -1
    } else {
      output.append(line)
    }
  }
}

/// Lines without the empty ones at the end.
func trimmed(_ lines: [String]) -> [String] {
  Array(lines[..<(lines.lastIndex { !$0.isEmpty }.map { $0 + 1 } ?? 0)])
}
