import CloudAPI
import Signing
import TestSupport
import Testing
import TodoCore
import Treesystem

/// What is wrong is refused with its own reason, by the server that stores it and by the client that reads it.
@Suite struct RefusalTests {
  private static let all =
    Forgery.headers + Forgery.nodes + Forgery.seals + Forgery.tombstones + Forgery.permissions

  @Test func whatIsWrittenByHandIsBelievedIfItIsRight() async throws {
    let stage = try await Stage()
    let hand = try Hand(stage.mallory, on: stage.branch)
    #expect(try await stage.send(hand.sign(try hand.todo())) == "accepted")
    try await stage.alice.sync()
    #expect(try stage.alice.quarantine().isEmpty)
    #expect(try stage.alice.titles("Groceries") == ["Eggs", "Milk", "Milk"])
    try await stage.mallory.sync()
    let again = try Hand(stage.mallory, on: stage.branch)
    #expect(try await stage.send(again.sign(try again.next("Eggs"))) == "accepted")
    try await stage.alice.sync()
    let owner = try Hand(stage.alice, on: stage.branch)
    #expect(try await stage.send(owner.permit { _ in }) == "accepted")
    let report = try await stage.mallory.sync()
    #expect(report.troubles.isEmpty)
    let last = try Hand(stage.mallory, on: stage.branch)
    let (eggs, hash) = try last.present("Eggs")
    #expect(try await stage.send(last.delete(eggs, after: hash)) == "accepted")
    try await stage.alice.sync()
    #expect(try stage.alice.titles("Groceries") == ["Milk", "Milk"])
    #expect(try stage.alice.quarantine().isEmpty)
  }

  @Test(arguments: all.filter { $0.server != nil })
  func theServerRefuses(_ forgery: Forgery) async throws {
    let stage = try await Stage()
    let draft = try await forgery.forge(stage)
    #expect(try await stage.send(draft) == forgery.server)
    guard forgery.server != "accepted" else { return }
    // Nothing of it is there, and the list goes on.
    try stage.mallory.add("Groceries", "Bread")
    try await settle(stage.mallory, stage.alice)
    #expect(try stage.alice.titles("Groceries") == (["Bread", "Eggs", "Milk"] + forgery.extra).sorted())
    #expect(try stage.alice.quarantine().isEmpty)
  }

  @Test(arguments: all)
  func aClientRefusesFromALyingServer(_ forgery: Forgery) async throws {
    let stage = try await Stage()
    let draft = try await forgery.forge(stage)
    try stage.alice.add("Groceries", "Salt")
    if draft.kind == .permissions {
      try await stopsTheBranch(stage, draft, forgery.client)
    } else if forgery.tellsOfAFork {
      try await isWitnessed(stage, draft)
    } else {
      try await putsIntoQuarantine(stage, draft, forgery)
    }
  }

  /// Any member's bad record is kept apart, and everything after it is read.
  private func putsIntoQuarantine(_ stage: Stage, _ draft: Draft, _ forgery: Forgery) async throws {
    for reader in [stage.alice, stage.carol] { try await reader.sync() }
    try stage.plant(draft)
    try stage.alice.edit("Salt", to: "Sea salt")
    let report = try await stage.alice.sync()
    #expect(report.troubles.isEmpty)
    #expect(try stage.alice.quarantine().map(\.reason) == (forgery.isPutAgain ? [] : [forgery.client]))
    #expect(try stage.alice.quarantine().map(\.cloudID) == (forgery.isPutAgain ? [] : [draft.node]))
    #expect(try stage.alice.titles("Groceries") == (["Eggs", "Milk", "Sea salt"] + forgery.extra).sorted())
    if forgery.endsTheList { return }
    #expect(report.unsent == 0)
    try await stage.mallory.sync()
    try stage.mallory.add("Groceries", "Bread")
    try await stage.mallory.sync()
    try await stage.alice.sync()
    try stage.alice.tick("Bread")
    try await settle(stage.alice, stage.carol)
    let expected = (["Eggs", "Milk", "Sea salt", "✓ Bread"] + forgery.extra).sorted()
    #expect(try stage.alice.titles("Groceries") == expected)
    #expect(try stage.carol.titles("Groceries") == expected)
    #expect(try stage.alice.quarantine().count == (forgery.isPutAgain ? 0 : 1))
  }

  /// A member's word for another log stops the branch, and no other, until the reader decides; then the record is kept apart.
  private func isWitnessed(_ stage: Stage, _ draft: Draft) async throws {
    try await stage.alice.sync()
    try stage.plant(draft)
    try stage.alice.add("Work", "Mail")
    for _ in 0..<2 { #expect(try await stage.alice.sync().troubles == [stage.branch: .fork]) }
    #expect(try stage.alice.quarantine().isEmpty)
    #expect(try stage.alice.unsent() == 0)
    let findings = try stage.alice.database.read { try $0.findings() }
    #expect(findings.map(\.toldBy?.user) == [try Hand(stage.mallory, on: stage.branch).user])
    try stage.alice.database.write { for finding in findings { try $0.forgetFinding(finding.number) } }
    #expect(try await stage.alice.sync().troubles.isEmpty)
    #expect(try stage.alice.quarantine().map(\.cloudID) == [draft.node])
    #expect(try stage.alice.database.read { try $0.findings() }.isEmpty)
  }

  /// A bad permissions record stops its branch, and no other, for as long as the server insists on it.
  private func stopsTheBranch(_ stage: Stage, _ draft: Draft, _ reason: Refusal) async throws {
    stage.pretend(draft)
    try stage.alice.add("Work", "Mail")
    let report = try await stage.alice.sync()
    #expect(report.troubles == [stage.branch: reason])
    #expect(report.unsent == 0)
    #expect(try stage.alice.quarantine().isEmpty)
    #expect(try stage.alice.titles("Groceries") == ["Eggs", "Milk", "Salt"])
    #expect(try stage.alice.titles("Work") == ["Mail"])
    stage.alice.transport.setTamper { _, response in response }
    try stage.mallory.add("Groceries", "Bread")
    try await stage.mallory.sync()
    #expect(try await stage.alice.sync().troubles.isEmpty)
    #expect(try stage.alice.titles("Groceries") == ["Bread", "Eggs", "Milk", "Salt"])
    try await stage.carol.sync()
    #expect(try stage.carol.titles("Groceries") == ["Bread", "Eggs", "Milk", "Salt"])
  }
}
