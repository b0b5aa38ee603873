import Foundation
import Testing

@Suite struct TreeTests {
  @Test func nothingThatABuildMadeIsKept() {
    for path in Repository.files {
      let parts = path.split(separator: "/")
      #expect(!parts.contains { [".build", ".swiftpm", "Package.resolved", "__pycache__"].contains($0) }, "\(path)")
    }
  }

  @Test func nothingNamesAFolderOfTheMachineItWasWrittenOn() throws {
    // Put together here, or this file would be found.
    let folders = ["root", "work", "home", "Users"].map { "/\($0)/" }
    for path in Repository.files where !path.hasPrefix("Tests/Vectors/") || path.hasSuffix(".py") {
      for (number, line) in try Repository.lines(of: path).enumerated() {
        for folder in folders where line.contains(folder) {
          Issue.record("\(path):\(number + 1) names \(folder)")
        }
      }
    }
  }

  @Test func linksBetweenPagesLeadSomewhere() throws {
    let link = /\]\(([^)#\s]+)[^)]*\)/
    for path in Repository.files where path.hasSuffix(".md") {
      let folder = Repository.root.appending(path: path).deletingLastPathComponent()
      for (number, line) in try Repository.lines(of: path).enumerated() {
        for target in line.matches(of: link).map({ String($0.1) }) where !target.contains(":") {
          let exists = FileManager.default.fileExists(atPath: folder.appending(path: target).path)
          #expect(exists, "\(path):\(number + 1) links to \(target)")
        }
      }
    }
  }
}
