/// That a command did not do what its page says.
struct Mismatch: Error, CustomStringConvertible {
  let page: String
  let step: Page.Step
  let actual: Outcome
  /// What was known when the command had run.
  let placeholders: Placeholders

  /// What to read: the place, the command, and the lines as a diff; `-` is expected, `+` was printed.
  var description: String {
    let exit = step.exit == actual.exit ? [] : ["- [exit \(step.exit)]", "+ [exit \(actual.exit)]"]
    let head = "samples/\(page):\(step.line): \(step.person)$ \(step.command)"
    return ([head] + difference + exit).joined(separator: "\n")
  }

  private var difference: [String] {
    let expected = step.output.map(placeholders.filled)
    let changes = actual.lines.difference(from: expected) { expected, actual in
      var placeholders = placeholders
      return placeholders.fit(expected, actual)
    }
    var lines = expected.map { "  " + $0 }
    for case .remove(let offset, let line, _) in changes { lines[offset] = "- " + line }
    var position = 0
    for case .insert(let offset, let line, _) in changes {
      var kept = lines[..<position].count { !$0.hasPrefix("- ") }
      while position < lines.count, kept < offset || lines[position].hasPrefix("- ") {
        if !lines[position].hasPrefix("- ") { kept += 1 }
        position += 1
      }
      lines.insert("+ " + line, at: position)
      position += 1
    }
    return lines
  }
}
