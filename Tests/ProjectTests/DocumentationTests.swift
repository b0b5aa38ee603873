import Foundation
import Testing

/// The framework's documentation: what is said of its symbols, and the articles beside its sources.
@Suite struct DocumentationTests {
  @Test func everyPublicSymbolIsDocumentedAndEveryLinkLeadsSomewhere() throws {
    let programs = (Bundle.main.executableURL ?? URL(filePath: CommandLine.arguments[0])).deletingLastPathComponent()
    let pages = FileManager.default.temporaryDirectory.appending(path: "docs-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: pages) }
    let docs = try Subprocess.run("scripts/docs", programs.path, pages.path)
    #expect(docs.status == 0, "\(docs.output)\(docs.errors)")
  }

  @Test func whatArticlesShowIsWhatTestsRun() throws {
    let tests = try Repository.swiftFiles(in: "Tests/GuideTests").map { try Repository.lines(of: $0) }
    let articles = Repository.files.filter { $0.contains(".docc/") && $0.hasSuffix(".md") }
    var shown = 0
    for path in articles {
      for (number, snippet) in try snippets(of: path) {
        #expect(tests.contains { shows($0, snippet) }, "\(path):\(number): no test in Tests/GuideTests has this")
        shown += 1
      }
    }
    #expect(shown > 20, "the articles show nothing any more")
  }

  /// The Swift in an article, each with the number of its first line.
  private func snippets(of path: String) throws -> [(Int, [String])] {
    var snippets: [(Int, [String])] = []
    var open: (Int, [String])?
    for (number, line) in try Repository.lines(of: path).enumerated() {
      if line == "```swift" {
        open = (number + 2, [])
      } else if line == "```", let snippet = open {
        snippets.append(snippet)
        open = nil
      } else {
        open?.1.append(line)
      }
    }
    return snippets
  }

  /// Whether these lines stand in a file together, however far in.
  private func shows(_ file: [String], _ snippet: [String]) -> Bool {
    guard let first = snippet.first, !first.isEmpty else { return false }
    return file.indices.contains { start in
      guard file[start].hasSuffix(first), start + snippet.count <= file.count else { return false }
      let indent = file[start].dropLast(first.count)
      guard indent.allSatisfy({ $0 == " " }) else { return false }
      return zip(file[start...], snippet).allSatisfy { $0 == ($1.isEmpty ? "" : indent + $1) }
    }
  }
}
