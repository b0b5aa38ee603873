import Sharing
import TodoCore
import Treesystem

/// A list without its todos.
struct ListSummary {
  let list: TodoList
  let openCount: Int
  /// The owner's handle, if that is somebody else.
  let owner: String?
  /// Handles of those who may read it.
  let others: [String]
  /// Those of them who did not decline it.
  let sharers: [String]
  /// How it ended for this user, if it did.
  var end: EndedList?
}

/// The names of lists; or what became of them.
struct NamesPage: Page {
  /// What happened, in the past tense; nil where they are only shown.
  var verb: String?
  let lists: [ListSummary]
  /// Those of which nothing could be read.
  var unread: [UnreadList] = []
  /// Invitations that were accepted too late.
  var late: [LateInvite] = []
  /// Whether they are in the trash now.
  var isInTrash = false

  func lines(_ style: Style) -> [String] {
    if let verb { return lists.map { "\(verb) \(style.heading(harmless($0.list.name)))" } }
    return (lists.isEmpty && unread.isEmpty && late.isEmpty ? ["no lists yet"] : named(style))
      + (unread.map(\.notice) + late.map(\.notice)).map { style.bad(harmless($0)) + style.quiet("  todo status") }
  }

  private func named(_ style: Style) -> [String] {
    let width = lists.map { harmless($0.list.name).count }.max() ?? 0
    return lists.map { summary in
      let people = with(summary.end?.kind == .unshared ? [] : summary.sharers)
      return style.heading(pad(harmless(summary.list.name), to: width))
        + style.quiet("  \(summary.openCount) open\(people)\(summary.list.otherName)\(summary.end.remark)")
    }
  }

  var members: [JSON.Member] {
    [
      .init(key: "change", value: .text(verb)),
      .init(
        key: "lists",
        value: .array(
          lists.map { summary in
            [
              "id": .string(summary.list.id), "name": .string(summary.list.name), "title": .string(summary.list.title),
              "open": .int(Int64(summary.openCount)), "owner": .text(summary.owner),
              "shared_with": .array(summary.others.map { .string($0) }),
              "created_at": .time(summary.list.createdAt), "deleted": .bool(summary.end?.kind == .deleted),
              "ended": summary.end.json,
            ]
          })),
      .init(key: "unread", value: .array((unread.map(\.name) + late.map(\.invite.title)).map { .string($0) })),
    ]
  }

  var hints: [String] {
    switch verb {
    case "removed list" where isInTrash:
      lists.map {
        "it is in the trash with \(counted($0.openCount, "open todo")): todo restore \(shellQuoted($0.list.name))"
      }
    case nil: lists.compactMap(\.end).hints
    case "created list", "renamed list": lists.flatMap { TodoCommand.hints(ofListNamed: $0.list.name) }
    default: []
    }
  }
}

extension TodoList {
  /// ` · others call it Food`, or nothing.
  var otherName: String { otherTitle.map { " · others call it \(harmless(Complaint.shortened($0)))" } ?? "" }
}

/// ` · with alice, carol`, or nothing.
func with(_ people: [String]) -> String {
  people.isEmpty ? "" : " · with \(people.map(harmless).joined(separator: ", "))"
}

extension [EndedList] {
  /// What to do about the first of them.
  var hints: [String] { first.map { ["what is here of it becomes a list of your own with: \($0.keep)"] } ?? [] }
}

extension CloudTransaction {
  /// Counts what is on lists, and who shares them.
  func summaries(of lists: [TodoList]) throws -> [ListSummary] {
    var handles = try Handles(self)
    return try lists.map { list in
      ListSummary(
        list: list, openCount: try todoCount(in: list.node, .open), owner: try handles.other(list.owner),
        others: try otherMembers(of: list), sharers: try otherMembers(of: list, declining: false),
        end: try end(of: list))
    }
  }
}
