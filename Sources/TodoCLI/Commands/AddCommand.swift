import ArgumentParser
import TodoCore
import Treesystem

/// `todo add [<list>] <title>…|-`
struct AddCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "add",
    abstract: "Add todos to a list.",
    usage: "todo add [<list>] <title>…|-",
    discussion: """
      Each argument is one title. A single one goes to the list 'Todo'; of several, the first is the list. '-' reads \
      titles from standard input, one a line. A list that does not exist is made.

      Examples:
        todo add "buy milk"
        todo add Groceries eggs "oat milk"
        todo add Groceries - < shopping.txt
      """)

  @OptionGroup var options: GlobalOptions

  @Flag(help: "Make the list even if another has a similar name.")
  var newList = false

  @Argument(help: ArgumentHelp("The list, if there is more than one word, and the titles.", valueName: "title"))
  var words: [String]

  func run() async throws {
    let words = try AddWords(words, input: StandardInput.lines)
    let session = try Session.open(options)
    let added = try session.change { try $0.add(words, newList: newList) }
    try await session.finish(added)
  }
}

/// What `add` was given, read but not yet looked up.
struct AddWords {
  /// Nil: the default list.
  let list: String?
  let titles: [Title]
  /// Whether each title is one word, as when somebody forgot to quote.
  let mayBeOneTitle: Bool

  /// - Parameter input: reads standard input; called at most once.
  init(_ words: [String], input: () throws -> [(number: Int, text: String)]) throws {
    let isStandard = words.count == 1
    list = isStandard ? nil : words.first
    let given = isStandard ? words[...] : words.dropFirst()
    guard given.filter({ $0 == "-" }).count < 2 else {
      throw Complaint.usage("'-' stands there twice", hint: "standard input can be read only once")
    }
    titles = try TodoCLI.titles(
      given.flatMap { word -> [(number: Int?, text: String)] in
        word == "-" ? try input().map { ($0.number, $0.text) } : [(nil, word)]
      })
    guard !titles.isEmpty else {
      throw Complaint(
        "empty_title", .badData, "standard input has no titles", hint: "write one title a line")
    }
    mayBeOneTitle = !isStandard && !given.contains("-") && !words.contains { $0.contains(" ") }
  }
}

extension CloudTransaction {
  /// Puts titles on the list that was named, making it if nothing like it exists.
  fileprivate func add(_ words: AddWords, newList: Bool) throws -> ChangePage {
    if words.list == nil, case .one(let list) = try findList(words.titles[0].text) {
      throw Complaint.usage(
        "'\(Complaint.shortened(list.name))' is a list",
        hint: "say what to add to it: todo add \(shellQuoted(list.name)) <title>")
    }
    let (list, isNew) = try listToAddTo(words.list ?? ListName.standard.text, newList: newList || words.list == nil)
    try requireWrite(list.node)
    let todos = try named(addTodos(words.titles, to: list.node))
    return ChangePage(
      verb: "added", todos: todos, newList: isNew && words.list != nil ? list.name : nil,
      hints: words.mayBeOneTitle && (isNew || words.titles.count > 1) ? ["quote to make several words one title"] : [])
  }

  private func listToAddTo(_ name: String, newList: Bool) throws -> (TodoList, isNew: Bool) {
    switch try findList(name) {
    case .one(let list): return (list, false)
    case .ambiguous(let lists): throw Complaint.ambiguousList(name, lists)
    case .unknown(let similar):
      let mistyped = similar.filter { isSimilar(name, to: $0) }
      if !newList, !mistyped.isEmpty {
        var complaint = Complaint.unknownList(name, similar: mistyped)
        complaint.hint += " otherwise add --new-list"
        throw complaint
      }
      return (try makeList(name), true)
    }
  }
}
