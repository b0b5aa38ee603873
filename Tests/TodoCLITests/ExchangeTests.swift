import CloudAPI
import Dates
import Formats
import Foundation
import GRDB
import Sharing
import Signing
import Testing
import Treesystem

@testable import TodoCLI
@testable import TodoCore

/// Todos that leave a profile and come into another one.
final class ExchangeTests {
  private let folder = FileManager.default.temporaryDirectory.appendingPathComponent(
    "todo-exchange-\(UUID().uuidString)")

  init() throws { try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true) }

  deinit { try? FileManager.default.removeItem(at: folder) }

  private func profile(_ name: String) throws -> CloudDatabase {
    try CloudDatabase(
      path: folder.appendingPathComponent("\(name).db").path, appMigrations: sharingMigrations + TodoTables.migrations)
  }

  private func fill(_ database: CloudDatabase) throws {
    try database.write { transaction in
      let groceries = try transaction.makeList("Groceries")
      let work = try transaction.makeList("Work: \"odd\"")
      var milk = NewTodo(try Title("oat milk"), tags: [try Tag("a"), try Tag("ü")], note: try Note("2 l\nor 3"))
      (milk.due, milk.start, milk.priority) = (
        .day(try #require(Day(iso: "2026-11-27"))), .moment(1_800_000_000_123), .high
      )
      milk.repetition = try Repetition(phrase: "every mon and thu")
      milk.assignee = UserID(bytes: [UInt8](repeating: 7, count: 20))
      let todos = try transaction.addTodos([milk, NewTodo(Title("eggs")), NewTodo(Title("bread"))], to: groceries.node)
      var part = NewTodo(try Title("a bottle"))
      part.parent = todos[0].node
      _ = try transaction.addTodos([part], to: groceries.node)
      _ = try transaction.moveTodoToTop(todos[2])
      _ = try transaction.setDone(true, todos[1])
      _ = try transaction.addComment(Note("first"), to: todos[0])
      _ = try transaction.addComment(Note("second"), to: todos[0])
      let report = try transaction.addTodos([Title("report")], to: work.node)[0]
      _ = try transaction.removeTodo(report)
    }
  }

  private func export(_ database: CloudDatabase, _ format: ExchangeFormat) throws -> String {
    let entries = try database.read { try $0.entries(of: [], trash: format == .json) }
    return format.write(entries.map(\.entry), zone: .utc, now: 0)
  }

  private func read(_ text: String, _ format: ExchangeFormat) throws -> (
    entries: [TodoFile.Entry], broken: [BrokenEntry], left: [String: Int]
  ) {
    try #require(try format.read(Array(text.utf8), zone: .utc, calendars: DirectCalendarParser()))
  }

  @discardableResult
  private func importing(_ text: String, _ format: ExchangeFormat, to database: CloudDatabase) throws -> Imported {
    let reading = try read(text, format)
    #expect(reading.broken == [])
    return try database.write {
      try $0.importEntries(reading.entries, format: format, list: nil, standard: .standard, zone: .utc)
    }
  }

  @Test func ourOwnFileComesBackAsItWas() throws {
    let (first, second) = (try profile("first"), try profile("second"))
    try fill(first)
    let text = try export(first, .json)
    #expect(try importing(text, .json, to: second).added.count == 5)
    #expect(try export(second, .json) == text)
    #expect(try second.write { try $0.nodesWithWrongColumns(mending: false) } == [])
  }

  @Test(arguments: ExchangeFormat.allCases)
  func whatWasImportedOnceIsNotImportedAgain(format: ExchangeFormat) throws {
    let (first, second) = (try profile("first"), try profile("second"))
    try fill(first)
    let text = try export(first, format)
    let added = try importing(text, format, to: second).added.count
    #expect(added == (format == .json ? 5 : 4))
    let again = try importing(text, format, to: second)
    #expect(again.added.isEmpty && again.known == added)
  }

  /// Taskwarrior refuses a file in which an id is of another form; what comes back from there is what went.
  @Test func taskwarriorGetsIDsOfItsOwnForm() throws {
    let (first, second) = (try profile("first"), try profile("second"))
    try fill(first)
    let text = try export(first, .taskwarrior)
    let form = /"(uuid|partof)":"([^"]*)"/
    let written = text.matches(of: form).map { String($0.output.2) }
    #expect(written.count >= 4)
    let isUUID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/
    for id in written { #expect(id.wholeMatch(of: isUUID) != nil, "\(id)") }
    try importing(text, .taskwarrior, to: second)
    let back = try export(second, .taskwarrior).matches(of: form).map { String($0.output.2) }
    #expect(back.sorted() == written.sorted())
    let other = text.replacing(form) { "\"\($0.output.1)\":\"\($0.output.2.uppercased())\"" }
    #expect(try importing(other, .taskwarrior, to: second).added.isEmpty)
  }

  @Test(arguments: [
    ("a.json", ExchangeFormat.json), ("-", .json), ("a.TXT", .todotxt), ("a.md", .markdown), ("x/a.b.ics", .ical),
    ("a.csv", nil), ("a.json.bak", nil), ("a", nil), ("b.c/a", nil), (".todos", nil),
  ])
  func aFilesEndingSaysItsFormat(file: String, format: ExchangeFormat?) throws {
    guard let format else {
      #expect(throws: Complaint.self) { try ExchangeFormat(named: nil, file: file) }
      return
    }
    #expect(try ExchangeFormat(named: nil, file: file) == format)
    #expect(try ExchangeFormat(named: "ical", file: file) == .ical)
  }

  /// Nobody can type such a title; another program can write it.
  @Test(arguments: ExchangeFormat.allCases)
  func oneOddTitleStopsNoExport(format: ExchangeFormat) throws {
    let database = try profile("odd")
    try fill(database)
    try database.write { transaction in
      try transaction.db.execute(sql: "UPDATE todos SET title = char(27, 10) || title WHERE title = 'eggs'")
    }
    #expect(try export(database, format).contains("oat milk"))
  }

  /// Nothing that steers a terminal, or turns the writing around, stands in a file of JSON as it is; it comes back all the same.
  @Test(arguments: [ExchangeFormat.json, .taskwarrior])
  func whatSteersATerminalIsEscaped(format: ExchangeFormat) throws {
    let (first, second) = (try profile("first"), try profile("second"))
    try fill(first)
    let note = "a\u{202E}b\u{9B}2Jc\u{2066}"
    try first.write { transaction in
      try transaction.db.execute(sql: "UPDATE todos SET title = ? WHERE title = 'eggs'", arguments: ["egg\u{202E}s"])
    }
    let text = try export(first, format)
    #expect(text.contains("egg\\u202Es") && !text.unicodeScalars.contains { $0 == "\u{202E}" })
    try importing(text, format, to: second)
    #expect(try export(second, format).contains("egg\\u202Es"))
    #expect(visible("\(note)\n\u{1B}[2J\tx") == "a\\u{202e}b\\u{9b}2Jc\\u{2066}\n\\u{1b}[2J\tx")
  }

  /// Another program writes what nobody can type; what is exported of it comes back all the same, with all else that is in the file.
  @Test(arguments: ExchangeFormat.allCases, ["\u{1}", "a\u{0}b", "\u{1B}[2J", "\u{85}\u{2028}", "", "\r", "\u{202E}x"])
  func whatNobodyCanTypeComesBackAllTheSame(format: ExchangeFormat, text: String) throws {
    let (first, second) = (try profile("first"), try profile("second"))
    try fill(first)
    try first.write { transaction in
      let list = try #require(try transaction.lists().first { $0.name == "Groceries" })
      let eggs = try #require(try transaction.todos(in: list.node, .done).first)
      let comment = try transaction.addComment(Note("third"), to: eggs)
      for (field, node) in [(Field.title, eggs.node), (.note, eggs.node), (.note, comment.node)] {
        var content = try #require(try transaction.document(of: node, in: .todos))
        let (now, replica) = (transaction.clock.now(), try transaction.replica())
        try content.change { document in
          document.remove { $0.field == field.rawValue }
          if field == .title {
            try document.write(field, Array(text.utf8), now: now, replica: replica)
          } else {
            try document.add(field.rawValue, Array(text.utf8), now: now, replica: replica)
          }
        }
        try transaction.replaceContent(content, of: node, in: .todos)
      }
      _ = try transaction.nodesWithWrongColumns(mending: true)
    }
    let reading = try read(try export(first, format), format)
    let check = ImportCheck(reading.entries, reading.broken, format: format)
    #expect(check.broken == [])
    let imported = try second.write {
      try $0.importEntries(check.sound, format: format, list: nil, standard: .standard, zone: .utc)
    }
    #expect(imported.added.count == (format == .json ? 5 : 4))
  }

  /// A list whose name cannot be typed is no reason to put its todos elsewhere.
  @Test func aListKeepsItsTodosWhateverItIsCalled() throws {
    let database = try profile("list")
    let text = #"{"format":"todo-1","todos":[{"title":"milk","list":"Gro\u0007ceries"}]}"#
    #expect(try importing(text, .json, to: database).newLists == ["Groceries"])
  }

  /// What a format can express comes back through it as the same file.
  @Test(arguments: ExchangeFormat.allCases)
  func whatAFormatCanExpressComesBack(format: ExchangeFormat) throws {
    let (first, second, third) = (try profile("first"), try profile("second"), try profile("third"))
    try fill(first)
    try importing(export(first, format), format, to: second)
    let text = try export(second, format)
    try importing(text, format, to: third)
    #expect(try export(third, format).withoutIDs == text.withoutIDs)
  }
}

extension String {
  /// Markdown has no ids, and iCalendar makes some.
  fileprivate var withoutIDs: String { replacing(/UID:.*/, with: "UID") }
}
