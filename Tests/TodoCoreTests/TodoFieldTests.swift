import Dates
import GRDB
import Sharing
import Signing
import TestSupport
import Testing
import Treesystem

@testable import TodoCore

/// Due, start, priority, assignee and repetition.
struct TodoFieldTests {
  private let profile: LocalProfile
  private let list: NodeID
  private var database: CloudDatabase { profile.database }

  init() throws {
    profile = try LocalProfile("fields")
    list = try profile.database.write { transaction in
      guard case .list(let list) = try transaction.addList(ListName("Groceries")) else { throw TreeError.nameTaken }
      return list.node
    }
  }

  private func day(_ iso: String) throws -> When { .day(try #require(Day(iso: iso))) }

  @Test func aTodoHasWhatItIsGivenAndLosesIt() throws {
    let user = try #require(UserID(bytes: [UInt8](repeating: 7, count: 20)))
    let rule = try Repetition(phrase: "every mon")
    let friday = try day("2026-11-27")
    try database.write { transaction in
      var new = NewTodo(try Title("milk"))
      (new.due, new.start, new.priority, new.assignee, new.repetition) = (
        friday, .moment(86_400_000), .high, user, rule
      )
      var todo = try transaction.addTodos([new], to: list)[0]
      #expect(todo.due == friday && todo.start == .moment(86_400_000) && todo.priority == .high)
      #expect(todo.assignee == user && todo.repetition == rule)
      #expect(try transaction.nodesWithWrongColumns(mending: false) == [])
      todo = try transaction.setDue(nil, of: todo)
      todo = try transaction.setStart(nil, of: todo)
      todo = try transaction.setPriority(nil, of: todo)
      todo = try transaction.setAssignee(nil, of: todo)
      todo = try transaction.setRepetition(nil, of: todo)
      #expect(todo.due == nil && todo.start == nil && todo.priority == nil)
      #expect(todo.assignee == nil && todo.repetition == nil)
      #expect(try transaction.nodesWithWrongColumns(mending: false) == [])
    }
  }

  @Test func whatNoVersionWritesIsNothing() throws {
    var document = Document()
    let replica = try #require(Replica(bytes: [UInt8](repeating: 9, count: 8)))
    let values: [(Field, [UInt8])] = [
      (.due, Array("2026-02-30".utf8)), (.start, [1, 2, 3]), (.priority, Array("huge".utf8)),
      (.assignee, [1, 2]), (.repetition, Array("FREQ=HOURLY".utf8)),
    ]
    for (field, value) in values { try document.write(field, value, now: 1, replica: replica) }
    #expect(document.due == nil && document.start == nil && document.priority == nil)
    #expect(document.assignee == nil && document.repetition == nil)
    let longest = Int64.max
    #expect(When(value: timeValue(longest)) == .moment(longest))
    #expect(When(value: [UInt8](repeating: 0xFF, count: 8)) == .moment(longest))
  }

  /// A profile from before these were known, on which another program has given some.
  @Test func anOlderTableReadsThemFromItsDocuments() throws {
    try database.write { transaction in
      let todo = try transaction.addTodos([NewTodo(Title("milk")), NewTodo(Title("tea"))], to: list)[0]
      _ = try transaction.setDue(.moment(86_400_000), of: transaction.setPriority(.low, of: todo))
      let db = transaction.db
      for name in ["words_added", "words_removed", "words_changed"] { try db.execute(sql: "DROP TRIGGER \(name)") }
      try db.execute(sql: "DROP TABLE todo_words; DROP INDEX todos_due")
      for column in ["due", "start", "priority", "assignee", "repetition", "words"] {
        try db.execute(sql: "ALTER TABLE todos DROP COLUMN \(column)")
      }
      try FieldColumns.migration.migrate(db)
      try WordIndex.migration.migrate(db)
      let again = try #require(try transaction.todo(todo.node))
      #expect(again.due == .moment(86_400_000) && again.priority == .low)
      #expect(try transaction.search("mil") == [todo.node])
      #expect(try transaction.nodesWithWrongColumns(mending: false) == [])
    }
  }

  @Test(arguments: [
    ("milk due:fri pri:high +a @bob", "milk", "2026-11-27", "high", ["a"], true),
    ("milk due:", "milk due:", nil, nil, [], false), ("meet @ noon", "meet @ noon", nil, nil, [], false),
    ("milk due:blursday +a b", "milk due:blursday +a b", nil, nil, [], false),
    ("milk @", "milk @", nil, nil, [], false),
    ("due:fri", "due:fri", nil, nil, [], false),
    ("write to bob@example.org", "write to bob@example.org", nil, nil, [], false),
    ("meet due:fri at noon", "meet due:fri at noon", nil, nil, [], false),
    ("buy 3:4 screws", "buy 3:4 screws", nil, nil, [], false),
    ("ratio 3:4", "ratio 3:4", nil, nil, [], false), ("milk DUE:FRI Pri:h", "milk", "2026-11-27", "high", [], false),
    ("milk @Bob", "milk", nil, nil, [], true),
  ])
  func whatStandsAtATitlesEndCountsWhereItIsUnderstood(
    typed: String, title: String, due: String?, priority: String?, tags: [String], isBobs: Bool
  ) throws {
    let bob = try #require(UserID(bytes: [UInt8](repeating: 7, count: 20)))
    let wednesday = try #require(Day(iso: "2026-11-25"))
    let dates = DatePhrase(now: Zone.utc.start(of: wednesday), zone: .utc)
    let new = try InlineFields(dates: dates, members: ["bob": bob]).read(Title(typed))
    #expect(new.title.text == title && new.tags.map(\.text) == tags && new.priority?.rawValue == priority)
    #expect(try new.due == due.map(day) && new.assignee == (isBobs ? bob : nil))
  }

  /// It would be lost in the title, and nobody would be reminded.
  @Test(arguments: [
    ("milk due:tomorow", InlineFieldError.date("tomorow", .unknown)),
    ("milk due:2026-02-30 +a", .date("2026-02-30", .noSuchDay)), ("milk START:blursday", .date("blursday", .unknown)),
    ("milk pri:urgent", .priority("urgent")), ("milk @carol", .nobody("@carol")), ("@carol", .nobody("@carol")),
    ("milk due:fri due:sat", .twice("due:")), ("milk pri:h +a pri:l", .twice("pri:")), ("milk @bob @bob", .twice("@")),
  ])
  func whatCannotBeReadAtATitlesEndIsRefused(typed: String, error: InlineFieldError) throws {
    let bob = try #require(UserID(bytes: [UInt8](repeating: 7, count: 20)))
    let wednesday = try #require(Day(iso: "2026-11-25"))
    let dates = DatePhrase(now: Zone.utc.start(of: wednesday), zone: .utc)
    #expect(throws: error) { try InlineFields(dates: dates, members: ["bob": bob]).read(Title(typed)) }
  }

  @Test func aPartStandsBelowItsWholeAndGoesAnywhere() throws {
    try database.write { transaction in
      let cake = try transaction.addTodos([Title("cake")], to: list)[0]
      var flour = NewTodo(try Title("flour"))
      flour.parent = cake.node
      let part = try transaction.addTodos([flour], to: list)[0]
      #expect(part.parent == cake.node && cake.parent == nil)
      #expect(try transaction.parts(of: cake) == [part])
      #expect(try transaction.todos(in: list, .open).count == 2)
      #expect(throws: TreeError.parentInvalid) { try transaction.moveTodo(cake, below: part) }
      let free = try transaction.moveTodo(part, to: list)
      #expect(free.parent == nil && free.id == part.id)
      #expect(try transaction.parts(of: cake) == [])
      #expect(try transaction.moveTodo(free, below: cake).parent == cake.node)
    }
  }
}
