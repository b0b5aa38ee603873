import ArgumentParser
import Dates
import TodoCore
import Treesystem

/// `todo add [<list>] <title>…|-`
struct AddCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "add",
    abstract: "Add todos to a list.",
    usage: """
      todo add [<list>] <title>…|- [--due <date>] [--start <date>] [--priority <priority>]
               [--assign <user>] [--repeat <phrase>] [--tag <word>]… [--note <text>] [--under <todo>] [--literal]
      todo add [<list>] <title> --image <file> [--keep-metadata]
      """,
    discussion: """
      Each argument is one title. A single one goes to your default list, 'Todo' unless 'todo config default-list' chooses another; of several, the first is the list. '-' reads \
      titles from standard input, one a line. A list that does not exist is made. \
      At a title's end, 'due:fri start:tomorrow pri:high +breakfast @bob' say what the options say, and what cannot be read there is refused; --literal leaves them where they are. \
      --image attaches a picture: where it was taken and with which camera is left out of it, unless --keep-metadata \
      keeps the file as it is.

      Examples:
        todo add "buy milk"
        todo add Groceries eggs "oat milk"
        todo add Groceries - < shopping.txt
        todo add Groceries "oat milk due:fri +breakfast" --note "2 litres"
        todo add Home "take out the bins" --repeat "every mon" --assign bob
        todo add "book a table" --under k3fa
        todo add Groceries "this BBQ sauce" --image sauce.jpg
      """)

  @OptionGroup var options: GlobalOptions

  @OptionGroup var fields: FieldOptions

  @Option(help: ArgumentHelp("The todo that they are a part of; it says the list as well.", valueName: "todo"))
  var under: String?

  @Flag(help: "Take titles as they are, with '+' and all.")
  var literal = false

  @Option(help: ArgumentHelp("A picture for the todo: JPEG, PNG, WebP or GIF.", valueName: "file"))
  var image: [String] = []

  @Flag(help: "Keep what the camera wrote into the picture, such as the place.")
  var keepMetadata = false

  @Argument(help: ArgumentHelp("The list, if there is more than one word, and the titles.", valueName: "title"))
  var words: [String]

  func validate() throws {
    if keepMetadata, image.isEmpty { throw ValidationError("--keep-metadata needs --image") }
  }

  func run() async throws {
    var words = try AddWords(words, isLiteral: literal, hasList: under == nil, input: StandardInput.lines)
    try requireOneImage(for: words)
    let session = try Session.open(options)
    words.under = under
    words.standard = session.config.defaultList
    words.values = try FieldValues(fields, session.dates)
    if options.sync == true { _ = try session.requireAccount() }
    var sealed: SealedPicture?
    if let image = image.first {
      // Before what takes long, and leaves something on the disk.
      _ = try session.read { try $0.checked(words, session.dates) }
      sealed = try await session.seal(image, keepsMetadata: keepMetadata)
    }
    let added = try session.change { transaction in
      var page = try transaction.add(words, session.dates)
      guard let sealed else { return page }
      page.todos = try transaction.named(page.todos.map { try transaction.setImage(sealed.file, of: $0.todo) })
      page.attached = sealed.picture
      return page
    }
    try await session.finish(added, files: sealed != nil)
  }

  private func requireOneImage(for words: AddWords) throws {
    guard image.count < 2 else {
      throw Complaint.usage(
        "--image stands there \(image.count) times, and a todo has one image", hint: "leave the others out")
    }
    guard image.isEmpty || words.titles.count == 1 else {
      throw Complaint.usage(
        "--image goes with one title, and these are \(words.titles.count)", hint: "add them one by one")
    }
  }
}

/// What `add` was given, read but not yet looked up.
struct AddWords {
  /// Nil: the default list.
  let list: String?
  let titles: [TypedTitle]
  /// Whether each title is one word, as when somebody forgot to quote.
  let mayBeOneTitle: Bool
  /// What all of them are given.
  var values: FieldValues?
  /// The todo that they are a part of.
  var under: String?
  /// What the list for a title for which none is named is called, where none was chosen.
  var standard = ListName.standard

  struct TypedTitle {
    let title: Title
    /// Whether what stands at its end is left where it is.
    let isLiteral: Bool
  }

