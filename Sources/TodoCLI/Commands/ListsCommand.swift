import ArgumentParser
import TodoCore
import Treesystem

/// `todo lists`
struct ListsCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "lists",
    abstract: "Show the names of the lists; or add, rename and remove them.",
    usage: "todo lists [add | rename | rm]",
    discussion: """
      Examples:
        todo lists
        todo lists add Groceries
        todo lists rename Groceries Food
        todo lists rm Food
      """,
    subcommands: [ListsAddCommand.self, ListsRenameCommand.self, ListsRmCommand.self])

  @OptionGroup var options: GlobalOptions

  func run() async throws {
    let session = try Session.open(options)
    try await session.show { NamesPage(lists: try $0.summaries(of: $0.lists())) }
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
    abstract: "Give a list another name, for everybody who shares it.",
    usage: "todo lists rename <list> <name>",
    discussion: """
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
      try transaction.requireWrite(list.node)
      guard case .list(let renamed) = try transaction.renameList(list, to: name) else {
        throw Complaint.listExists(name.text)
      }
      return try transaction.summaries(of: [renamed])
    }
    try await session.finish(NamesPage(verb: "renamed list", lists: renamed))
  }
}

/// `todo lists rm <list>`
struct ListsRmCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "rm",
    abstract: "Remove a list and its todos for good; a list that somebody else shares only from here.",
    usage: "todo lists rm <list>",
    discussion: """
      Example:
        todo lists rm Food
      """)

  @OptionGroup var options: GlobalOptions

  @Argument(help: "The list.")
  var list: String

  func run() async throws {
    let session = try Session.open(options)
    if let closed = try session.read({ try $0.closedInviteIfUnknown(list) }) {
      try session.change { try $0.delete(closed.pointer.id) }
      return try await session.finish(ClosedInvitePage(invite: closed.invite))
    }
    let summary = try session.read { try $0.summaries(of: [$0.requireList(list)])[0] }
    let name = harmless(summary.list.name)
    try session.read { try $0.requireRemovable(summary, name) }
    if !summary.others.isEmpty {
      try session.confirm("remove the shared list '\(name)'")
    } else if summary.openCount > 0 {
      try session.confirm("remove '\(name)' with \(counted(summary.openCount, "open todo"))")
    }
    try session.change { try $0.removeList(summary.list) }
    try await session.finish(NamesPage(verb: "removed list", lists: [summary]))
  }
}

extension CloudTransaction {
  /// What others wait for must not vanish with a list, and a list must not lose its owner.
  fileprivate func requireRemovable(_ summary: ListSummary, _ name: String) throws {
    guard !summary.others.isEmpty else { return }
    let unsent = try operations().filter { $0.branch == summary.list.branch }
    guard unsent.isEmpty else {
      let isUnshared = try unsharedBranches().contains(summary.list.branch)
      throw Complaint(
        "unsent_changes", isUnshared ? .notPermitted : .tryAgain, "changes of '\(name)' were not sent yet",
        hint: isUnshared
          ? "nobody gets them; give them up first: todo sync --discard \(unsent.map { String($0.sequence) }.joined(separator: " "))"
          : "run 'todo sync' first")
    }
    guard summary.owner != nil else {
      throw Complaint(
        "owner_stays", .notPermitted, "'\(name)' is yours, and others share it",
        hint: "'todo rm' removes its todos; taking a shared list from everybody is not possible yet")
    }
  }

  /// Makes a list, or complains about its name.
  func makeList(_ name: String) throws -> TodoList {
    switch try addList(ListName(name)) {
    case .list(let list): return list
    case .taken(let other): throw Complaint.listExists(other.name)
    }
  }
}
