import Foundation
import Testing

/// The table in `docs/ARCHITECTURE.md` is the only one: code and `Package.swift` have to agree with it.
@Suite struct LayeringTests {
  private let table: ImportTable

  init() throws {
    table = try ImportTable(page: "docs/ARCHITECTURE.md")
    try #require(!table.ours.isEmpty, "docs/ARCHITECTURE.md has no import table")
  }

  @Test func everyModuleImportsWhatTheTableAllows() throws {
    var seen: Set<String> = []
    for path in Repository.files where path.hasPrefix("Sources/") && path.hasSuffix(".swift") {
      let module = String(path.split(separator: "/")[1])
      seen.insert(module)
      guard let ours = table.ours[module], let thirdParty = table.thirdParty[module] else { continue }
      let allowed = ours.union(thirdParty).union(ImportTable.system)
      for name in try imports(of: path) where !allowed.contains(name) {
        Issue.record("\(path): \(module) may not import \(name)")
      }
    }
    #expect(seen.subtracting(table.ours.keys) == [], "modules that are not in the table")
  }

  @Test func packageDependsOnWhatTheTableSays() throws {
    for target in try Manifest.read().targets where target.type != "test" && target.type != "system" {
      let names = Set(target.dependencies.map(\.name))
      let expected = table.ours[target.name, default: []].union(table.thirdParty[target.name, default: []])
      #expect(names.subtracting(expected) == [], "\(target.name) depends on more than the table says")
      #expect(expected.subtracting(names) == [], "\(target.name) depends on less than the table says")
    }
  }

  @Test func importsPointDown() {
    for module in table.ours.keys {
      #expect(!table.closure(of: module).contains(module), "\(module) reaches itself")
    }
  }

  @Test(arguments: ["CloudServer", "TodoServer"])
  func serverCannotReachSealing(module: String) {
    #expect(table.ours[module] != nil)
    #expect(!table.closure(of: module).contains("Sealing"))
  }

  /// They show what another app needs, and how little of its own that is.
  @Test func samplesAreSmallAndImportNothingButTheFramework() throws {
    let allowed = ImportTable.system.union(["Treesystem", "Sharing", "CloudAPI", "Sealing", "Signing", "CloudServer"])
    var lines: [String: Int] = [:]
    for path in Repository.swiftFiles(in: "samples") where !path.hasSuffix("/Package.swift") {
      lines[String(path.split(separator: "/")[1]), default: 0] += try Repository.lines(of: path).count
      for name in try imports(of: path) where !allowed.contains(name) {
        Issue.record("\(path): a sample may not import \(name)")
      }
    }
    #expect(lines.count == 2 && lines.values.allSatisfy { $0 < 400 }, "\(lines)")
  }

  /// No shipped program makes a mistake on purpose, or goes without a check.
  @Test func onlyTheSimulationAndTestsPlantDefects() throws {
    let definitions = ["Sources/Signing/Defect.swift", "Sources/Signing/Defence.swift"]
    for path in Repository.swiftFiles(in: "Sources")
    where !path.hasPrefix("Sources/Simulator/") && !definitions.contains(path) {
      for (number, line) in try Repository.lines(of: path).enumerated() {
        let plants = line.contains("Defect.plant(") || line.contains("Defence.takeDown(")
        #expect(!plants, "\(path):\(number + 1) plants a defect")
      }
    }
  }

  private func imports(of path: String) throws -> [String] {
    let line =
      /\s*(?:@\w+\s+)?(?:(?:public|package|internal|fileprivate|private)\s+)?import\s+(?:(?:struct|class|enum|protocol|func|var|let|typealias)\s+)?(\w+).*/
    return try Repository.lines(of: path).compactMap { try line.wholeMatch(in: $0).map { String($0.1) } }
  }
}
