import Foundation
import Testing

/// The man pages say what the programs say.
@Suite struct ManPageTests {
  private static let repository = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent()

  @Test func theManPagesAreFresh() async throws {
    try await onThread {
      let stage = try Stage()
      defer { try? stage.clear() }
      let folder = stage.folder.appending(path: "man")
      let words =
        [Self.repository.appending(path: "scripts/man").path]
        + ["todo", "todo-server"].map {
          Samples.programs.appending(path: $0).path
        } + [folder.path]
      let program = try Program(words.map { "'\($0)'" }.joined(separator: " "), as: "somebody", in: stage.folder)
      #expect(program.exit == 0)
      let fresh = try Self.pages(in: folder)
      let kept = try Self.pages(in: Self.repository.appending(path: "man"))
      #expect(fresh.count > 40)
      #expect(fresh.keys.sorted() == kept.keys.sorted(), "make man writes them")
      for (name, text) in fresh { #expect(kept[name] == text, "man/\(name) is stale: make man") }
    }
  }

  private static func pages(in folder: URL) throws -> [String: String] {
    let files = try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
    return try Dictionary(
      uniqueKeysWithValues: files.map { ($0.lastPathComponent, try String(contentsOf: $0, encoding: .utf8)) })
  }
}