  /// - Parameters:
  ///   - isLiteral: whether what stands at a title's end is left where it is.
  ///   - hasList: whether the first of several is a list.
  ///   - input: reads standard input; called at most once.
  init(
    _ words: [String], isLiteral: Bool = false, hasList: Bool = true, input: () throws -> [(number: Int, text: String)]
  ) throws {
    let isStandard = words.count == 1 || !hasList
    list = isStandard ? nil : words.first
    let given = isStandard ? words[...] : words.dropFirst()
    guard given.filter({ $0 == "-" }).count < 2 else {
      throw Complaint.usage("'-' stands there twice", hint: "standard input can be read only once")
    }
    titles = try given.flatMap { word in
      let lines = word == "-" ? try input().map { ($0.number, $0.text) } : [(nil, word)]
      return try TodoCLI.titles(lines).map { TypedTitle(title: $0, isLiteral: isLiteral) }
    }
    guard !titles.isEmpty else {
      throw Complaint(
        "empty_title", .badData, "standard input has no titles", hint: "write one title a line")
    }
    mayBeOneTitle = !isStandard && !given.contains("-") && !words.contains { $0.contains(" ") }
  }
}

extension CloudTransaction {
  /// Puts titles on the list that was named, making it if it does not exist.
  fileprivate func add(_ words: AddWords, _ dates: DatePhrase) throws -> ChangePage {
    let (found, new) = try checked(words, dates)
    let like = try found == nil ? words.list.map(listsLike) ?? [] : []
    let alone = words.titles.filter { !$0.isLiteral && InlineFields(dates: dates).areAll(of: $0.title) }
    let isDefault = words.list == nil && words.under == nil
    let list =
      try isDefault ? settleDefaultList(found, words.standard) : found ?? makeList(words.list ?? words.standard.text)
    let there = try found == nil ? [] : new.compactMap { try open(titled: $0.title.text, in: list.node) }
    let isFirst = try todoCount(.open, ofFew: 0) != nil
    let todos = try named(addTodos(new, to: list.node))
    let isNew = found == nil
    let quote = words.mayBeOneTitle && (isNew || words.titles.count > 1)
    return ChangePage(
      verb: "added", todos: todos, newList: isNew && words.list != nil ? list.name : nil,
      sharers: try otherMembers(of: list),
      hints: (isFirst ? firstHints(todos) : []) + (isNew ? TodoCommand.hints(ofListNamed: list.name) : [])
        + (quote ? ["quote to make several words one title"] : [])
        + (like.isEmpty ? [] : ["\(Complaint.didYouMean(like.map(harmless))) 'todo undo' takes this back"])
        + alone.prefix(1).map {
          "'\(harmless(Complaint.shortened($0.title.text)))' is a title here: put it into the quotes of the one that it is about"
        }
        + there.prefix(3).map {
          "'\(harmless(Complaint.shortened($0.title)))' was on \(harmless(list.name)) already: \($0.shortID)"
        })
  }

  /// What somebody does next who has just begun.
  private func firstHints(_ todos: [NamedTodo]) -> [String] {
    guard let first = todos.first?.todo.shortID else { return [] }
    return ["'todo' shows it, 'todo done \(first)' ticks it off", "it can be due: todo edit \(first) --due tomorrow"]
  }

  /// The list that is meant, nil where it is yet to be made, and what is to be put on it. Complains where anything is not clear.
  fileprivate func checked(_ words: AddWords, _ dates: DatePhrase) throws -> (TodoList?, [NewTodo]) {
    let parent = try words.under.map { try requireTodo($0) }
    let list = try parent.map { try self.list($0.list) } ?? target(of: words)
    if let list { try requireWrite(list.node) }
    let namesSomebody = words.titles.contains { !$0.isLiteral && $0.title.text.contains("@") }
    let inline = InlineFields(dates: dates, members: namesSomebody ? try assignees(of: list?.node) : [:])
    let new = try words.titles.map { typed in
      var new = typed.isLiteral ? NewTodo(typed.title) : try inline.read(typed.title)
      try words.values?.give(to: &new, on: list?.node, in: self)
      new.parent = parent?.node
      return new
    }
    return (list, new)
  }

  private func target(of words: AddWords) throws -> TodoList? {
    if let name = words.list { return try listToAddTo(name) }
    if case .one(let list) = try findList(words.titles[0].title.text) {
      throw Complaint.usage(
        "'\(Complaint.shortened(list.name))' is a list",
        hint: "say what to add to it: todo add \(shellQuoted(list.name)) <title>")
    }
    return try requireDefaultList(words.standard)
  }

  private func listToAddTo(_ name: String) throws -> TodoList? {
    if case .one(let list) = try findList(name) { return list }
    _ = try ListName(name)
    return nil
  }

  /// Lists that a name which none has may have been meant for.
  private func listsLike(_ name: String) throws -> [String] {
    guard case .unknown(let similar) = try findList(name) else { return [] }
    return similar.filter { isSimilar(name, to: $0) }
  }
}
