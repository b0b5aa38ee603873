import ArgumentParser
import TodoCore
import Treesystem

/// `todo edit <todo>… [--title <title>] [--note <text>] [--tag <word>]… [--untag <word>]…`
struct EditCommand: StateCommand {
  static let configuration = CommandConfiguration(
    commandName: "edit",
    abstract: "Change a todo.",
    usage: """
      todo edit <todo>
      todo edit <todo>… [--title <title>] [--note <text>] [--due <date>] [--start <date>]
                [--priority <priority>] [--assign <user>] [--repeat <phrase>] [--tag <word>]… [--untag <word>]…
      """,
    discussion: """
      Without options a todo opens in the editor that VISUAL or EDITOR names.

      A note takes the place of every note that is there. An empty one takes it away. For dates, \
      priority, user and repetition 'none' does.

      Examples:
        todo edit k3fa
        todo edit k3fa --title "oat milk"
        todo edit k3fa --note "2 litres, not the red one"
        todo edit k3fa m7qd --tag breakfast --due fri
        todo edit k3fa --due none --priority high
      """)

  static let verb = "edited"

  @OptionGroup var options: GlobalOptions

  @Option(help: "The new title.")
  var title: String?

  @OptionGroup var fields: FieldOptions

  @Option(help: ArgumentHelp("A tag to take from it.", valueName: "word"))
  var untag: [String] = []

  @OptionGroup var todos: TodoArguments

  func run() async throws {
    if title == nil, fields.isEmpty, untag.isEmpty { try await runEditor() } else { try await changeAll() }
  }

  func change(_ todo: Todo, in transaction: CloudTransaction, _ session: Session) throws -> StateChange {
    var todo = try title.map { try transaction.setTitle(Title($0), of: todo) } ?? todo
    for word in untag { todo = try transaction.removeTag(Tag(word), from: todo) }
    return StateChange(todos: [try FieldValues(fields, session.dates).change(todo, in: transaction)])
  }
}

extension EditCommand {
  private func runEditor() async throws {
    let references = try todos.references()
    if references.count == 2, !TodoFilter.isFilter(references[0]), let option = Self.option(meantBy: references[1]) {
      throw Complaint.usage(
        "'\(Complaint.shortened(references[1]))' says which todos, not what to change in them",
        hint: "todo edit \(shellQuoted(references[0])) \(option)")
    }
    let session = try Session.open(options)
    guard session.voice.isConversation, session.voice.isRead else {
      throw Complaint.usage(
        "say what to change: --title, --note, --due, --start, --priority, --assign, --repeat, --tag or --untag",
        hint: "on a terminal 'todo edit <todo>' opens your editor")
    }
    guard references.count == 1, !TodoFilter.isFilter(references[0]) else {
      throw Complaint.usage("the editor takes one todo at a time", hint: "say what to change in all of them: --due fri")
    }
    let (todo, before) = try session.read { try $0.sheet(of: $0.requireTodo(references[0])) }
    try session.read { try $0.requireWrite(todo.list) }
    let file = try EditedFile(before.text, folder: session.profile.directory)
    while true {
      try Editor(environment: environment).edit(file)
      do {
        return try await session.take(EditSheet(text: file.read()).changes(since: before), of: todo)
      } catch {
        try askAgain(Complaint(error), file, session.voice)
      }
    }
  }

  /// What sets a field, where somebody wrote what stands for it in a title or a filter.
  private static func option(meantBy word: String) -> String? {
    let parts = word.split(separator: ":", maxSplits: 1).map(String.init)
    guard parts.count == 2 else { return nil }
    let option: String
    switch parts[0] {
    case "due", "start": option = "--\(parts[0])"
    case "pri": option = "--priority"
    default: return nil
    }
    return "\(option) \(shellQuoted(parts[1]))"
  }

  /// Says what is wrong; throws where nobody wants to correct it, and leaves what was written.
  private func askAgain(_ complaint: Complaint, _ file: EditedFile, _ voice: Voice) throws {
    voice.complain(complaint)
    let answer = voice.ask("edit it again? [Y/n] ")?.lowercased()
    if let answer, !["n", "no"].contains(answer) { return }
    file.isKept = true
    throw Complaint("not_confirmed", complaint.exit, "nothing was changed", hint: "what you wrote is in \(file.path)")
  }
}

extension CloudTransaction {
  fileprivate func sheet(of todo: Todo) throws -> (Todo, EditSheet) {
    (
      todo,
      EditSheet(todo, notes: try notes(of: todo), assignee: try named([todo]).first?.assignee, zone: .system)
    )
  }
}

extension Session {
  /// Does what somebody wrote in an editor. Others may have changed the todo meanwhile: only what was touched here is written.
  fileprivate func take(_ changes: SheetChanges, of todo: Todo) async throws {
    if changes.isEmpty { return voice.note("nothing was changed") }
    let values = try FieldValues(changes.fields, dates)
    let page = try change { transaction in
      var todo = try transaction.todo(todo.node) ?? todo
      try transaction.requireWrite(todo.list)
      todo = try changes.title.map { try transaction.setTitle(Title($0), of: todo) } ?? todo
      for word in changes.untag { todo = try transaction.removeTag(Tag(word), from: todo) }
      return ChangePage(
        verb: EditCommand.verb, todos: try transaction.named([values.change(todo, in: transaction)]))
    }
    try await finish(page)
  }
}
