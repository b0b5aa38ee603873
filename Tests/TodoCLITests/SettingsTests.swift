import Foundation
import Testing

@testable import TodoCLI

/// `docs/settings.md` has every setting, with the default that it has.
@Suite struct SettingsTests {
  private struct Row: Hashable {
    let key: String
    let standard: String
  }

  @Test func everySettingIsDocumentedWithItsDefault() throws {
    let page = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent()
      .appending(path: "docs/settings.md")
    let lines = try String(contentsOf: page, encoding: .utf8).split(separator: "\n")
    let rows = lines.compactMap { line in
      line.firstMatch(of: /^\| `([a-z-]+)` \| `([^`]+)` \|/).map { Row(key: String($0.1), standard: String($0.2)) }
    }
    let standard = try Config()
    #expect(rows == Config.Key.allCases.map { Row(key: $0.rawValue, standard: standard[$0].encoded) })
  }

  @Test func aPagerIsWhatTheEnvironmentTheSettingOrTheMachineSays() {
    func command(_ setting: String, _ environment: [String: String] = [:]) -> String? {
      Pager(setting) { environment[$0] }?.command
    }
    #expect(command("auto") == "less")
    #expect(command("auto", ["PAGER": "more"]) == "more")
    #expect(command("auto", ["PAGER": ""]) == "less")
    #expect(command("less -R", ["PAGER": "more"]) == "less -R")
    #expect(command("less -R", ["TODO_PAGER": "most"]) == "most")
    #expect(command("") == nil)
    #expect(command("auto", ["PAGER": "cat"]) == nil)
  }
}
