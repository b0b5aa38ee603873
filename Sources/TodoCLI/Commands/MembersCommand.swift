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
      let all = try lists.map { try SharedList($0, in: transaction) }
      return MembersPage(lists: list == nil ? all.filter(\.isShared) : all)
    }
  }
}

/// A list with those who share it, and those who may.
struct SharedList {
  let list: TodoList
  let members: [Member]
  /// Those whose account is no more.
  let deleted: Set<UserID>
  let offers: [OpenOffer]
  let codes: [OpenCode]
  /// How it ended for this user, if it did: then these are the last that were known.
  let end: EndedList?

  init(_ list: TodoList, in transaction: CloudTransaction) throws {
    self.list = list
    members = try transaction.members(of: list.node, history: true)
    deleted = try Set(members.map(\.user).filter { try transaction.hasDeletedAccount($0) })
    let branch = try transaction.cloudID(of: list.branch)
    offers = try branch.map { try transaction.offers(of: $0) } ?? []
    codes = try branch.map { try transaction.openCodes(for: $0) } ?? []
    end = try transaction.end(of: list)
  }

  var isShared: Bool { members.count > 1 || !codes.isEmpty }

  /// What stands behind the only one who is there.
  var alone: String { members.count == 1 && !isShared ? ", shared with nobody" : "" }

  /// What may come yet.
  var notes: [String] {
    offers.map { "offered to \($0.name), until \(localTime($0.expires))" }
      + codes.map { "a code lets in one \($0.role.rawValue), until \(localTime($0.expires)) (made on this device)" }
  }
}

/// Lists with those who share them.
struct MembersPage: Page {
  let lists: [SharedList]

  func lines(_ style: Style) -> [String] {
    if lists.isEmpty { return ["no list is shared yet"] }
    let blocks = lists.map { shared in
      let (list, members) = (shared.list, shared.members)
      let width = members.map { harmless($0.name).count }.max() ?? 0
      let people = members.map { member in
        let remark = member.remark(isDeleted: shared.deleted.contains(member.user))
        return
          "  \(pad(harmless(member.name), to: width))  \(style.quiet(member.role.rawValue + remark + shared.alone))"
      }
      let notes = shared.notes.map { "  " + style.quiet(harmless($0)) }
      let ended = shared.end.map { style.quiet("  \(harmless($0.words)); until then:") }
      return ([style.heading(harmless(list.name)) + (ended ?? "")] + (people.isEmpty ? ["  only you"] : people) + notes)
        .joined(separator: "\n")
    }
    return [blocks.joined(separator: "\n\n")]
  }

  var members: [JSON.Member] {
    let lists: [JSON] = lists.map { shared in
      let people: [JSON] = shared.members.map { member -> JSON in
        let isDeleted = shared.deleted.contains(member.user)
        return [
          "handle": .string(member.name), "user": .string(member.user.description),
          "role": .string(member.role.rawValue), "pending": .bool(member.pending),
          "leaving": .bool(member.isLeaving), "verified": .bool(member.isVerified),
          "other_number": .bool(member.isOther), "account_deleted": .bool(isDeleted),
          "declined": .bool(member.hasDeclined), "joined": member.hasJoined.map { .bool($0) } ?? .null,
          "invitation_ended": .bool(member.isInvitationEnded), "added_at": .time(member.added?.at),
          "added_by": .text(member.added?.by),
        ]
      }
      let offers: [JSON] = shared.offers.map {
        ["handle": .string($0.name), "user": .string($0.successor.description), "expires_at": .time($0.expires)]
      }
      let codes: [JSON] = shared.codes.map { ["role": .string($0.role.rawValue), "expires_at": .time($0.expires)] }
      return [
        "list": .string(shared.list.name), "list_id": .string(shared.list.id), "members": .array(people),
        "offers": .array(offers), "codes": .array(codes), "ended": shared.end.json,
      ]
    }
    return [.init(key: "lists", value: .array(lists))]
  }

  var hints: [String] {
    let ended = lists.compactMap(\.end)
    guard ended.isEmpty else { return ended.hints }
    for shared in lists {
      guard let member = shared.members.first(where: \.isInvitationEnded) else { continue }
      return [
        "what an ended device sent counts only where it was read before; invite again: todo share \(shellQuoted(shared.list.name)) --with \(member.name)"
      ]
    }
    guard lists.count == 1, !lists[0].isShared else { return [] }
    return ["share it with: todo share \(shellQuoted(lists[0].list.name)) --with <user>"]
  }
}

extension Member {
  /// What the server has not confirmed yet, and how they came here.
  fileprivate func remark(isDeleted: Bool) -> String {
    if isLeaving { return ", removal not sent yet" }
    if pending { return ", not sent yet" }
    let regard = isVerified ? ", verified" : isOther ? ", the numbers were not the same" : ""
    let known = regard + (hasDeclined ? ", declined" : "")
    let gone = isDeleted ? ", has deleted their account" : ""
    guard let added, added.by != name else { return known + gone }
    let isWaiting = hasJoined == false && !hasDeclined
    let way = isWaiting ? "invited" : "added"
    let end = isInvitationEnded ? ", and the device that sent it has ended" : ""
    let answer = isDeleted ? gone : isWaiting ? ", no answer yet\(end)" : ""
    return "\(known), \(way)\(added.at.map { " \(localTime($0))" } ?? "") by \(harmless(added.by))\(answer)"
  }
}

extension CloudTransaction {
  /// Handles of those who may read a list, without oneself.
  /// - Parameter declining: whether those count who do not want it.
  func otherMembers(of list: TodoList, declining: Bool = true) throws -> [String] {
    guard let me = try account()?.user else { return [] }
    return try members(of: list.node).filter { $0.user != me && (declining || !$0.hasDeclined) }.map(\.name)
  }
}
