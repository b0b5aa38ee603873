import Foundation

/// Which module may import which, as `docs/ARCHITECTURE.md` says it.
struct ImportTable {
  /// By module: our modules that it may import.
  private(set) var ours: [String: Set<String>] = [:]
  /// By module: modules of others.
  private(set) var thirdParty: [String: Set<String>] = [:]

  /// What comes with Swift and the system, and is free to all.
  static let system: Set = ["Dispatch", "Foundation", "FoundationEssentials", "Glibc", "Musl", "Synchronization"]

  /// Reads the table under `| module | imports (ours) | third party |`.
  init(page: String) throws {
    let rows = try Repository.lines(of: page).map(Self.cells)
    guard let heading = rows.firstIndex(of: ["module", "imports (ours)", "third party"]) else { return }
    for row in rows[heading...].dropFirst(2).prefix(while: { $0.count == 3 }) {
      ours[row[0]] = Self.names(row[1])
      thirdParty[row[0]] = Self.names(row[2])
    }
  }

  /// Everything of ours that a module reaches.
  func closure(of module: String) -> Set<String> {
    var reached: Set<String> = []
    var next = ours[module] ?? []
    while let name = next.popFirst() {
      if reached.insert(name).inserted { next.formUnion(ours[name] ?? []) }
    }
    return reached
  }

  private static func cells(_ line: String) -> [String] {
    guard line.hasPrefix("|") else { return [] }
    return line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces.union(["`"])) }
  }

  private static func names(_ cell: String) -> Set<String> {
    Set(cell.split { $0 == "," || $0 == " " || $0 == "`" || $0 == "–" }.map(String.init))
  }
}
