import CloudAPI
import Sharing
import Signing
import TestSupport
import Testing
import Treesystem

@testable import TodoCore

/// Whoever copies a list signs all of it anew, and says nothing for it that they never said.
@Suite struct CopiedWordsTests {
  /// A comment names alice as its writer, or somebody else, or nobody, and does not prove it.
  @Test(arguments: ["alice", "carol", ""]) func whatNobodyProvedIsItsSigners(_ named: String) async throws {
    let (alice, bob, _) = try await sharedList(seed: "copied words")
    let (me, forger) = (try alice.user(), try bob.user())
    _ = try bob.database.write { transaction in
      let list = try #require(try transaction.lists().first)
      let milk = try #require(try transaction.todos(in: list.node, .open).first)
      let comment = try transaction.addComment(Note("I will pay all of it"), to: milk)
      guard let stored = try transaction.document(of: comment.node, in: .todos) else { throw TreeError.noSuchNode }
      var forged = Document()
      for register in stored.document.registers where ![Field.writer, .words].map(\.rawValue).contains(register.field) {
        try forged.write(
          register.field, register.value, now: Int64(register.stamp.time), replica: register.stamp.replica)
      }
      let writers = ["alice": me.bytes, "carol": [UInt8](repeating: 7, count: UserID.length)]
      if let writer = writers[named] {
        try forged.write(Field.writer.rawValue, writer, now: transaction.clock.now(), replica: transaction.replica())
      }
      for note in stored.document.elements {
        try forged.add(note.field, note.value, now: transaction.clock.now(), replica: transaction.replica())
      }
      try transaction.store(
        VersionedDocument(forged), of: TodoID(comment.id), node: comment.node, list: list.node, confirmed: 0)
    }
    try await settle(bob, alice)
    let kept = try alice.database.write { transaction in
      try transaction.keepList(#require(try transaction.lists().first))
    }
    let comment = try alice.database.read { transaction in
      let milk = try #require(try transaction.todos(in: kept.node, .open).first)
      return try #require(try transaction.comments(of: milk).first)
    }
    #expect(comment.text == "I will pay all of it" && comment.writer == forger)
  }
}
