import ArgumentParser
import TodoCore
import Treesystem

/// `todo lists keep <list>`
struct ListsKeepCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "keep",
    abstract: "Make a list of your own of one that somebody shared with you, and does no more.",
    usage: "todo lists keep <list>",
    discussion: """
      Everything that is here of it is on the new list, its trash and what you had not sent too; the old one goes.

      Example:
        todo lists keep Groceries
      """)

  @OptionGroup var options: GlobalOptions

  @Argument(help: "The list.")
  var list: String

  func run() async throws {
    let session = try Session.open(options)
    let page = try session.change { transaction in
      let list = try transaction.requireList(list)
      guard try transaction.end(of: list) != nil else {
        throw Complaint(
          "not_deleted", .usage, "'\(Complaint.shortened(list.name))' is yours to use as it is",
          hint: "this is for lists that somebody deleted, or took you off")
      }
      return NamesPage(verb: "kept list", lists: try transaction.summaries(of: [transaction.keepList(list)]))
    }
    try await session.finish(page)
  }
}
