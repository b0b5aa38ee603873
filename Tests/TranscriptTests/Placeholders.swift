import Foundation

/// What stands for something on a page: `<id>` fits any short id; `<id:milk>` too, and is the same one from then on.
struct Placeholders {
  /// What the named ones stand for, by all that is between the brackets.
  private var values: [String: String] = [:]

  private static let kinds = [
    "id": "[a-z][a-z0-9]{3,25}", "user": "[a-z2-7]{32}", "port": "[0-9]{1,5}", "number": "[0-9]+",
    "device": "[0-9a-f]{8}",
    "time": "[0-9]{4}-[0-9]{2}-[0-9]{2}[T ][0-9:.]+Z?", "text": ".*",
  ]

  /// What was found between brackets at a place of a line.
  private typealias Found = (range: Range<String.Index>, key: String, kind: String)

  /// A line with the values of the placeholders that have one.
  func filled(_ line: String) -> String {
    var line = line
    for found in Self.find(in: line).reversed() {
      if let value = values[found.key] { line.replaceSubrange(found.range, with: value) }
    }
    return line
  }

  /// Whether lines are what a page expects. `...` fits any number of lines. Keeps what the named placeholders stood for.
  mutating func fit(_ expected: ArraySlice<String>, _ actual: ArraySlice<String>) -> Bool {
    guard let first = expected.first else { return actual.isEmpty }
    if first == "..." {
      return (actual.startIndex...actual.endIndex).contains { fit(expected.dropFirst(), actual[$0...]) }
    }
    let before = values
    if let line = actual.first, fit(first, line), fit(expected.dropFirst(), actual.dropFirst()) { return true }
    values = before
    return false
  }

  /// Whether a line is what a page expects.
  mutating func fit(_ expected: String, _ actual: String) -> Bool {
    let expected = filled(expected)
    let found = Self.find(in: expected)
    guard !found.isEmpty else { return Array(expected.utf8) == Array(actual.utf8) }
    guard let groups = Self.groups(of: Self.pattern(expected, found), in: actual) else { return false }
    for (found, group) in zip(found, groups) where found.key.contains(":") {
      if values[found.key, default: group] != group { return false }
      values[found.key] = group
    }
    return true
  }

  private static func find(in line: String) -> [Found] {
    line.matches(of: /<(([a-z]+)(:[a-z0-9-]+)?)>/).compactMap { match in
      kinds[String(match.2)].map { (match.range, String(match.1), $0) }
    }
  }

  private static func pattern(_ line: String, _ found: [Found]) -> String {
    var pattern = ""
    var end = line.startIndex
    for found in found {
      pattern += NSRegularExpression.escapedPattern(for: String(line[end..<found.range.lowerBound])) + "(\(found.kind))"
      end = found.range.upperBound
    }
    return "\\A" + pattern + NSRegularExpression.escapedPattern(for: String(line[end...])) + "\\z"
  }

  private static func groups(of pattern: String, in line: String) -> [String]? {
    let everything = NSRange(line.startIndex..., in: line)
    let match = try? NSRegularExpression(pattern: pattern).firstMatch(in: line, range: everything)
    guard let match else { return nil }
    return (1..<match.numberOfRanges).compactMap { Range(match.range(at: $0), in: line).map { String(line[$0]) } }
  }
}
