import CloudAPI
import Sharing
import Signing
import TestSupport
import Testing
import TodoCore
import Treesystem

/// A viewer whose deletion the server refused sees what others write there, and gets back what it took by giving it up.
@Suite struct RefusedDeletionTests {
  enum Next: String, CaseIterable { case edited, commented, deleted, nothing }

  @Test(arguments: [true, false], Next.allCases)
  func aRefusedDeletionHidesNothing(wasEditor: Bool, next: Next) async throws {
    let stage = try await Stage()
    let (alice, viewer) = (stage.alice, wasEditor ? stage.mallory : stage.carol)
    let milk = try viewer.todo("Milk")
    try viewer.database.write { try $0.delete(milk.node) }
    try await demote(stage, wasEditor)
    try await viewer.sync()
    #expect(try viewer.database.read { try $0.operations().map(\.reason) } == [.letterMissing])
    let theirs = try alice.todo("Milk")
    switch next {
    case .edited: try alice.edit("Milk", to: "Oat milk")
    case .commented: try alice.database.write { _ = try $0.addComment(Note("2 litres"), to: theirs) }
    case .deleted: try alice.database.write { try $0.delete(theirs.node) }
    case .nothing:
      try viewer.database.write { transaction in
        for operation in try transaction.operations() { try transaction.discardOperation(operation.sequence) }
      }
    }
    try await settle(alice, viewer)
    #expect(try viewer.titles("Groceries") == alice.titles("Groceries"))
    #expect(try viewer.quarantine().isEmpty && viewer.unsent() == 0)
    if next == .commented {
      let seen = try viewer.todo("Milk")
      #expect(try viewer.database.read { try $0.comments(of: seen).map(\.text) } == ["2 litres"])
    }
  }

  private func demote(_ stage: Stage, _ isMeant: Bool) async throws {
    guard isMeant else { return }
    try await stage.alice.share("Groceries", with: "mallory", role: .viewer)
    try await stage.alice.sync()
  }
}
