import ArgumentParser
import CloudAPI
import Sharing
import Signing
import TodoCore
import Treesystem

/// `todo account delete`
struct DeleteAccountCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "delete",
    abstract: "Delete your account and all that the server has of it.",
    usage: "todo account delete [--remove-lists] [--yes]",
    discussion: """
      Your lists stay on this device, as before you signed up, and so does what is here of lists that ended for you; with --remove-lists they \
      go from here too. You leave the lists of others. A list of yours that others share you give to one of them first, or take them off it. Nobody can \
      ever use your name again.

      Example:
        todo account delete
      """)

  @OptionGroup var options: GlobalOptions

  @Flag(help: "Take your lists off this device too.")
  var removeLists = false

  func run() async throws {
    guard options.sync != false else {
      throw Complaint.usage("an account is deleted on its server", hint: "leave out --no-sync")
    }
    let session = try Session.open(options)
    let account = try session.requireAccount()
    try await session.sync()
    let others = try session.read { try $0.listsOfOthers(account, keepsLists: !removeLists) }
    let ended = removeLists ? try session.read { try $0.endedLists() } : []
    let elsewhere = removeLists ? 0 : try session.read { try $0.imagesElsewhere() }
    try session.confirm(
      "delete the account \(account.handle) on \(account.server)"
        + (others.isEmpty ? "" : ", leave \(others.map(\.name).joined(separator: ", "))")
        + (elsewhere == 0 ? "" : ", lose \(counted(elsewhere, "image")) that this device has not fetched")
        + (removeLists ? ", and take your lists off this device" : "")
        + (ended.first.map { first in
          ", with \(ended.map { "'\(harmless($0.name))'" }.joined(separator: ", ")), which nobody shares with you any more (to keep it: \(first.keep))"
        } ?? ""))
    try await session.leave(others)
    try await session.withCloud { try await $0.deleteAccount() }
    try await ProgressLine(session.voice, "taking the account off this device").shown {
      try session.change(isAction: false) { removeLists ? try $0.logOut() : try $0.keepLists() }
    }
    let kept = try session.read { try $0.lists().map(\.name) }
    try session.voice.tell(DeletedAccountPage(account: account, left: others.map(\.name), kept: kept))
  }
}

extension Session {
  /// Leaves lists, and comes back when the server knows.
  fileprivate func leave(_ lists: [TodoList]) async throws {
    guard !lists.isEmpty else { return }
    try database.write { transaction in
      for list in lists { try transaction.leave(list.node) }
    }
    try await sync()
    let left = try read { transaction in try lists.filter { try transaction.node($0.node) != nil } }
    guard left.isEmpty else {
      throw Complaint(
        "not_left", .tryAgain, "you are still on \(left.map(\.name).joined(separator: ", "))",
        hint: "nothing was deleted; 'todo status' says what they wait for")
    }
  }
}

extension CloudTransaction {
  /// The lists that others own; complains about those of one's own that others share, and about changes that only this device has.
  /// What ended for this user is left by nobody: what is here of it stays, with the changes that nobody got.
  fileprivate func listsOfOthers(_ account: Account, keepsLists: Bool) throws -> [TodoList] {
    var (others, shared, gone) = ([TodoList](), [TodoList](), [(list: TodoList, member: Member)]())
    var unsent = try pendingOperationCount()
    for list in try lists() {
      if try end(of: list) != nil {
        if keepsLists { unsent -= try pendingOperationCount(of: list.branch) }
        continue
      }
      if let owner = list.owner, owner != account.user {
        others.append(list)
        continue
      }
      let members = try members(of: list.node).filter { $0.user != account.user }
      if let member = members.first, try members.allSatisfy({ try hasDeletedAccount($0.user) }) {
        gone.append((list, member))
      } else if !members.isEmpty {
        shared.append(list)
      }
    }
    guard shared.isEmpty else { throw Complaint.shared(shared.map(\.name)) }
    if let (list, member) = gone.first { throw Complaint.stillNamed(member.name, on: list.name) }
    guard unsent == 0 else {
      throw Complaint(
        "unsent", .tryAgain, "\(counted(unsent, "change")) of yours reached nobody yet",
        hint: "'todo status' says what they wait for; send them or give them up first")
    }
    return others
  }
}

extension Complaint {
  /// The server deletes no list that names others, whoever they were.
  static func stillNamed(_ member: String, on list: String) -> Complaint {
    Complaint(
      "lists_shared", .notPermitted,
      "\(shortened(member)), who has deleted their account, is still on '\(shortened(list))'",
      hint: "take them off it first: todo unshare \(shellQuoted(list)) --with \(member)", candidates: [list])
  }

  /// Nothing of others is deleted with an account.
  static func shared(_ names: [String]) -> Complaint {
    let first = shellQuoted(names.first ?? "<list>")
    return Complaint(
      "lists_shared", .notPermitted, "others share \(names.map { "'\(shortened($0))'" }.joined(separator: ", "))",
      hint:
        "give it to one of them: todo share \(first) --with <user> --role owner; or take them off it: todo unshare \(first) --with <user>",
      candidates: names)
  }
}

/// What became of an account that was deleted.
struct DeletedAccountPage: Page {
  let account: Account
  let left: [String]
  /// What is on this device now, and nowhere else.
  let kept: [String]

  func lines(_ style: Style) -> [String] {
    ["deleted the account \(style.heading(harmless(account.handle))) on \(harmless(account.server))"]
      + left.map { "left \(harmless($0))" }
      + (kept.isEmpty ? [] : ["on this device only, from now on: \(harmless(kept.joined(separator: ", ")))"])
  }

  var members: [JSON.Member] {
    [
      .init(key: "deleted", value: .string(account.handle)),
      .init(key: "left", value: .array(left.map { .string($0) })),
      .init(key: "kept", value: .array(kept.map { .string($0) })),
    ]
  }
}
