import ArgumentParser
import TodoCore
import Treesystem

/// `todo image rm <todo>`
struct ImageRmCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "rm",
    abstract: "Take the image off a todo.",
    usage: "todo image rm <todo> [--earlier <n>]",
    discussion: """
      It stays as an earlier one ('todo image show <todo> --earlier 1') until the todo is deleted for good, for everybody who shares the \
      list. One that was never sent is gone, also where the server refused it: nobody gets to see it. With --earlier it is an earlier one that goes, as long as \
      it was never sent.

      Examples:
        todo image rm k3fa
        todo image rm k3fa --earlier 1
      """)

  @OptionGroup var options: GlobalOptions

  @OptionGroup var choice: ImageChoice

  func run() async throws {
    let session = try Session.open(options)
    let page = try session.change { transaction in
      let todo = try transaction.requireTodo(choice.todo)
      try transaction.requireImageWrite(todo)
      return try choice.earlier == nil ? takeOff(todo, transaction) : takeBack(todo, transaction)
    }
    try await session.finish(page)
  }

  private func takeOff(_ todo: Todo, _ transaction: CloudTransaction) throws -> ChangePage {
    guard let image = todo.image else { throw Complaint.nothingToTakeOff(todo) }
    let isRefused = try transaction.isRefused(image)
    let changed = try transaction.removeImage(of: todo)
    var page = ChangePage(verb: "took the image off", todos: try transaction.named([changed]))
    page.tell(
      try transaction.node(image) != nil ? .stays : isRefused ? .refused : .unsent,
      stays:
        "it stays as an earlier one, for everybody who shares the list: todo image show \(todo.shortID) --earlier 1")
    return page
  }

  /// An earlier image that nobody else has yet.
  private func takeBack(_ todo: Todo, _ transaction: CloudTransaction) throws -> ChangePage {
    let picked = try transaction.requireImage(of: choice.todo, earlier: choice.earlier)
    let recall = try transaction.takeBack(picked.image.image, of: todo)
    if recall == .stays { throw Complaint.wasSent(todo) }
    var page = ChangePage(verb: "took an earlier image off", todos: try transaction.named([todo]))
    page.tell(recall, stays: "")
    return page
  }
}

extension ChangePage {
  /// Says what became of an image. That a change was given up is no hint: its user was told to decide about it.
  fileprivate mutating func tell(_ recall: Recall, stays: String) {
    switch recall {
    case .stays: hints = [stays]
    case .unsent: hints = ["it was never sent, and is gone"]
    case .refused: remark = "the server had refused it: it is gone, and nothing of it is sent any more"
    }
  }
}
