import Foundation
import Testing

@Suite struct WordTests {
  /// Names that are not ours to choose.
  private static let names = ["FileManager"]
  /// Files that may say these words: this one has to.
  private static let files = ["Tests/ProjectTests/WordTests.swift"]

  @Test(arguments: ["Manager", "Helper", "Utils"])
  func noNameSaysNothing(word: String) throws {
    try forbid(word, "says nothing about what it does")
  }

  @Test(arguments: ["try!", "fatalError"])
  func nothingStopsTheProgram(word: String) throws {
    try forbid(word, "stops the program; throw, or make the case impossible")
  }

  @Test(arguments: ["TODO:", "FIXME", "XXX"])
  func nothingIsLeftForLater(word: String) throws {
    try forbid(word, "is a promise; keep it, or leave it out")
  }

  private func forbid(_ word: String, _ complaint: String) throws {
    for path in Repository.swiftFiles(in: "Sources", "Tests", "samples") where !Self.files.contains(path) {
      for (number, line) in try Repository.lines(of: path).enumerated() where line.contains(word) {
        let rest = Self.names.reduce(line) { $0.replacingOccurrences(of: $1, with: "") }
        if rest.contains(word) { Issue.record("\(path):\(number + 1): '\(word)' \(complaint)") }
      }
    }
  }
}
