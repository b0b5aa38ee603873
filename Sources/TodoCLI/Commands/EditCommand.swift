import ArgumentParser
import CloudAPI
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
    if title == nil, fields.isEmpty, untag.isEmpty {
      try await runEditor()
    } else {
      try await changeAll(todos.references())
    }
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
    let (todo, sheet, kept) = try session.read { transaction in
      let todo = try transaction.requireTodo(references[0])
      try transaction.requireWrite(todo.list)
      return (todo, try transaction.sheet(of: todo), try transaction.draft(of: todo))
    }
    var draft = OpenDraft(todo: todo, before: kept?.before ?? sheet.text, isKept: kept != nil)
    let folder = try EditFolder(session.profile, isSealed: session.lock != .open)
    let file = try EditedFile(kept?.text ?? sheet.text, in: folder)
    if let kept {
      session.voice.note("this is what you wrote \(localTime(kept.time)); leave nothing of it, and it is forgotten")
    }
    guard let page = try session.edited(&draft, file) else { return session.voice.note("nothing was changed") }
    try await session.finish(page)
  }

  /// What sets a field, where somebody wrote what stands for it in a title or a filter.
  private static func option(meantBy word: String) -> String? {
    if let tag = word.wholeMatch(of: #/\+(.+)/#) { return "--tag \(shellQuoted(String(tag.1)))" }
    if let user = word.wholeMatch(of: #/@(.+)/#) { return "--assign \(shellQuoted(String(user.1)))" }
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
}

/// What somebody is writing about a todo.
private struct OpenDraft {
  let todo: Todo
  /// What the editor opened first.
  let before: String
  /// Whether the database has it: another one of somebody's is left alone.
  var isKept: Bool
  /// What the editor left; nil where that is no text.
  var text: String?
}

extension CloudTransaction {
  fileprivate func sheet(of todo: Todo) throws -> EditSheet {
    EditSheet(todo, notes: try notes(of: todo), assignee: try named([todo]).first?.assignee, zone: .system)
  }
}

extension Session {
  /// Has a draft edited until it is understood. Nil where nothing is to be changed.
  fileprivate func edited(_ draft: inout OpenDraft, _ file: EditedFile) throws -> ChangePage? {
    while true {
      do {
        try Editor(environment: environment).edit(file)
      } catch {
        draft.text = try? file.read()
        throw try keep(&draft, error)
      }
      do {
        draft.text = nil
        draft.text = try file.read()
        return try take(draft, draft.text ?? "")
      } catch {
        let complaint = Complaint(error)
        voice.complain(complaint)
        // Before the question: it may be answered with Ctrl-C, or by closing the terminal.
        let end = try keep(
          &draft,
          Complaint("not_confirmed", complaint.exit, "nothing was changed", hint: "'todo help edit' shows the options"))
        let answer = voice.ask("edit it again? [Y/n] ")?.lowercased()
        guard let answer, !["n", "no"].contains(answer) else { throw end }
      }
    }
  }

  /// Does what somebody wrote in an editor. Others may have changed the todo meanwhile: only what was touched here is written.
  private func take(_ draft: OpenDraft, _ text: String) throws -> ChangePage? {
    let changes =
      EditSheet.isEmpty(text) ? nil : try EditSheet(text: text).changes(since: EditSheet(text: draft.before))
    guard let changes, !changes.isEmpty else {
      if draft.isKept { try database.write { try $0.keep(nil, of: draft.todo) } }
      return nil
    }
    let values = try FieldValues(changes.fields, dates)
    return try change { transaction in
      var todo = try transaction.todo(draft.todo.node) ?? draft.todo
      try transaction.requireWrite(todo.list)
      todo = try changes.title.map { try transaction.setTitle(Title($0), of: todo) } ?? todo
      for word in changes.untag { todo = try transaction.removeTag(Tag(word), from: todo) }
      if draft.isKept { try transaction.keep(nil, of: todo) }
      return ChangePage(
        verb: EditCommand.verb, todos: try transaction.named([values.change(todo, in: transaction)]))
    }
  }

  /// Keeps what somebody wrote, in the database with everything else. Returns the complaint, with how to go on.
  private func keep(_ draft: inout OpenDraft, _ complaint: Complaint) throws -> Complaint {
    guard let text = draft.text, text != draft.before, !EditSheet.isEmpty(text) else { return complaint }
    let kept = Draft(before: draft.before, text: text, time: database.clock.now())
    do {
      draft.isKept = try database.write { transaction in
        guard let todo = try transaction.todo(draft.todo.node) else { return false }
        try transaction.keep(kept, of: todo)
        return true
      }
    } catch {
      show(lost: text)
      throw error
    }
    guard draft.isKept else {
      show(lost: text)
      return complaint
    }
    var complaint = complaint
    complaint.hint = "what you wrote is kept: todo edit \(draft.todo.shortID) goes on with it"
    return complaint
  }

  /// What can be kept nowhere is on the screen at least.
  private func show(lost text: String) {
    voice.note("this cannot be kept here:")
    for line in text.split(separator: "\n", omittingEmptySubsequences: false) { voice.note(String(line)) }
  }
}
