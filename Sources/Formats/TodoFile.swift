import Dates

/// Our own file: everything that is known of todos, so that what is imported and exported again is the same file.
public enum TodoFile {
  /// What stands for version 1 in a file.
  static let version = "todo-1"

  /// A todo with what other formats have no room for.
  public struct Entry: Hashable, Sendable {
    /// Its note and comments are empty: these are below.
    public var todo: PortableTodo
    /// The first is the latest.
    public var notes: [String] = []
    /// Who wrote each of the notes; empty where nobody said.
    public var noteWriters: [Writer] = []
    /// Where somebody put it among the others; nil where nobody did.
    public var order: String?
    /// By which clock the moment is meant at which it is due, `09:00 Asia/Tokyo`; nil where nobody said.
    public var clock: String?
    /// The userID of whose task it is.
    public var assigneeID: String?
    public var comments: [Comment] = []
    /// A picture's file, beside this one.
    public var image: String?

    public init(_ todo: PortableTodo) { self.todo = todo }
  }

  /// Who wrote something, and by whose word.
  public struct Writer: Hashable, Sendable {
    /// The userID of who wrote it; nil: nobody said.
    public var id: String?
    /// The userID of who says so in that one's name; nil where the writer's own device does.
    public var viaID: String?

    public init(id: String?, viaID: String? = nil) { (self.id, self.viaID) = (id, viaID) }
  }

  public struct Comment: Hashable, Sendable {
    /// Milliseconds since 1970.
    public var time: Int64
    public var text: String
    public var writer: Writer

    public init(time: Int64, text: String, writer: Writer = Writer(id: nil)) {
      (self.time, self.text, self.writer) = (time, text, writer)
    }
  }
}

extension TodoFile {
  /// Writes a file, one todo a line.
  public static func write(_ entries: [Entry]) -> String {
    let lines = entries.map { entry in
      "{" + fields(of: entry).map { "\(JSONText.quoted($0)):\($1)" }.joined(separator: ",") + "}"
    }
    return "{\"format\":\"\(version)\",\"todos\":[\n" + lines.joined(separator: ",\n") + (lines.isEmpty ? "" : "\n")
      + "]}\n"
  }

  private static func fields(of entry: Entry) -> [(String, String)] {
    let todo = entry.todo
    let texts: [(String, String?)] = [
      ("id", todo.id), ("list", todo.list), ("parent", todo.parent), ("title", todo.title),
      ("state", todo.state == .open ? nil : todo.state.rawValue), ("priority", todo.priority?.rawValue),
      ("due", todo.due?.text), ("clock", entry.clock),
      ("start", todo.start?.text), ("repeat", todo.repetition), ("assignee", todo.assignee),
      ("assignee_id", entry.assigneeID), ("created", todo.created?.text), ("done", todo.done?.text),
      ("order", entry.order), ("image", entry.image),
    ]
    var fields = texts.compactMap { name, text in text.map { (name, JSONText.quoted($0)) } }
    if !todo.tags.isEmpty { fields.append(("tags", JSONText.list(todo.tags.map(JSONText.quoted)))) }
    if !entry.notes.isEmpty { fields.append(("notes", JSONText.list(entry.notes.map(JSONText.quoted)))) }
    if !entry.noteWriters.isEmpty {
      fields.append(("note_writers", JSONText.list(entry.noteWriters.map { JSONText.object($0.fields) })))
    }
    let comments = entry.comments.map { comment in
      JSONText.object(
        [("time", When.moment(comment.time).text)] + comment.writer.fields + [("text", comment.text)])
    }
    if !comments.isEmpty { fields.append(("comments", JSONText.list(comments))) }
    return fields
  }
}

extension TodoFile.Writer {
  fileprivate var fields: [(String, String)] {
    [("writer_id", id), ("via_id", viaID)].compactMap { name, id in id.map { (name, $0) } }
  }
}

/// JSON as text.
enum JSONText {
  /// An object of texts.
  static func object(_ fields: [(String, String)]) -> String {
    "{" + fields.map { "\(quoted($0)):\(quoted($1))" }.joined(separator: ",") + "}"
  }

  static func list(_ values: [String]) -> String { "[\(values.joined(separator: ","))]" }

  static func quoted(_ text: String) -> String {
    var bytes: [UInt8] = [.quote]
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"", "\\": bytes += [.backslash, UInt8(ascii: scalar)]
      case "\n": bytes += [.backslash, UInt8(ascii: "n")]
      case "\t": bytes += [.backslash, UInt8(ascii: "t")]
      // Whoever looks at the file on a terminal sees what is there; all of these have four digits.
      case _ where scalar.isUnsafeOnTerminals:
        bytes += [.backslash, UInt8(ascii: "u")] + UInt8.hexDigits(Int(scalar.value), 4)
      default: bytes += UTF8.encode(scalar).map(Array.init) ?? []
      }
    }
    bytes.append(.quote)
    return String(bytes[...])
  }
}

extension When {
  /// A day as its date, a moment as RFC 3339 in UTC with milliseconds.
  var text: String {
    switch self {
    case .day(let day): return day.iso
    case .moment(let time):
      let time = min(max(time, -62_135_596_800_000), 253_402_300_799_999)
      let wall = Zone.utc.wallTime(at: time)
      let rest = (time % 60_000 + 60_000) % 60_000
      let millisecond = String(1000 + rest % 1000).dropFirst()
      let second = String(100 + rest / 1000).dropFirst()
      return "\(wall.day.iso)T\(wall.clock):\(second).\(millisecond)Z"
    }
  }

  /// Reads what `text` writes, with milliseconds or without.
  init?(text: String) {
    if let day = Day(iso: text) {
      self = .day(day)
      return
    }
    let bytes = Bytes(text)
    let plain = bytes.count == 24 && bytes[bytes.startIndex + 19] == UInt8(ascii: ".")
    let head = plain ? bytes.prefix(19) + [UInt8(ascii: "Z")] : bytes
    guard case .utc(let time)? = Stamp.read(head) else { return nil }
    guard plain else {
      self = .moment(time)
      return
    }
    guard let millisecond = bytes.dropFirst(20).prefix(3).number, bytes.last == UInt8(ascii: "Z") else { return nil }
    self = .moment(time + Int64(millisecond))
  }
}
