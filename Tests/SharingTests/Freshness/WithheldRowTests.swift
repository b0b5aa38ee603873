import CloudAPI
import CloudServer
import Foundation
import Lies
import Sharing
import Signing
import TestSupport
import Testing
import TodoCore

@testable import Treesystem

/// What a server keeps back is deleted by nobody, and written over by nobody: its author would take it for seen.
@Suite struct WithheldRowTests {
  private enum Deed {
    case delete, move, edit
  }

  /// Of what is kept back, all or what it holds.
  private enum Part {
    case row, content
  }

  private let alice: Device
  private let bob: Device
  private let world: World

  init() async throws {
    (alice, bob, world) = try await sharedList(seed: "withheld row")
    try bob.add("Ideas")
    try await settle(bob)
  }

  @Test(arguments: [(Deed.delete, Part.row), (.move, .row), (.edit, .row), (.edit, .content)])
  private func whatWasNotShownOfATodoOutlivesWhatIsDoneToIt(_ deed: Deed, _ part: Part) async throws {
    let milk = try alice.todo("Milk")
    try alice.database.write { _ = try $0.setNote(try Note("half fat"), of: milk) }
    try await expectWaiting(deed, part)
    let title = deed == .edit ? "Oat milk" : "Milk"
    #expect(try bob.titles(deed == .move ? "Ideas" : "Groceries") == [title])
    let bobs = try bob.todo(title)
    #expect(try bob.database.read { try $0.notes(of: bobs) } == ["half fat"])
  }

  /// It hangs below what goes, and only its row says so.
  @Test(arguments: [Deed.delete, .move])
  private func aCommentThatWasNotShownOutlivesWhatIsDoneToItsTodo(_ deed: Deed) async throws {
    let milk = try alice.todo("Milk")
    _ = try alice.database.write { try $0.addComment(Note("half fat"), to: milk) }
    try await expectWaiting(deed, .row)
    #expect(try bob.titles(deed == .move ? "Ideas" : "Groceries") == ["Milk"])
    let bobs = try bob.todo("Milk")
    #expect(try bob.database.read { try $0.comments(of: bobs).map(\.text) } == ["half fat"])
  }

  /// Does it on bob's device while alice's last line comes without its row, or with other bytes in it, and lets the server be honest afterwards.
  private func expectWaiting(_ deed: Deed, _ part: Part) async throws {
    let groceries = try alice.branch("Groceries")
    let before = try #require(try world.storage.read { try $0.head(of: groceries) }).line
    try await settle(alice)
    bob.transport.setTamper { request, response in
      if part == .content, request.path.hasPrefix("/v1/contents/") { return .refusing(.notFound, status: 404) }
      return Lie(branch: groceries).page(response, to: request) { page in
        switch part {
        case .row: page.rows.removeAll { $0.line > before }
        case .content:
          for row in page.rows.indices where page.rows[row].line > before {
            for content in page.rows[row].contents.indices { page.rows[row].contents[content].ciphertext[0] ^= 1 }
          }
        }
      }
    }
    try await bob.sync()
    #expect(try bob.quarantine().map(\.reason) == [part == .row ? .rowMissing : .contentMismatch])
    try act(deed)
    try await bob.sync()
    let kind: QueuedOperation.Kind = deed == .edit ? .put : .delete
    let operation = try #require(try bob.database.read { try $0.operations() }.first { $0.kind == kind })
    #expect(try bob.database.read { try $0.obstacle(to: operation) } == .contentMissing)
    try await settle(alice)
    #expect(try alice.titles("Groceries") == ["Milk"])
    bob.transport.setTamper { _, response in response }
    try await settle(bob, alice, bob)
    for device in [alice, bob] {
      #expect(try device.unsent() == 0 && device.quarantine().isEmpty)
    }
  }

  private func act(_ deed: Deed) throws {
    let milk = try bob.todo("Milk")
    try bob.database.write { transaction in
      switch deed {
      case .delete: try transaction.delete(milk.node)
      case .move:
        let ideas = try #require(transaction.lists().first { $0.name == "Ideas" })
        _ = try transaction.moveTodo(milk, to: ideas.node)
      case .edit: _ = try transaction.setTitle(Title("Oat milk"), of: milk)
      }
    }
  }
}
