import ArgumentParser
import CloudAPI
import Dates
import Sharing
import Signing
import TodoCore
import Treesystem

/// What a todo can be given beside its title; of those that it has one of, `none` takes it away.
struct FieldOptions: ParsableArguments {
  @Option(help: ArgumentHelp("When it is to be done: fri, tomorrow 18:00, in 2 weeks, 2026-11-27.", valueName: "date"))
  var due: String?

  @Option(help: ArgumentHelp("Puts it off: before that it is not shown.", valueName: "date"))
  var start: String?

  @Option(help: "high, medium or low.")
  var priority: String?

  @Option(help: ArgumentHelp("Whose task it is: somebody on the list, or me.", valueName: "user"))
  var assign: String?

  @Option(
    name: .customLong("repeat"),
    help: ArgumentHelp("How it comes back once it is done: every week, every mon and thu.", valueName: "phrase"))
  var repetition: String?

  @Option(help: ArgumentHelp("A tag for each; several times for several.", valueName: "word"))
  var tag: [String] = []

  @Option(help: ArgumentHelp("What is to stand beside the title.", valueName: "text"))
  var note: String?

  var isEmpty: Bool {
    [due, start, priority, assign, repetition, note].allSatisfy { $0 == nil } && tag.isEmpty
  }
}

/// The same, understood. What was not given is nil, and what is to be taken away is nil in it.
struct FieldValues {
  var due: When??
  var start: When??
  var priority: Priority??
  var repetition: Repetition??
  var note: Note?
  let tags: [Tag]
  /// As it was typed: who that is depends on the list.
  let assign: String?

  init(_ options: FieldOptions, _ dates: DatePhrase) throws {
    due = try options.due.map { try Self.unlessNone($0, dates.when) }
    start = try options.start.map { try Self.unlessNone($0, dates.when) }
    priority = try options.priority.map { try Self.unlessNone($0, Self.priority) }
    repetition = try options.repetition.map { try Self.unlessNone($0, Self.repetition) }
    note = try options.note.map { try Note($0) }
    tags = try options.tag.map { try Tag($0) }
    assign = options.assign
  }

  private static func unlessNone<Value>(_ text: String, _ read: (String) throws -> Value) throws -> Value? {
    text.lowercased() == "none" || text.isEmpty ? nil : try read(text)
  }

  static func priority(_ text: String) throws -> Priority {
    guard let priority = Priority(typed: text) else {
      throw Complaint(
        "priority", .badData, "'\(Complaint.shortened(text))' is no priority", hint: "say high, medium or low; or none")
    }
    return priority
  }

  private static func repetition(_ text: String) throws -> Repetition {
    do throws(PhraseError) {
      return try Repetition(phrase: text)
    } catch {
      throw Complaint(repetition: error, text)
    }
  }
}

extension FieldValues {
  /// Gives a new todo what it was not given already.
  func give(to new: inout NewTodo, on list: NodeID?, in transaction: CloudTransaction) throws {
    new.tags += tags
    if let note { new.note = note }
    if let due { new.due = due }
    if let start { new.start = start }
    if let priority { new.priority = priority }
    if let assign { new.assignee = try transaction.requireAssignee(assign, of: list) }
    if let repetition = repetition ?? nil {
      let day = (new.due ?? new.start).map { Zone.system.day(of: $0) } ?? transaction.today
      new.repetition = repetition.anchored(at: day)
      if new.due == nil { new.due = repetition.firstDay(from: day).map { .day($0) } }
    }
    new.clock = ZonedTime(new.due, in: .system)
  }

  /// Changes a todo. Returns it as it is now.
  func change(_ todo: Todo, in transaction: CloudTransaction) throws -> Todo {
    var todo = try note.map { try transaction.setNote($0, of: todo) } ?? todo
    if let due { todo = try transaction.setDue(due, by: ZonedTime(due, in: .system), of: todo) }
    if let start { todo = try transaction.setStart(start, of: todo) }
    if let priority { todo = try transaction.setPriority(priority, of: todo) }
    if let assign { todo = try transaction.setAssignee(transaction.requireAssignee(assign, of: todo.list), of: todo) }
    for tag in tags { todo = try transaction.addTag(tag, to: todo) }
    guard let repetition else { return todo }
    let day = (todo.due ?? todo.start).map { Zone.system.day(of: $0) } ?? transaction.today
    if todo.due == nil, let first = repetition?.firstDay(from: day) {
      todo = try transaction.setDue(.day(first), of: todo)
    }
    let clock = ZonedTime(todo.due, in: .system)
    return try transaction.setRepetition(repetition?.anchored(at: day), by: clock, of: todo)
  }
}

extension Repetition {
  /// The first day of the rule on a day or after it.
  fileprivate func firstDay(from day: Day) -> Day? {
    weekdays.isEmpty && monthDay == nil ? day : day.adding(days: -1).flatMap { next(from: $0) }
  }
}

extension CloudTransaction {
  /// The day here and now.
  var today: Day { Zone.system.day(at: clock.now()) }

  /// Who can be given todos of a list, by their handles; nobody where there is no account.
  func assignees(of list: NodeID?) throws -> [String: UserID] {
    guard let me = try account() else { return [:] }
    var users = [me.handle.lowercased(): me.user]
    for member in try list.map({ try members(of: $0) }) ?? [] where !member.isLeaving {
      users[member.name.lowercased()] = member.user
    }
    users["me"] = me.user
    return users
  }

  /// The member that somebody named; nil for none.
  fileprivate func requireAssignee(_ text: String, of list: NodeID?) throws -> UserID? {
    if text.lowercased() == "none" || text.isEmpty { return nil }
    guard let account = try account() else { throw Complaint.notSignedUp }
    let name = try plainHandle(text, server: account.server)
    let users = try assignees(of: list)
    if let user = users[name] { return user }
    let title = try list.flatMap { try self.list($0)?.name }
    throw Complaint(
      "not_a_member", .unknownUser,
      "no \(Complaint.shortened(name)) is on \(title.map { Complaint.shortened($0) } ?? "the new list")",
      hint: "share it first: todo share \(title.map { shellQuoted($0) } ?? "<list>") --with \(shellQuoted(name))",
      candidates: similar(to: name, among: users.keys))
  }
}
