import Foundation

/// The page of planted defects: a table of those that show in honest worlds, and one of those that the laws about hostile members find.
struct MutantsPage {
  struct Finding {
    let seed: String
    let complaint: String
  }

  /// By law and defect, as the table has them.
  private var findings: [String: Finding] = [:]

  /// Reads the rows of a page, so that those that are not played again stay.
  init(reading path: String) {
    let text = (try? String(contentsOfFile: path, encoding: .utf8)) ?? ""
    for line in text.split(separator: "\n") where line.hasPrefix("| ") {
      let cells = line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
      guard cells.count >= 3 else { continue }
      findings[cells.dropLast(2).joined(separator: " ")] = Finding(
        seed: cells[cells.count - 2], complaint: cells[cells.count - 1])
    }
  }

  subscript(mutant: Mutant) -> Finding? {
    get { findings[mutant.cells.joined(separator: " ")] }
    set { findings[mutant.cells.joined(separator: " ")] = newValue }
  }

  var text: String {
    let (beside, honest) = (Mutant.all.filter { $0.law != nil }, Mutant.all.filter { $0.law == nil })
    return ([Self.head] + honest.map(row) + [Self.besideHead] + beside.map(row)).joined(separator: "\n") + "\n"
  }

  private func row(_ mutant: Mutant) -> String {
    let finding = self[mutant] ?? Finding(seed: "none", complaint: "")
    return "| \((mutant.cells + [finding.seed, finding.complaint]).joined(separator: " | ")) |"
  }

  private static let head = """
    # Planted defects

    `make sim-mutants` writes this page; `todo-sim mutants --only NAME` plays for the rows of some defects or laws again. Each defect is one line of the
    program behind a switch that only the simulation has; seeds are played from 1 on until an invariant breaks.

    | defect | first seed | what the invariant said |
    |---|---|---|
    """

  private static let besideHead = """

    ## Beside a hostile member

    Each law of the [worlds with a hostile member](simulation.md#a-member-with-a-changed-client) finds a defect: seeds are played from 1 on until
    that very law complains. Without the defect the same seed is good.

    | law | defect | first seed | what it said |
    |---|---|---|---|
    """
}
