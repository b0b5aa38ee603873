import Foundation
import Testing

@testable import TodoCLI

/// docs/json.md says what `--json` prints: all of it, and nothing else.
@Suite struct JSONDocumentTests {
  private static let root = Samples.folder.deletingLastPathComponent()

  private func document() throws -> JSONDocument {
    try JSONDocument(text: String(contentsOf: Self.root.appending(path: "docs/json.md"), encoding: .utf8))
  }

  /// Every row is printed by something, and what is printed has the row's members and no others.
  @Test func whatIsPrintedIsWhatThePageSays() async throws {
    let document = try document()
    let printed = try await Self.printed()
    var reading = JSONReading(document)
    for (row, line) in printed {
      let shape = try #require(document.commands[row], "\(row) has no row")
      var object = try #require(JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any], "\(line)")
      #expect(object.removeValue(forKey: "schema") as? Int == 1)
      reading.read(object, as: shape)
    }
    #expect(reading.mismatches == [])
    #expect(Set(printed.map(\.row)) == Set(document.commands.keys))
    let all = Array(document.commands.values) + Array(document.objects.values)
    // Only members that other rows have.
    #expect(Set(all.map(\.name)).subtracting(reading.rows) == ["*account*", "*file trouble*"])
    let members = Set(all.flatMap { shape in shape.members.filter { $0.object != nil }.map { [shape.name, $0.name] } })
    // What only a server that lies has a reason for; `unreadable` and `here_by` are the same objects.
    let lies = [["`status`", "quarantined"], ["*finding*", "there_by"], ["`sync`", "file_troubles"]]
    #expect(members.subtracting(reading.reached) == Set(lies))
  }

  /// What the story has no scene for is documented all the same.
  @Test func everyMemberThatIsWrittenAnywhereIsDocumented() throws {
    let folder = Self.root.appending(path: "Sources/TodoCLI")
    let files = try FileManager.default.subpathsOfDirectory(atPath: folder.path).filter { $0.hasSuffix(".swift") }
    var written: Set<String> = []
    for file in files {
      let text = try String(contentsOf: folder.appending(path: file), encoding: .utf8)
      // The words of a `switch` end in a colon too.
      for line in text.split(separator: "\n") where !line.contains("case ") {
        written.formUnion(line.matches(of: /key: "([a-z_]+)"/).map { String($0.1) })
        written.formUnion(line.matches(of: #/"([a-z_]+)": /#).map { String($0.1) })
      }
    }
    #expect(written.count > 100)
    #expect(written.subtracting(try document().names) == ["schema"])
  }

  @Test func everyCommandHasARow() throws {
    let rows = Set(try document().commands.keys)
    var commands = Set(TodoCommand.verbs.flatMap { name, verbs in [name] + verbs.map { "\(name) \($0)" } })
    // Other words for `todo`, `ls` and `users`, and what nobody types.
    let others: Set = [
      FirstWord.overviewName, "list", "users show", "complete-words", "completions",
    ]
    #expect(others.isSubset(of: commands))
    commands.subtract(others)
    #expect(commands.filter { command in !rows.contains { $0 == command || $0.hasPrefix(command + " ") } } == [])
  }

  @Test func aPageThatIsWrongIsNotTrue() throws {
    let page = """
      # A page

      ## Commands

      | command | members |
      | `a` | `b`, `c` [*d*] (some) |

      ## Objects

      | object | members |
      | *d* | `e` |
      """
    func mismatches(_ object: [String: Any]) throws -> Int {
      let document = try JSONDocument(text: page)
      var reading = JSONReading(document)
      reading.read(object, as: try #require(document.commands["a"]))
      return reading.mismatches.count
    }
    #expect(try mismatches(["b": 1, "c": [["e": 1]]]) == 0)
    #expect(try mismatches(["b": 1]) == 1)
    #expect(try mismatches(["b": 1, "c": [["e": 1]], "x": 1]) == 1)
    #expect(try mismatches(["b": 1, "c": [["x": 1]]]) == 2)
    #expect(try mismatches(["b": 1, "c": 1]) == 1)
    #expect(try mismatches(["b": [["x": 1]], "c": []]) == 1)
    #expect(throws: JSONDocument.Unreadable.self) { try JSONDocument(text: page.replacing("`b`", with: "b")) }
  }

  /// What the story's commands print, with the row of each.
  private static func printed() async throws -> [(row: String, line: String)] {
    try await onThread {
      let stage = try Stage()
      defer { try? stage.clear() }
      let page = try JSONStory.page
      return try zip(page.steps, stage.play(page)).flatMap { step, outcome -> [(row: String, line: String)] in
        guard let mark = step.command.range(of: " # ", options: .backwards) else { return [] }
        let row = String(step.command[mark.upperBound...])
        // A command whose exit status says something prints an error beside what it was asked for.
        let isError = row == "what went wrong"
        let lines = outcome.lines.filter { $0.hasPrefix("{") && $0.contains("\"error\":{") == isError }
        if lines.isEmpty { Issue.record("nothing printed: \(step.command)") }
        return lines.map { (row, $0) }
      }
    }
  }
}
