import CloudAPI
import Foundation
import GRDB
import Signing
import TestSupport
import Testing
import Treesystem

@testable import TodoCore

/// Several todos of one name: whoever writes one names it as they like.
@Suite struct TwinTests {
  /// A todo on a list of one's own, and one with its id and title on another list.
  private func twins(_ profile: LocalProfile) throws -> (mine: Todo, twin: Todo) {
    try profile.database.write { transaction in
      let lists = try ["Mine", "Theirs"].map { try list($0, in: transaction) }
      let mine = try transaction.addTodos([Title("pay the plumber")], to: lists[0].node)[0]
      let twin = try transaction.addTodo(
        NewTodo(Title("pay the plumber")), id: mine.id, at: 0, below: lists[1].node, of: lists[1].node)
      return (try transaction.todo(mine.node) ?? mine, twin)
    }
  }

  private func list(_ name: String, in transaction: CloudTransaction) throws -> TodoList {
    switch try transaction.addList(try ListName(name)) {
    case .list(let list), .taken(let list): list
    }
  }

  private func node(_ resolution: TodoResolution) -> NodeID? {
    if case .one(let todo) = resolution { todo.node } else { nil }
  }

  /// A program of before took a node for what its document said: an update reads that again.
  @Test func whatIsNamedLikeATodoIsOneAfterAnUpdate() throws {
    let profile = try LocalProfile("kinds")
    let (mine, twin) = try twins(profile)
    try profile.database.write { transaction in
      _ = try transaction.setDone(true, twin)
      try transaction.db.execute(sql: "UPDATE todos SET state = 'other'")
      #expect(try transaction.todo(mine.node)?.state == .other)
      try TodoTables.readStatesAgain(transaction.db)
      #expect(try transaction.todo(mine.node)?.state == .open && transaction.todo(twin.node)?.state == .done)
    }
  }

  @Test func eachIsFoundByAnIDOfItsOwn() throws {
    let profile = try LocalProfile("twins")
    let (mine, twin) = try twins(profile)
    #expect(mine.id == twin.id && mine.ownID != twin.ownID && mine.shortID != twin.shortID)
    try profile.database.read { transaction in
      for todo in [mine, twin] {
        #expect(try node(transaction.findTodo(todo.shortID)) == todo.node)
        #expect(try node(transaction.findTodo(todo.ownID.text)) == todo.node)
      }
      // The id that both have names both, each with what it is called by.
      guard case .ambiguous(let both) = try transaction.findTodo(mine.id.text) else { throw TreeError.noSuchNode }
      #expect(Set(both.map(\.shortID)) == [mine.shortID, twin.shortID])
      #expect(Set(try transaction.briefs(.open).map(\.shortID)) == [mine.shortID, twin.shortID])
    }
  }

  @Test func theIDComesBackWhereTheOtherGoes() throws {
    let profile = try LocalProfile("a twin that goes")
    let (mine, twin) = try twins(profile)
    try profile.database.write { try $0.delete(twin.node) }
    let now = try profile.database.read { try $0.todo(mine.node) }
    #expect(now?.ownID == mine.id && now?.shortID == String(mine.id.text.prefix(4)))
  }

  /// What somebody changes in one of them stays with that one, and the name of neither changes.
  @Test func aChangeMeansOneOfThem() throws {
    let profile = try LocalProfile("a changed twin")
    let (mine, twin) = try twins(profile)
    let changed = try profile.database.write { try $0.setTitle(Title("paid"), of: mine) }
    #expect(changed.node == mine.node && changed.id == mine.id && changed.ownID == mine.ownID)
    #expect(try profile.database.read { try $0.todo(twin.node)?.title } == "pay the plumber")
  }

  /// What comes first in the database is another one on each device.
  @Test(arguments: [false, true]) func thoseOfOnePlaceAreInOneOrder(flipped: Bool) throws {
    let profile = try LocalProfile("twins in one place \(flipped)")
    let ids = try [UInt8(1), 2].map { try #require(CloudID(bytes: [UInt8](repeating: $0, count: 16))) }
    let shown = try profile.database.write { transaction in
      let list = try list("Mine", in: transaction).node
      let first = try transaction.addTodos([Title("one")], to: list)[0]
      let second = try transaction.addTodo(NewTodo(Title("two")), id: first.id, at: 0, below: first.node, of: list)
      for (node, id) in zip([first.node, second.node], flipped ? ids.reversed() : ids) {
        try transaction.db.execute(sql: "UPDATE nodes SET cloud_id = ? WHERE id = ?", arguments: [id, node])
        try transaction.db.execute(sql: "UPDATE todos SET place = 'iiiiiiiiiii' WHERE node = ?", arguments: [node])
      }
      return try transaction.todos(in: list, .open).map { try transaction.node($0.node)?.cloudID }
    }
    #expect(shown == ids)
  }

  /// A NUL would end a title early in the database.
  @Test func aNULHidesNothing() throws {
    let profile = try LocalProfile("nul")
    let (mine, _) = try twins(profile)
    let todo = try profile.database.write { transaction in
      _ = try transaction.change(mine) { document, now, replica in
        try document.write(.title, Array("a\0b".utf8), now: now, replica: replica)
        try document.add(Field.tag.rawValue, Array("x\0y".utf8), now: now, replica: replica)
        try document.add(Field.note.rawValue, Array("\0".utf8), now: now, replica: replica)
      }
      return try transaction.todo(mine.node)
    }
    #expect(todo?.title == "a\u{FFFD}b" && todo?.tags == ["x\u{FFFD}y"])
    #expect(try profile.database.read { try $0.notes(of: mine) } == ["\u{FFFD}"])
  }
}
