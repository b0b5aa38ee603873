import Dates
import GRDB
import Sharing
import TestSupport
import Testing
import Treesystem

@testable import TodoCore

/// Notes and tags of two people who write at the same time.
struct NoteAndTagTests {
  private let world: World
  private let phone: Device
  private let laptop: Device
  private let todo: Todo

  init() async throws {
    world = try World(seed: "notes")
    phone = try await world.person("alice")
    todo = try phone.database.write { transaction in
      guard case .list(let list) = try transaction.addList(ListName("Groceries")) else { throw TreeError.nameTaken }
      return try transaction.addTodos([Title("milk")], to: list.node)[0]
    }
    laptop = try world.device("laptop")
    _ = try await phone.session.sync()
    let root = try #require(try phone.database.read { try $0.root() })
    try await laptop.session.logIn(root: root, handle: "alice", server: "test")
    _ = try await laptop.session.sync()
  }

  private func onLaptop<Result>(_ body: (CloudTransaction, Todo) throws -> Result) throws -> Result {
    try laptop.database.write { transaction in
      guard case .one(let todo) = try transaction.findTodo(todo.id.text) else { throw TreeError.noSuchNode }
      return try body(transaction, todo)
    }
  }

  private func exchange() async throws {
    for device in [phone, laptop, phone] { _ = try await device.session.sync() }
  }

  @Test func notesThatWereWrittenAtTheSameTimeBothStay() async throws {
    _ = try phone.database.write { try $0.setNote(Note("2 litres"), of: todo) }
    try await exchange()
    _ = try phone.database.write { try $0.setNote(Note("3 litres"), of: todo) }
    world.clock.advance(10)
    _ = try onLaptop { try $0.setNote(Note("not the red one\nnor the blue one"), of: $1) }
    try await exchange()
    let notes = try phone.database.read { try $0.notes(of: todo) }
    #expect(notes == ["not the red one\nnor the blue one", "3 litres"])
    #expect(try onLaptop { try $0.notes(of: $1) } == notes)
    let written = try phone.database.read { try $0.writtenNotes(of: todo) }
    #expect(written.map(\.text) == notes && written.map(\.isOwn) == [false, true])
    #expect(written[0].time > written[1].time)
    #expect(try onLaptop { try $0.writtenNotes(of: $1).map(\.isOwn) } == [true, false])
    _ = try phone.database.write { try $0.setNote(Note("3 litres, not the red one"), of: todo) }
    try await exchange()
    #expect(try onLaptop { try $0.notes(of: $1) } == ["3 litres, not the red one"])
    #expect(try onLaptop { try $0.earlierNotes(of: $1) } == notes + ["2 litres"])
    _ = try phone.database.write { try $0.setNote(Note(" "), of: todo) }
    #expect(try phone.database.read { try $0.notes(of: todo) } == [])
  }

  @Test func aTagThatSomebodyAddsBeatsItsRemoval() async throws {
    _ = try phone.database.write { try $0.addTag(Tag("+dairy"), to: todo) }
    _ = try phone.database.write { try $0.addTag(Tag("DAIRY"), to: todo) }
    #expect(try phone.database.read { try $0.tags(of: todo) } == ["dairy"])
    try await exchange()
    _ = try phone.database.write { try $0.removeTag(Tag("Dairy"), from: todo) }
    _ = try onLaptop { try $0.addTag(Tag("cold"), to: $1) }
    try await exchange()
    #expect(try phone.database.read { try $0.tags(of: todo) } == ["cold"])
    _ = try phone.database.write { try $0.removeTag(Tag("cold"), from: todo) }
    _ = try onLaptop { try $0.addTag(Tag("cold"), to: $0.removeTag(Tag("cold"), from: $1)) }
    try await exchange()
    #expect(try phone.database.read { try $0.tags(of: todo) } == ["cold"])
    #expect(try onLaptop { try $0.tags(of: $1) } == ["cold"])
  }

