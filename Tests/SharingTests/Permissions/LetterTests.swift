import CloudAPI
import Foundation
import Sharing
import Signing
import SwiftProtobuf
import TestSupport
import Testing
import TodoCore

@testable import Treesystem

/// What clients believe of somebody who has these letters and no others, whatever the server lets through (spec §3.6).
@Suite struct LetterTests {
  /// Something that mallory tries with the letters that alice has left them.
  struct Deed: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let letters: Letters
    let isAllowed: Bool
    let draft: @Sendable (Stage) async throws -> Draft

    init(
      _ testDescription: String, _ letters: Letters, isAllowed: Bool,
      _ draft: @escaping @Sendable (Stage) async throws -> Draft
    ) {
      self.testDescription = testDescription
      self.letters = letters
      self.isAllowed = isAllowed
      self.draft = draft
    }
  }

  private static func hand(_ stage: Stage) throws -> Hand { try Hand(stage.mallory, on: stage.branch) }

  /// A new todo, whole or without its data.
  private static func todo(
    _ stage: Stage, named name: String? = nil, below parent: String? = nil, withData: Bool = true,
    _ bend: (inout HeaderBody) -> Void = { _ in }
  ) throws -> Draft {
    let hand = try hand(stage)
    let name = name ?? Base32.encode(SystemEntropy().bytes(16))
    var sheet = try hand.todo(named: name, below: parent) { header in
      if !withData { header.contents.removeAll { $0.section != .metadata } }
      bend(&header)
    }
    if !withData { sheet.contents.removeLast() }
    return hand.sign(sheet)
  }

  private static func burn(_ stage: Stage, _ title: String, shown: Bool = true) throws -> Draft {
    let hand = try hand(stage)
    let (header, hash) = try hand.present(title)
    let record = try stage.mallory.database.read { transaction in
      try transaction.branch(stage.branch).flatMap { try transaction.headerRecord(of: header.cloudID, in: $0) }
    }
    return hand.delete(header, after: hash) { if shown { $0.burned = record } }
  }

  static let deeds: [Deed] = [
    Deed("W: a new todo", [.read, .writeOnce], isAllowed: true) { try todo($0) },
    Deed("W: a change", [.read, .writeOnce], isAllowed: false) { stage in
      let hand = try hand(stage)
      return hand.sign(try hand.next("Milk"))
    },
    Deed("W: a change of one's own", [.read, .writeOnce], isAllowed: false) { stage in
      let hand = try hand(stage)
      return hand.sign(try hand.next("Bread"))
    },
    Deed("W: a deletion", [.read, .writeOnce], isAllowed: false) { try burn($0, "Bread") },
    Deed("B: one's own", [.read, .burn], isAllowed: true) { try burn($0, "Bread") },
    Deed("B: another's", [.read, .burn], isAllowed: false) { try burn($0, "Milk") },
    Deed("B: one's own, not shown", [.read, .burn], isAllowed: false) { try burn($0, "Bread", shown: false) },
    Deed("B: a new todo", [.read, .burn], isAllowed: false) { try todo($0) },
    Deed("U: another node", [.read, .userOnly], isAllowed: false) { try todo($0) },
    Deed("R: a todo with data", [.read, .write, .recordsOnly], isAllowed: false) { try todo($0) },
    Deed("R: a todo without data", [.read, .write, .recordsOnly], isAllowed: true) { try todo($0, withData: false) },
    Deed("L: below the root", [.read, .write, .leavesOnly], isAllowed: true) { try todo($0) },
    Deed("L: below a todo", [.read, .write, .leavesOnly], isAllowed: false) { try todo($0, below: "Milk") },
    Deed("W and R: a todo with data", [.read, .writeOnce, .recordsOnly], isAllowed: false) { try todo($0) },
  ]

  private func stage(_ letters: Letters) async throws -> Stage {
    let stage = try await Stage()
    try stage.mallory.add("Groceries", "Bread")
    try await settle(stage.mallory, stage.alice)
    let mallory = try stage.mallory.database.read { try $0.requireAccount().user }
    try stage.alice.database.write { transaction in
      _ = try transaction.recursiveAddShareItem(
        ShareItem(letters: letters), forUserID: mallory, nodeID: transaction.lists()[0].node)
    }
    try await settle(stage.alice, stage.mallory)
    return stage
  }

  @Test(arguments: deeds) func serverAndClientsAgree(_ deed: Deed) async throws {
    let stage = try await stage(deed.letters)
    let draft = try await deed.draft(stage)
    #expect(try await stage.send(draft) == (deed.isAllowed ? "accepted" : "refused letter-missing"))
    if !deed.isAllowed { try stage.plant(draft) }
    try await stage.alice.sync()
    #expect(try stage.alice.quarantine().map(\.reason) == (deed.isAllowed ? [] : [.letterMissing]))
    #expect(try stage.alice.database.read { try $0.troubles().map(\.reason) } == [])
  }

  /// A reader who comes when the burned header is gone has only what the tombstone shows.
  @Test func whoComesLaterBelievesABurnedNodeIsGone() async throws {
    let stage = try await stage([.read, .burn])
    #expect(try await stage.send(try Self.burn(stage, "Bread")) == "accepted")
    let phone = try await stage.alice.second("phone", "alice", in: stage.world)
    try await settle(phone, stage.alice)
    #expect(try phone.titles("Groceries") == ["Eggs", "Milk"])
    #expect(try phone.quarantine().isEmpty)
    #expect(try stage.alice.titles("Groceries") == ["Eggs", "Milk"])
  }

  /// A server has called something of mallory's the line before, which nobody ever saw: its version does not fit there.
  @Test func aFirstHeaderThatNobodyTookBurnsNothing() async throws {
    let stage = try await stage([.read, .burn])
    let hand = try Self.hand(stage)
    var sheet = try hand.next("Milk") { header in
      header.version = 1
      header.previous = .zeros
    }
    sheet.header.contents = []
    let draft = hand.sign(sheet)
    try stage.plant(draft)
    sheet.header.version = 2
    try stage.plant(hand.delete(sheet.header, after: draft.record.hash) { $0.burned = draft.record })
    try await stage.alice.sync()
    #expect(try stage.alice.quarantine().map(\.reason) == [.letterMissing])
    #expect(try stage.alice.titles("Groceries").contains("Milk"))
  }

  /// What alice hung below it goes with nothing that mallory burns, also where the server lets it through.
  @Test func nothingOfOthersIsBurnedWithANode() async throws {
    let stage = try await stage([.read, .burn])
    let below = try Hand(stage.alice, on: stage.branch)
    #expect(try await stage.send(below.sign(try below.todo(below: "Bread", like: "Milk"))) == "accepted")
    try await settle(stage.mallory, stage.alice)
    let draft = try Self.burn(stage, "Bread")
    #expect(try await stage.send(draft) == "refused letter-missing")
    try stage.plant(draft)
    try await stage.alice.sync()
    #expect(try stage.alice.quarantine().map(\.reason) == [.letterMissing])
    #expect(try stage.alice.titles("Groceries").contains("Bread"))
  }

  @Test func ownNodesAreMadeAndChangedByTheirUsersOnly() async throws {
    let stage = try await stage([.read, .userOnly])
    let id = try stage.mallory.database.write { transaction in
      let root = try transaction.lists()[0].node
      return try transaction.createOwnNode(in: root).id
    }
    try await stage.mallory.sync()
    #expect(try stage.mallory.unsent() == 0)
    try stage.mallory.database.write { try $0.queueDataUpload(forNodeID: id) }
    try await settle(stage.mallory, stage.alice)
    #expect(try stage.mallory.unsent() == 0)
    let user = try Self.hand(stage).user
    let names = try stage.alice.database.read { transaction in
      try transaction.children(of: transaction.lists()[0].node).map(\.name)
    }
    #expect(names.contains(user.description))
    #expect(try stage.alice.quarantine().isEmpty)
  }

  /// The cloudID is the user's own, so the name has to be theirs as well.
  @Test func anOwnNodeBearsItsUsersName() async throws {
    let stage = try await stage([.read, .userOnly])
    let hand = try Self.hand(stage)
    let draft = hand.sign(try hand.ownTodo(named: "admin"))
    #expect(try await stage.send(draft) == "accepted", "the server does not know names")
    try await stage.alice.sync()
    #expect(try stage.alice.quarantine().map(\.reason) == [.nameTokenWrong])
  }

  @Test func theVerbThatDeletesBurnsWhereItMay() async throws {
    let stage = try await stage([.read, .burn])
    let bread = try stage.mallory.todo("Bread")
    try stage.mallory.database.write { try $0.delete(bread.node) }
    try await settle(stage.mallory, stage.alice)
    #expect(try stage.mallory.unsent() == 0)
    #expect(try stage.alice.titles("Groceries") == ["Eggs", "Milk"])
  }
}
