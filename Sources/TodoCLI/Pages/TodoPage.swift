import Dates
import TodoCore
import Treesystem

/// Everything about a todo.
struct TodoPage: Page {
  let todo: NamedTodo
  /// The latest first; several where people wrote at the same time.
  let notes: [NamedNote]
  /// The latest first.
  let earlierTitles: [String]
  /// The latest first.
  let earlierNotes: [String]
  /// The latest first.
  var earlierImages: [NamedImage] = []
  /// The first first.
  var comments: [NamedComment] = []
  /// What it is a part of.
  var parent: Todo?
  /// Its parts, in order.
  var parts: [NamedTodo] = []

  func lines(_ style: Style) -> [String] {
    let facts: [(String, String?)] = [
      ("list", todo.list), ("state", todo.todo.state.rawValue), ("added", localTime(todo.todo.createdAt)),
      ("done", todo.todo.doneAt.map { $0 == 0 ? "on a day that is not known" : localTime($0) }),
      ("due", todo.todo.due.map(todo.when.words)),
      ("start", todo.todo.start.map(todo.when.words)),
      ("priority", todo.todo.priority?.rawValue), ("repeats", todo.todo.repetition?.words),
      ("assigned", todo.assignee.map { "@\($0)" }), ("tags", todo.todo.tags.isEmpty ? nil : todo.tags),
      ("changed by", todo.changed.remark),
      ("image", todo.image.map { "\($0.words) (todo image show \(todo.todo.shortID))" }),
      ("part of", parent.map { "\($0.shortID) \($0.title)" }), ("id", todo.todo.ownID.text),
    ]
    return ["\(style.id(todo.todo.shortID)) \(style.heading(harmless(todo.todo.title)))"]
      + facts.flatMap { name, fact in block(name, fact.map { [harmless($0)] } ?? [], style) }
      + noteLines(style)
      + block(
        "parts", parts.map { "\($0.todo.state == .done ? "✓ " : "")\($0.todo.shortID) \(harmless($0.todo.title))" },
        style)
      + block("comments", comments.flatMap { comment in comment.lines(style, shownLines(comment.comment.text)) }, style)
      + earlierTitles.flatMap { block("before", [harmless($0)], style) }
      + earlierNotes.flatMap { block("old note", shownLines($0), style) }
      + block("old images", earlierImages.enumerated().map { "\($0 + 1)  \(harmless($1.datedWords))" }, style)
  }

  private func noteLines(_ style: Style) -> [String] {
    guard notes.count > 1 else { return notes.flatMap { block("note", shownLines($0.note.text), style) } }
    let all = notes.flatMap { note in
      [style.quiet("\(harmless(note.who)), \(localTime(note.note.time)):")]
        + shownLines(note.note.text).map { "  \($0)" }
    }
    return block("notes", ["\(notes.count) were written at the same time, and each is kept:"] + all, style)
  }

  private func shownLines(_ text: String) -> [String] {
    text.split(separator: "\n", omittingEmptySubsequences: false).map { harmless(String($0)) }
  }

  /// A name, and lines beside it.
  private func block(_ name: String, _ lines: [String], _ style: Style) -> [String] {
    lines.enumerated().map { "  \(style.quiet(pad($0 == 0 ? name : "", to: 10)))  \($1)" }
  }

  var members: [JSON.Member] {
    [
      .init(key: "todo", value: todo.json), .init(key: "notes", value: .array(notes.map(\.json))),
      .init(key: "earlier_titles", value: .array(earlierTitles.map { .string($0) })),
      .init(key: "earlier_notes", value: .array(earlierNotes.map { .string($0) })),
      .init(key: "earlier_images", value: .array(earlierImages.map(\.json))),
      .init(key: "comments", value: .array(comments.map(\.json))),
      .init(key: "parts", value: .array(parts.map(\.json))),
    ]
  }
}

/// A note with the name of who wrote it.
struct NamedNote {
  let note: WrittenNote
  let deed: NamedDeed

  fileprivate var who: String {
    if note.isOwn { return NamedDeed.own.words }
    return deed.words == NamedDeed.own.words ? "you, on another device" : deed.words
  }

  fileprivate var json: JSON {
    [
      "text": .string(note.text), "by": .text(note.isOwn ? NamedDeed.own.by : deed.by), "via": .text(deed.via),
      "written_at": .time(note.time),
    ]
  }
}

extension CloudTransaction {
  /// Adds names to a todo's notes.
  func namedNotes(of todo: Todo) throws -> [NamedNote] {
    var handles = try Handles(self)
    return try writtenNotes(of: todo).map { NamedNote(note: $0, deed: try handles.named($0.deed)) }
  }
}
