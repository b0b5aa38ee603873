import ArgumentParser
import Simulator

/// Plays seeds under a planted defect until one finds it.
struct Hunt {
  let defect: String
  let first: UInt64
  let seeds: UInt64
  var kind = WorldKind.honest
  /// The law that has to find it; nil: any.
  var law: String?
  /// Whether it goes on after the first seed, and tells which laws find it where.
  var isThorough = false

  func run() throws {
    let simulation = try Simulation(kind)
    for seed in first..<first + seeds {
      guard simulation.plant(defect) else { throw ValidationError("there is no defect '\(defect)'") }
      let complaints = simulation.run(seed).failures.filter { complaint in
        law.map { MemberLaw.laws(of: complaint).contains($0) } ?? true
      }
      guard !complaints.isEmpty else { continue }
      simulation.heal()
      // What fails without the defect shows nothing about it.
      guard simulation.run(seed).failures.isEmpty else { continue }
      for complaint in isThorough ? complaints : Array(complaints.prefix(1)) {
        let line = complaint.split(separator: "\n")[0].filter { !"|\t".contains($0) }
        let laws = isThorough ? "\t\(MemberLaw.laws(of: complaint).joined(separator: " "))" : ""
        print("\(seed)\(laws)\t\(line)")
      }
      if !isThorough { return }
    }
  }
}
