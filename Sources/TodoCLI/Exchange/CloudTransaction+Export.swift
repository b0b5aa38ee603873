import CloudAPI
import Dates
import Formats
import Sharing
import Signing
import TodoCore
import Treesystem

/// A todo on its way into a file.
struct ExportedTodo {
  var entry: TodoFile.Entry
  let image: NamedImage?
}

extension CloudTransaction {
  /// What a file is to have of some lists, or of all: what is open and done, and with `trash` what is in it.
  func entries(of names: [String], trash: Bool) throws -> [ExportedTodo] {
    let lists = try names.isEmpty ? lists() : names.map(requireList)
    let removed = try trash && names.isEmpty ? listsInTrash() : []
    var handles = try Handles(self)
    return try (lists + removed).flatMap { list in
      let states: [TodoState] = trash ? [.open, .done, .trash] : [.open, .done]
      return try states.flatMap { try todos(in: list.node, $0) }.map { todo in
        let assignee = try todo.assignee.map { try handles.handle(of: $0) }
        let image = try image(of: todo).map { try handles.named($0, of: todo, in: self) }
        var entry = try entry(todo, list.name, assignee)
        // What is on a list in the trash is in the trash.
        if list.removedAt != nil { entry.todo.state = .removed }
        return ExportedTodo(entry: entry, image: image)
      }
    }
  }

  private func entry(_ todo: Todo, _ list: String, _ assignee: String?) throws -> TodoFile.Entry {
    var portable = PortableTodo(title: todo.title)
    portable.id = todo.ownID.text
    portable.parent = try todo.parent.flatMap { try self.todo($0)?.ownID.text }
    portable.list = list
    portable.state = [.open: .open, .done: .done, .trash: .removed][todo.state] ?? .open
    portable.tags = todo.tags
    portable.priority = todo.priority.flatMap { PortableTodo.Priority(rawValue: $0.rawValue) }
    portable.assignee = assignee
    (portable.due, portable.start) = (todo.due, todo.start)
    portable.created = .moment(todo.createdAt)
    portable.done = todo.doneAt.flatMap { $0 == 0 ? nil : .moment($0) }
    portable.repetition = todo.repetition?.rule
    var entry = TodoFile.Entry(portable)
    let notes = try writtenNotes(of: todo)
    entry.notes = notes.map(\.text)
    let writers = notes.map { TodoFile.Writer(id: $0.deed.user?.description, viaID: $0.deed.via?.description) }
    // Nothing is said where there is nothing to say of any.
    if writers.contains(where: { $0.id != nil || $0.viaID != nil }) { entry.noteWriters = writers }
    entry.order = try order(of: todo)
    entry.clock = try clock(of: todo)?.text
    entry.assigneeID = todo.assignee?.description
    entry.comments = try comments(of: todo).map {
      TodoFile.Comment(
        time: $0.time, text: $0.text,
        writer: TodoFile.Writer(id: ($0.writer ?? $0.author)?.description, viaID: $0.via?.description))
    }
    return entry
  }
}
