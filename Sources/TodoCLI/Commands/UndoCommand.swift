import ArgumentParser
import TodoCore
import Treesystem

/// `todo undo`
struct UndoCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "undo",
    abstract: "Take back what you did last to todos and lists, also where others have seen it already.",
    usage: "todo undo [-n <steps>]",
    discussion: """
      It is a new change, which travels like any other. What others have changed since stays as they made it. The last 100 \
      commands of this device can be taken back, one after the other. Sharing and messages cannot, and neither can what was deleted for good.

      Examples:
        todo done k3fa && todo undo
        todo undo -n 3
      """)

  @OptionGroup var options: GlobalOptions

  @Option(name: .customShort("n"), help: ArgumentHelp("How many commands to take back.", valueName: "steps"))
  var steps = 1

  func validate() throws {
    guard steps > 0 else { throw ValidationError("-n takes a number from 1") }
  }

  func run() async throws {
    let session = try Session.open(options)
    let page = try session.change(isAction: false) { transaction in
      // A list that goes takes its name along.
      let names = try Dictionary(transaction.lists().map { ($0.node, $0.name) }) { first, _ in first }
      var undone: [Undone] = []
      for _ in 0..<steps {
        guard let lists = try transaction.listsOfLastAction() else { break }
        for list in lists { try transaction.requireWrite(list) }
        do {
          if let next = try transaction.undo() { undone.append(next) }
        } catch let end as ActionEnd {
          throw Complaint(
            "not_undoable", .notFound, "that cannot be undone: \(end.words)", hint: "'todo log' shows what was done")
        }
      }
      guard !undone.isEmpty else {
        throw Complaint(
          "nothing_to_undo", .notFound, "there is nothing to take back", hint: "'todo log' shows what was done")
      }
      return UndoPage(steps: try undone.flatMap(\.steps).map { try transaction.named($0, names) })
    }
    try await session.finish(page)
  }
}

extension ActionEnd {
  fileprivate var words: String {
    switch self {
    case .trashEmptied: "the trash was emptied"
    case .listRemoved: "a list was removed"
    case .listKept: "a list was kept as one of your own"
    }
  }
}

/// A step that was taken back, with names.
struct NamedUndo {
  let step: Undone.Step
  let todo: NamedTodo?
}

extension CloudTransaction {
  fileprivate func named(_ step: Undone.Step, _ names: [NodeID: String]) throws -> NamedUndo {
    NamedUndo(
      step: step,
      todo: try step.todo.map { todo in try named([todo]) { names[$0.list] ?? (try? list($0.list)?.name) ?? "" }[0] })
  }
}

/// What was taken back, a line each.
struct UndoPage: Page {
  let steps: [NamedUndo]

  func lines(_ style: Style) -> [String] {
    if steps.isEmpty { return ["took back nothing: it is gone for good"] }
    return steps.map { named in
      let did = named.step.did.map { $0 == "retitled" ? "renamed" : $0 }.joined(separator: ", ")
      let name =
        named.todo.map { "\(style.id($0.todo.shortID)) \($0.title(style))\(style.quiet(" · \(harmless($0.list))"))" }
        ?? "list \(harmless(named.step.list?.name ?? ""))"
      return named.step.isKept
        ? "kept '\(did)' \(name)\(style.quiet(", which was changed since"))" : "took back '\(did)' \(name)"
    }
  }

  var members: [JSON.Member] {
    [
      .init(key: "change", value: "took back"),
      .init(
        key: "steps",
        value: .array(
          steps.map { named in
            [
              "did": .array(named.step.did.map { .string($0) }), "kept": .bool(named.step.isKept),
              "todo": named.todo?.json ?? .null, "list": .text(named.step.list?.name),
            ]
          })),
    ]
  }
}
