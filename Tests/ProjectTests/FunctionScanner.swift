/// Finds functions by their first line and the brace that closes at its indentation, which formatting guarantees.
struct FunctionScanner {
  struct Function: Equatable {
    let name: String
    let firstLine: Int
    let length: Int
  }

  let lines: [String]

  /// Everything with a body of statements: functions, initialisers, subscripts, computed properties.
  func functions() -> [Function] {
    lines.indices.compactMap { index in
      guard let name = name(declaredBy: lines[index]) else { return nil }
      return length(from: index).map { Function(name: name, firstLine: index + 1, length: $0) }
    }
  }

  private func name(declaredBy line: String) -> String? {
    // Most lines are none; the expressions below are slow.
    guard ["func ", "init", "subscript", "var "].contains(where: line.contains) else { return nil }
    let function =
      /\s*(?:@\w+(?:\([^)]*\))?\s+)*(?:[a-z]+(?:\(set\))?\s+)*(?:func\s+([^\s(<]+)|(init|deinit|subscript)\b).*/
    if let match = line.wholeMatch(of: function) { return String(match.1 ?? match.2 ?? "") }
    let property = /\s*(?:[a-z]+\s+)*var\s+(\w+)\s*:[^=]*\{/
    return line.wholeMatch(of: property).map { String($0.1) }
  }

  /// The number of lines; nil for a requirement without a body.
  private func length(from first: Int) -> Int? {
    let indent = indentation(of: lines[first])
    if lines[first].hasSuffix("}") { return 1 }
    for index in lines.indices.dropFirst(first + 1) {
      let line = lines[index]
      let text = line.drop { $0 == " " }
      if text.isEmpty || text.hasPrefix("#") || indentation(of: line) > indent { continue }
      if indentation(of: line) < indent { return nil }
      if text.hasPrefix("}") { return index - first + 1 }
      // A declaration may take several lines; anything else means that it has ended.
      if ![")", "{", "->", "where"].contains(where: text.hasPrefix) { return nil }
    }
    return nil
  }

  private func indentation(of line: String) -> Int { line.prefix { $0 == " " }.count }
}
