import ArgumentParser
import CloudAPI
import TodoCore
import Treesystem

/// `todo search <text>…`
struct SearchCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "search",
    abstract: "Find todos by words: in titles, notes, tags and comments.",
    usage: "todo search <word>… [<filter>…] [--done]",
    discussion: """
      A word finds every word that begins with it, whatever its case and its accents; a todo has to have all of them. \
      Open and done ones are searched; filters are those of 'todo ls'.

      Examples:
        todo search milk
        todo search oat mi
        todo search sauce +bbq --json
      """)

  @OptionGroup var options: GlobalOptions

  @Flag(help: "Only what is done.")
  var done = false

  @Argument(help: ArgumentHelp("What to look for, and filters.", valueName: "word"))
  var words: [String]

  func run() async throws {
    let text = words.filter { !TodoFilter.isFilter($0) }.joined(separator: " ")
    guard text.contains(where: { !$0.isWhitespace }) else {
      throw Complaint.usage("there is no word to look for", hint: "filters alone are for 'todo ls'")
    }
    let session = try Session.open(options)
    try await session.show { transaction in
      var wanted = try WantedTodos(words.filter(TodoFilter.isFilter), done ? .done : .all, session.dates)
      wanted.text = text
      return ListsPage(contents: try transaction.contents(of: wanted), nothing: wanted.nothing)
    }
  }
}
