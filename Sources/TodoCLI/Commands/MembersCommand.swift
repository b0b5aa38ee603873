import ArgumentParser
import Sharing
import Signing
import TodoCore
import Treesystem

/// `todo members [<list>]`
struct MembersCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "members",
    abstract: "Show who shares a list, and what they may do.",
    usage: "todo members [<list>]",
    discussion: """
      Example:
        todo members Groceries
      """)

  @OptionGroup var options: GlobalOptions

  @Argument(help: "The list; every shared list if none is named.")
  var list: String?

  func run() async throws {
    let session = try Session.open(options)
    try await session.show { transaction in
      let lists = try list.map { [try transaction.requireList($0)] } ?? transaction.lists()
      let all = try lists.map { (list: $0, members: try transaction.members(of: $0.node, history: true)) }
      return MembersPage(lists: list == nil ? all.filter { $0.members.count > 1 } : all)
    }
  }
}

/// Lists with those who share them.
struct MembersPage: Page {
  let lists: [(list: TodoList, members: [Member])]

  func lines(_ style: Style) -> [String] {
    if lists.isEmpty { return ["no list is shared yet"] }
    let blocks = lists.map { list, members in
      let width = members.map { harmless($0.name).count }.max() ?? 0
      let people = members.map { member in
        "  \(pad(harmless(member.name), to: width))  \(style.quiet(member.role.rawValue + member.remark))"
      }
      return ([style.heading(harmless(list.name))] + (people.isEmpty ? ["  only you"] : people)).joined(separator: "\n")
    }
    return [blocks.joined(separator: "\n\n")]
  }

  var members: [JSON.Member] {
    let lists: [JSON] = lists.map { list, members in
      let people: [JSON] = members.map { member in
        [
          "handle": .string(member.name), "user": .string(member.user.description),
          "role": .string(member.role.rawValue), "pending": .bool(member.pending),
          "leaving": .bool(member.isLeaving), "verified": .bool(member.isVerified),
          "declined": .bool(member.hasDeclined),
          "added_at": .time(member.added?.at), "added_by": .text(member.added?.by),
        ]
      }
      return ["list": .string(list.name), "list_id": .string(list.id), "members": .array(people)]
    }
    return [.init(key: "lists", value: .array(lists))]
  }
}

extension Member {
  /// What the server has not confirmed yet, and how they came here.
  fileprivate var remark: String {
    if isLeaving { return ", removal not sent yet" }
    if pending { return ", not sent yet" }
    let verified = (isVerified ? ", verified" : "") + (hasDeclined ? ", declined" : "")
    guard let added, added.by != name else { return verified }
    return "\(verified), added\(added.at.map { " \(localTime($0))" } ?? "") by \(harmless(added.by))"
  }
}

extension CloudTransaction {
  /// Handles of those who share a list, without oneself.
  func otherMembers(of list: TodoList) throws -> [String] {
    guard let me = try account()?.user else { return [] }
    return try members(of: list.node).filter { $0.user != me }.map(\.name)
  }
}
