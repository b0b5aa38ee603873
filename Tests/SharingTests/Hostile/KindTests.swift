import CloudAPI
import Foundation
import GRDB
import Signing
import TestSupport
import Testing

@testable import TodoCore
@testable import Treesystem

/// What a node is does not change: whoever had it before and whoever reads it for the first time show the same.
@Suite struct KindTests {
  /// How an editor makes something else of a todo.
  enum Change: String, CaseIterable {
    case commented, listed, renamed, renamedAndCommented
  }

  @Test(arguments: Change.allCases)
  func aTodoStaysATodoForOldAndNewDevices(_ change: Change) async throws {
    let stage = try await Stage()
    try change.make(of: "Milk", on: stage.mallory)
    try await stage.mallory.sync()
    try await settle(stage.alice, stage.carol)
    let tablet = try await stage.alice.second("tablet", "alice", in: stage.world)
    try await settle(stage.alice, tablet, stage.carol)
    for device in [stage.alice, tablet, stage.carol] {
      #expect(try device.titles("Groceries") == ["Eggs", "Milk"])
      #expect(try device.quarantine().isEmpty)
      #expect(try device.unsent() == 0)
    }
    #expect(try stage.alice.ids() == tablet.ids())
  }

  /// Nor does one that is about to leave, and has something that is brought back: it would be stored under the name that it was given.
  @Test func aTodoThatLeavesStaysATodo() async throws {
    let stage = try await Stage()
    try stage.alice.add("Secret", "Plans")
    try await stage.alice.sync()
    let tooFar = 48 * 3_600_000 as Int64
    stage.world.clock.advance(tooFar)
    try stage.alice.edit("Milk", to: "Oat milk")
    stage.world.clock.advance(-tooFar)
    try stage.alice.move("Oat milk", to: "Secret")
    try Change.renamed.make(of: "Milk", on: stage.mallory)
    try await stage.mallory.sync()
    try await settle(stage.alice, stage.mallory)
    let tablet = try await stage.alice.second("tablet", "alice", in: stage.world)
    for device in [stage.alice, tablet] {
      #expect(try device.titles("Secret") == ["Oat milk", "Plans"])
      #expect(try device.unsent() == 0)
    }
  }

  @Test func aCommentStaysAComment() async throws {
    let stage = try await Stage()
    let milk = try stage.alice.todo("Milk")
    try stage.alice.database.write { _ = try $0.addComment(try Note("2 litres"), to: milk) }
    try await settle(stage.alice, stage.mallory)
    try stage.mallory.database.write { transaction in
      let comment = try #require(try transaction.comments(of: stage.mallory.todo("Milk", transaction)).first)
      try transaction.write([(.kind, "todo"), (.title, "Buy mallory a car")], at: comment.node)
    }
    try await settle(stage.mallory, stage.alice)
    let tablet = try await stage.alice.second("tablet", "alice", in: stage.world)
    for device in [stage.alice, tablet] {
      #expect(try device.titles("Groceries") == ["Eggs", "Milk"])
      let said = try device.database.read { try $0.comments(of: device.todo("Milk", $0)).map(\.text) }
      #expect(said == ["2 litres"])
    }
  }

  /// What a pointer leads to is known to some of its readers: they show what hangs below it where it was, as all others do.
  @Test(arguments: [true, false]) func nothingHangsBelowAPointer(isKnown: Bool) async throws {
    let stage = try await Stage()
    // A list that alice reads as one with another first record, or that only mallory has.
    try stage.mallory.add("Plans", "Rob a bank")
    if isKnown { try await stage.mallory.share("Plans", with: "alice") }
    try await settle(stage.mallory, stage.alice)
    if isKnown { try stage.alice.accept() }
    try await settle(stage.alice, stage.carol)
    try stage.mallory.database.write { transaction in
      let plans = try #require(try transaction.lists().first { $0.name == "Plans" })
      let place = try #require(try transaction.lists().first { $0.name == "Groceries" })
      let door = try transaction.addTodos([Title("a door")], to: place.node)[0]
      let milk = try stage.mallory.todo("Milk", transaction)
      let known = try transaction.db.cachedStatement(sql: "UPDATE nodes SET pointer = ? WHERE id = ?")
      try known.execute(arguments: [plans.branch, door.node])
      let hang = try transaction.db.cachedStatement(sql: "UPDATE nodes SET parent = ?, placed = 1 WHERE id = ?")
      try hang.execute(arguments: [door.node, milk.node])
      try transaction.queueDataUpload(forNodeID: milk.node)
    }
    try await stage.mallory.sync()
    try await settle(stage.alice, stage.carol)
    let tablet = try await stage.alice.second("tablet", "alice", in: stage.world)
    try await settle(stage.alice, tablet, stage.carol)
    for device in [stage.alice, tablet, stage.carol] {
      #expect(try device.titles("Groceries") == ["Eggs", "Milk"])
      #expect(try device.unsent() == 0)
    }
    #expect(try stage.alice.ids() == tablet.ids())
  }

  /// A list is what hangs at a pointer, whatever its document says.
  @Test func aListStaysAList() async throws {
    let stage = try await Stage()
    try stage.mallory.database.write { transaction in
      let list = try #require(try transaction.lists().first { $0.name == "Groceries" })
      var content = try #require(try transaction.document(of: list.node, in: .lists))
      let replica = try transaction.replica()
      try content.change { document throws(DocumentError) in
        try document.write(.kind, Array("comment".utf8), now: 1, replica: replica)
      }
      try transaction.store(content, ofList: list.node)
      try transaction.queueDataUpload(forNodeID: list.node)
    }
    try await settle(stage.mallory, stage.alice)
    let tablet = try await stage.alice.second("tablet", "alice", in: stage.world)
    for device in [stage.alice, tablet] { #expect(try device.titles("Groceries") == ["Eggs", "Milk"]) }
  }
}

extension KindTests.Change {
  func make(of title: String, on device: Device) throws {
    try device.database.write { transaction in
      let node = try device.todo(title, transaction).node
      switch self {
      case .commented: try transaction.write([(.kind, "comment")], at: node)
      case .listed: try transaction.write([(.kind, "list")], at: node)
      case .renamed: try transaction.rename(node)
      case .renamedAndCommented:
        try transaction.write([(.kind, "comment")], at: node)
        try transaction.rename(node)
      }
    }
  }
}

extension CloudTransaction {
  /// Writes into a document as a changed client can.
  fileprivate func write(_ values: [(Field, String)], at node: NodeID) throws {
    guard var content = try document(of: node, in: .todos), let place = try self.node(node) else {
      throw TreeError.noSuchNode
    }
    let (now, replica) = (clock.now(), try replica())
    for (field, value) in values {
      try content.change { document throws(DocumentError) in
        try document.write(field, Array(value.utf8), now: now, replica: replica)
      }
    }
    try replaceContent(content, of: node, in: .todos)
    try queueDataUpload(forNodeID: place.id)
  }

  /// Gives a node a name such as comments have.
  fileprivate func rename(_ node: NodeID) throws {
    let name = try db.cachedStatement(sql: "UPDATE nodes SET name = ? WHERE id = ?")
    try name.execute(arguments: [CloudID.random(entropy).description, node])
    try queueDataUpload(forNodeID: node)
  }
}

extension Device {
  /// The ids of the open todos of a list.
  fileprivate func ids() throws -> [String] {
    try database.read { transaction in
      let list = try transaction.lists().first { $0.name == "Groceries" }
      return try list.map { try transaction.todos(in: $0.node, .open).map(\.id.text).sorted() } ?? []
    }
  }
}
