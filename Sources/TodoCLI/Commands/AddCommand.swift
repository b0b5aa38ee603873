import ArgumentParser
import TodoCore
import Treesystem

/// `todo add [<list>] <title>…|-`
struct AddCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "add",
    abstract: "Add todos to a list.",
    usage: """
      todo add [<list>] <title>…|- [--tag <word>]… [--note <text>] [--literal]
      todo add [<list>] <title> --image <file> [--keep-metadata]
      """,
    discussion: """
      Each argument is one title. A single one goes to the list 'Todo'; of several, the first is the list. '-' reads \
      titles from standard input, one a line. A list that does not exist is made. \
      Words with a '+' before them at a title's end are its tags, unless --literal leaves them where they are. \
      --image attaches a picture: where it was taken and with which camera is left out of it, unless --keep-metadata \
      keeps the file as it is.

      Examples:
        todo add "buy milk"
        todo add Groceries eggs "oat milk"
        todo add Groceries - < shopping.txt
        todo add Groceries "oat milk +breakfast" --note "2 litres"
        todo add Groceries "this BBQ sauce" --image sauce.jpg
      """)

  @OptionGroup var options: GlobalOptions

  @Flag(help: "Make the list even if another has a similar name.")
  var newList = false

  @Option(help: ArgumentHelp("A tag for each; several times for several.", valueName: "word"))
  var tag: [String] = []

  @Option(help: ArgumentHelp("What is to stand beside each title.", valueName: "text"))
  var note: String?

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
    var words = try AddWords(words, isLiteral: literal, input: StandardInput.lines)
    try words.give(tags: tag.map { try Tag($0) }, note: note.map { try Note($0) })
    try requireOneImage(for: words)
    let session = try Session.open(options)
    if options.sync == true { _ = try session.requireAccount() }
    // Before anything that takes long, or that leaves something on the disk.
    _ = try session.read { try $0.target(of: words, newList: newList) }
    var sealed: SealedPicture?
    if let image = image.first { sealed = try await session.seal(image, keepsMetadata: keepMetadata) }
    let added = try session.change { transaction in
      var page = try transaction.add(words, newList: newList)
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
    guard image.isEmpty || words.todos.count == 1 else {
      throw Complaint.usage(
        "--image goes with one title, and these are \(words.todos.count)", hint: "add them one by one")
    }
  }
}

/// What `add` was given, read but not yet looked up.
struct AddWords {
  /// Nil: the default list.
  let list: String?
  private(set) var todos: [NewTodo]
  /// Whether each title is one word, as when somebody forgot to quote.
  let mayBeOneTitle: Bool

  /// - Parameters:
  ///   - isLiteral: whether a tag at a title's end is left where it is; in standard input it always is.
  ///   - input: reads standard input; called at most once.
  init(
    _ words: [String], isLiteral: Bool = false, input: () throws -> [(number: Int, text: String)]
  ) throws {
    let isStandard = words.count == 1
    list = isStandard ? nil : words.first
    let given = isStandard ? words[...] : words.dropFirst()
    guard given.filter({ $0 == "-" }).count < 2 else {
      throw Complaint.usage("'-' stands there twice", hint: "standard input can be read only once")
    }
    todos = try given.flatMap { word -> [NewTodo] in
      if word == "-" { return try titles(input().map { ($0.number, $0.text) }).map { NewTodo($0) } }
      return try titles([(nil, word)]).map { isLiteral ? NewTodo($0) : try NewTodo(typed: $0) }
    }
    guard !todos.isEmpty else {
      throw Complaint(
        "empty_title", .badData, "standard input has no titles", hint: "write one title a line")
    }
    mayBeOneTitle = !isStandard && !given.contains("-") && !words.contains { $0.contains(" ") }
  }

  /// Gives all of them the same besides.
  mutating func give(tags: [Tag], note: Note?) {
    for index in todos.indices {
      todos[index].tags += tags
      todos[index].note = note
    }
  }
}

extension CloudTransaction {
  /// Puts titles on the list that was named, making it if nothing like it exists.
  fileprivate func add(_ words: AddWords, newList: Bool) throws -> ChangePage {
    let found = try target(of: words, newList: newList)
    let list = try found ?? makeList(words.list ?? ListName.standard.text)
    let todos = try named(addTodos(words.todos, to: list.node))
    let isNew = found == nil
    return ChangePage(
      verb: "added", todos: todos, newList: isNew && words.list != nil ? list.name : nil,
      hints: words.mayBeOneTitle && (isNew || words.todos.count > 1) ? ["quote to make several words one title"] : [])
  }

  /// The list that is meant; nil where it is yet to be made. Complains where that is not clear, and where nothing may be added.
  fileprivate func target(of words: AddWords, newList: Bool) throws -> TodoList? {
    if words.list == nil, case .one(let list) = try findList(words.todos[0].title.text) {
      throw Complaint.usage(
        "'\(Complaint.shortened(list.name))' is a list",
        hint: "say what to add to it: todo add \(shellQuoted(list.name)) <title>")
    }
    let list: TodoList?
    if let name = words.list { list = try listToAddTo(name, newList: newList) } else { list = try standardList() }
    if let list { try requireWrite(list.node) }
    return list
  }

  private func listToAddTo(_ name: String, newList: Bool) throws -> TodoList? {
    switch try findList(name) {
    case .one(let list): return list
    case .ambiguous(let lists): throw Complaint.ambiguousList(name, lists)
    case .unknown(let similar):
      let mistyped = similar.filter { isSimilar(name, to: $0) }
      if !newList, !mistyped.isEmpty {
        var complaint = Complaint.unknownList(name, similar: mistyped)
        complaint.hint += " otherwise add --new-list"
        throw complaint
      }
      _ = try ListName(name)
      return nil
    }
  }
}