  @Test func whatChangesNothingIsNotUploaded() throws {
    _ = try phone.database.write { try $0.setNote(Note(""), of: todo) }
    _ = try phone.database.write { try $0.removeTag(Tag("x"), from: todo) }
    #expect(try phone.database.read { try $0.pendingOperationCount() } == 0)
  }

  @Test func whatIsTypedIsChecked() throws {
    #expect(try Note(" a\tb\nc ").text == "a\tb\nc")
    #expect(throws: NoteError.controlCharacter) { try Note("a\u{1B}[31m") }
    #expect(throws: NoteError.tooLong(bytes: 10_001)) { try Note(String(repeating: "a", count: 10_001)) }
    #expect(try Tag(" +work ").text == "work")
    #expect(throws: TagError.empty) { try Tag("+") }
    #expect(throws: TagError.notAWord) { try Tag("a b") }
    #expect(throws: TagError.tooLong(bytes: 65)) { try Tag(String(repeating: "a", count: 65)) }
    try phone.database.write { transaction in
      for number in 0..<Tag.countLimit { try transaction.addTag(Tag("t\(number)"), to: todo) }
      #expect(throws: TagError.tooMany) { try transaction.addTag(Tag("more"), to: todo) }
    }
  }

  @Test(arguments: [
    ("oat milk +breakfast +vegan", "oat milk", ["breakfast", "vegan"]), ("milk +a  +b ", "milk", ["a", "b"]),
    ("+1", "+1", []), ("+alone", "+alone", []), ("call +4930123", "call +4930123", []), ("learn C++", "learn C++", []),
    ("a +b c", "a +b c", []), ("milk +", "milk +", []), ("milk +a+b", "milk +a+b", []), ("Tee +grün", "Tee", ["grün"]),
  ])
  func aTitleEndsWithItsTags(typed: String, title: String, tags: [String]) throws {
    let new = try InlineFields(dates: DatePhrase(now: 0, zone: .utc)).read(Title(typed))
    #expect(new.title.text == title && new.tags.map(\.text) == tags)
  }

  @Test func aNewTodoHasItsTagsAndNoteAtOnce() throws {
    let profile = try LocalProfile("new-todo")
    let todo = try profile.database.write { transaction in
      guard case .list(let list) = try transaction.addList(ListName("Groceries")) else { throw TreeError.nameTaken }
      let tags = [try Tag("+vegan"), try Tag("VEGAN"), try Tag("cold")]
      return try transaction.addTodos([NewTodo(Title("milk"), tags: tags, note: Note("2 l"))], to: list.node)[0]
    }
    #expect(todo.tags == ["cold", "vegan"])
    #expect(try profile.database.read { try $0.notes(of: todo) } == ["2 l"])
    #expect(try profile.database.write { try $0.nodesWithWrongColumns(mending: false) } == [])
    let many = try (0...Tag.countLimit).map { try Tag("t\($0)") }
    #expect(throws: TagError.tooMany) {
      try profile.database.write { try $0.addTodos([NewTodo(Title("tea"), tags: many)], to: todo.list) }
    }
  }

  /// A profile from before tags were shown, on which another program has given some.
  @Test func anOlderTableReadsTheTagsFromItsDocuments() throws {
    let profile = try LocalProfile("older-table")
    let todo = try profile.database.write { transaction in
      guard case .list(let list) = try transaction.addList(ListName("Groceries")) else { throw TreeError.nameTaken }
      let milk = try transaction.addTodos([Title("milk"), Title("tea")], to: list.node)[0]
      _ = try transaction.addTag(Tag("cold"), to: milk)
      try transaction.db.execute(sql: "ALTER TABLE todos DROP COLUMN tags")
      try TagColumn.migration.migrate(transaction.db)
      return milk
    }
    #expect(try profile.database.read { try $0.todo(todo.node)?.tags } == ["cold"])
    #expect(try profile.database.write { try $0.nodesWithWrongColumns(mending: false) } == [])
  }
}
