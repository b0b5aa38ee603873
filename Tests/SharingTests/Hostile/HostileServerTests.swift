import CloudAPI
import Foundation
import Lies
import Signing
import TestSupport
import Testing
import Treesystem

/// A server that lies in every way that has a name here: each lie is detected with its own reason, or harmless.
@Suite struct HostileServerTests {
  @Test(arguments: Operator.played)
  func isDetectedOrHarmless(_ hostile: HostileCase) async throws {
    let scene = try await Scene()
    try await hostile.lie.play(scene, hostile.record)
    let victim = try scene.victim
    let before = try Facts(of: victim)
    let truth = try await scene.findTruth()
    scene.server.begin(on: victim.transport)
    let complaints = try await scene.meet()
    #expect(scene.server.fired.with { $0 } > 0, "the lie never reached the victim")
    #expect(complaints == Set([hostile.end.complaint].compactMap { $0 }))
    let shown = try Facts(of: victim)
    #expect(shown.beyond(before, truth).filter { !scene.foreseen($0) } == [], "something false is believed")
    switch hostile.end.during {
    case .before: #expect(shown.shown == before.shown)
    case .honest: #expect(shown.shown == truth.shown)
    case .between: break
    }
    try await scene.check?(scene)
    scene.server.turnHonest(on: victim.transport)
    try await afterwards(scene, hostile.end, before, truth)
  }

  private func afterwards(_ scene: Scene, _ end: Ending, _ before: Facts, _ truth: Facts) async throws {
    if end.after == .recovers { _ = try await scene.meet() }
    if let mend = scene.mend { try await mend(scene) }
    let left = try await scene.meet()
    let shown = try Facts(of: scene.victim)
    switch end.after {
    case .recovers:
      #expect(left == [])
      #expect(shown.shown == truth.shown)
      #expect(try scene.victim.unsent() == 0)
    case .mends: #expect(left == [])
    case .reports:
      #expect(left == Set([end.complaint].compactMap { $0 }))
      if scene.mend == nil { #expect(shown.shown == truth.shown) }
    case .isDenied: #expect(left == [.stops(.branchDenied)])
    case .forks:
      #expect(left.contains(.stops(.fork)))
      #expect(shown.beyond(before, truth) == [])
    }
  }

  @Test func operatorsHaveNamesOfTheirOwn() {
    let names = Operator.all.map(\.name)
    #expect(names.count >= 50)
    #expect(Set(names).count == names.count)
    for record in RecordKind.allCases {
      #expect(Operator.cases.contains { $0.record == record }, "nothing tampers with \(record.rawValue)")
    }
  }

  @Test func everyDefenceHasAnOperator() {
    let met = Set(Operator.all.compactMap(\.defence))
    for defence in Defence.allCases { #expect(met.contains(defence), "nothing meets \(defence.rawValue)") }
  }

  /// `make hostile-mutants` writes it.
  @Test func thePageHasEveryOperator() throws {
    let root = URL(fileURLWithPath: #filePath).appendingPathComponent("../../../..").standardized
    let page = try String(contentsOf: root.appendingPathComponent("docs/hostile-server.md"), encoding: .utf8)
    let lines = Set(page.split(separator: "\n").map(String.init))
    for hostile in Operator.cases { #expect(lines.contains("| \(hostile.row.joined(separator: " | ")) |")) }
    for defence in Defence.allCases { #expect(page.contains("\n| \(defence.rawValue) | ")) }
  }

  /// Tells `scripts/hostile-mutants` what there is, where it asks.
  @Test(.enabled(if: ProcessInfo.processInfo.environment["HOSTILE_ROWS"] != nil))
  func rowsAreWritten() throws {
    let path = try #require(ProcessInfo.processInfo.environment["HOSTILE_ROWS"])
    let cases = Operator.cases.map { hostile in
      let row = hostile.row
      return (["case"] + row.prefix(2) + [hostile.lie.defence?.rawValue ?? ""] + row.dropFirst(2)).joined(
        separator: "\t")
    }
    let defences = Defence.allCases.map { "defence\t\($0.rawValue)" }
    try (cases + defences).joined(separator: "\n").write(toFile: path, atomically: true, encoding: .utf8)
  }
}
