import ArgumentParser
import TodoCore
import Treesystem

/// `todo lists`
struct ListsCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "lists",
    abstract: "Show the names of the lists; or add, rename, merge, clear, remove and keep them.",
    usage: "todo lists [add | rename | merge | clear | rm | keep]",
    discussion: """
      Examples:
        todo lists
        todo lists add Groceries
        todo lists rename Groceries Food
        todo lists merge Shopping --into Food
        todo lists clear Food
        todo lists rm Food
        todo lists keep Groceries
      """,
    subcommands: [
      ListsAddCommand.self, ListsRenameCommand.self, ListsMergeCommand.self, ListsClearCommand.self,
      ListsRmCommand.self,
      ListsKeepCommand.self,
    ])

  @OptionGroup var options: GlobalOptions

  func run() async throws {
    let session = try Session.open(options)
    try await session.show {
      NamesPage(
        lists: try $0.summaries(of: $0.lists()), unread: try $0.unreadLists(), late: try $0.lateInvites())
    }
  }
}

/// `todo lists add <name>`
struct ListsAddCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "add",
    abstract: "Make a list.",
    usage: "todo lists add <name>",
    discussion: """
      Example:
        todo lists add "Summer holiday"
      """)

  @OptionGroup var options: GlobalOptions

  @Argument(help: "The name of the new list.")
  var name: String

  func run() async throws {
    let session = try Session.open(options)
    let page = try session.change { transaction in
      NamesPage(verb: "created list", lists: try transaction.summaries(of: [transaction.makeList(name)]))
    }
    try await session.finish(page)
  }
}

/// `todo lists rename <list> <name>`
struct ListsRenameCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "rename",
    abstract: "Give a list another name.",
    usage: "todo lists rename <list> <name>",
    discussion: """
      What you call a list is yours. Everybody who shares it gets the new name as its title if it is your list, or if you called it by its \
      title and may write there; they go on calling it as they do until they take the title for a name.

      Example:
        todo lists rename Groceries Food
      """)

  @OptionGroup var options: GlobalOptions

  @Argument(help: "The list.")
  var list: String

  @Argument(help: "Its new name.")
  var name: String

  func run() async throws {
    let name = try ListName(name)
    let session = try Session.open(options)
    let renamed = try session.change { transaction in
      let list = try transaction.requireList(list)
      try transaction.requireStaying(list.node)
      guard case .list(let renamed) = try transaction.renameList(list, to: name) else {
        throw Complaint.listExists(name.text)
      }
      return try transaction.summaries(of: [renamed])
    }
    try await session.finish(NamesPage(verb: "renamed list", lists: renamed))
  }
}

extension CloudTransaction {
  /// Makes a list, or complains about its name.
  func makeList(_ name: String) throws -> TodoList {
    switch try addList(ListName(name)) {
    case .list(let list): return list
    case .taken(let other): throw Complaint.listExists(other.name)
    }
  }
}
