import Dates

extension TodoFile {
  /// Reads a file. What is broken is told with its line; the rest is there all the same.
  public static func read(_ text: String) -> (entries: [Entry], broken: [BrokenEntry]) {
    var file = TodoFileReader(reader: JSONReader(text))
    file.read()
    return (file.entries, file.broken)
  }
}

private struct TodoFileReader {
  var reader: JSONReader
  var entries: [TodoFile.Entry] = []
  var broken: [BrokenEntry] = []
  private var isOurs = false

  init(reader: JSONReader) { self.reader = reader }

  mutating func read() {
    do throws(JSONFailure) {
      try readMembers()
      reader.skipSpace()
      if reader.byte != nil { report("something follows the end of the file") }
    } catch {
      report(error == .syntax ? "this is not valid JSON" : error == .early ? "the file ends early" : error.rawValue)
    }
    if !isOurs, broken.isEmpty { report("this is no file that 'todo export' wrote") }
  }

  private mutating func readMembers() throws(JSONFailure) {
    try take(.brace)
    reader.skipSpace()
    if reader.byte == .closingBrace {
      reader.position += 1
      return
    }
    while true {
      reader.skipSpace()
      guard reader.byte == .quote, let key = try reader.value().text else { throw .syntax }
      try take(.colon)
      if key == "todos" {
        try readTodos()
      } else {
        let value = try reader.value()
        if key == "format", value.text == TodoFile.version { isOurs = true }
        if key == "format", value.text != TodoFile.version { report("this file is of a newer version") }
      }
      reader.skipSpace()
      if reader.byte == .closingBrace {
        reader.position += 1
        return
      }
      try take(.comma)
    }
  }

  private mutating func readTodos() throws(JSONFailure) {
    try take(.bracket)
    reader.skipSpace()
    if reader.byte == .closingBracket {
      reader.position += 1
      return
    }
    while true {
      reader.skipSpace()
      let line = reader.line
      let value = try reader.value()
      do throws(BrokenTodo) {
        entries.append(try BrokenTodo.entry(value))
      } catch {
        broken.append(BrokenEntry(line: line, reason: error.reason))
      }
      reader.skipSpace()
      if reader.byte == .closingBracket {
        reader.position += 1
        return
      }
      try take(.comma)
    }
  }

  private mutating func take(_ byte: UInt8) throws(JSONFailure) {
    reader.skipSpace()
    guard let next = reader.byte else { throw .early }
    guard next == byte else { throw .syntax }
    reader.position += 1
  }

  private mutating func report(_ reason: String) { broken.append(BrokenEntry(line: reader.line, reason: reason)) }
}

/// Why an object is no todo.
private struct BrokenTodo: Error {
  let reason: String

  static func entry(_ value: JSON) throws(BrokenTodo) -> TodoFile.Entry {
    guard let fields = value.object else { throw BrokenTodo(reason: "this is no todo") }
    // Others may have written an empty one.
    guard let title = fields["title"]?.text else { throw BrokenTodo(reason: "the todo has no title") }
    func when(_ name: String) throws(BrokenTodo) -> When? {
      guard let text = fields[name]?.text else { return nil }
      guard let when = When(text: text) else { throw BrokenTodo(reason: "'\(name)' is no date") }
      return when
    }
    var todo = PortableTodo(title: title)
    todo.id = fields["id"]?.text
    todo.list = fields["list"]?.text
    todo.parent = fields["parent"]?.text
    if let text = fields["state"]?.text {
      guard let state = PortableTodo.State(rawValue: text) else { throw BrokenTodo(reason: "'state' is not known") }
      todo.state = state
    }
    todo.priority = fields["priority"]?.text.flatMap { PortableTodo.Priority(rawValue: $0) }
    (todo.due, todo.start) = (try when("due"), try when("start"))
    (todo.created, todo.done) = (try when("created"), try when("done"))
    todo.repetition = fields["repeat"]?.text
    todo.assignee = fields["assignee"]?.text
    todo.tags = fields["tags"]?.list?.compactMap(\.text) ?? []
    var entry = TodoFile.Entry(todo)
    entry.notes = fields["notes"]?.list?.compactMap(\.text) ?? []
    entry.noteWriters = fields["note_writers"]?.list?.compactMap(\.object).map(writer) ?? []
    entry.order = fields["order"]?.text
    entry.clock = fields["clock"]?.text
    entry.assigneeID = fields["assignee_id"]?.text
    entry.image = fields["image"]?.text
    for value in fields["comments"]?.list ?? [] {
      guard let comment = value.object, let text = comment["text"]?.text,
        case .moment(let time)? = comment["time"]?.text.flatMap({ When(text: $0) })
      else { throw BrokenTodo(reason: "a comment has no text, or no time") }
      entry.comments.append(TodoFile.Comment(time: time, text: text, writer: writer(comment)))
    }
    return entry
  }

  private static func writer(_ fields: [String: JSON]) -> TodoFile.Writer {
    TodoFile.Writer(id: fields["writer_id"]?.text, viaID: fields["via_id"]?.text)
  }
}
