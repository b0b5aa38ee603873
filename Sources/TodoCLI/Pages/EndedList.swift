import CloudAPI
import Sharing
import TodoCore
import Treesystem

/// A list that nobody gets anything of that is written here: what was read of it stays, and so does what was not sent.
struct EndedList {
  enum Kind: String {
    /// By its owner, for everybody.
    case deleted
    /// Shared with this user no more: they were taken off it, or left it.
    case unshared
  }

  let kind: Kind
  let name: String
  let id: String
  /// In milliseconds since 1970; nil where nothing says it.
  let since: Int64?
  /// A handle, or "you"; nil where nobody says who did it.
  let by: String?
  /// Whose list it was, by what was read: a handle, or "you".
  let owner: String
  /// How many changes of this user nobody gets.
  let unsent: Int
  /// How many of these a copy of the list has: all but those about who is on it.
  let carried: Int
  /// Whether the server is known to be set back to a backup, and nobody says that they took this user off.
  var isRestored = false
  /// Whether whoever could share it again has deleted their account.
  var isGone = false

  /// `no longer shared with you since 2026-11-22 09:19, by alice`, or `left by you 2026-11-22 09:19`: what stands behind a list's name. Not safe for a terminal.
  var words: String {
    switch kind {
    case .deleted: "deleted by \(by ?? owner)\(since.map { " \(localTime($0))" } ?? "")"
    case .unshared where isLeft: "left by you\(since.map { " \(localTime($0))" } ?? "")"
    case .unshared where isOwn || isRestored:
      "kept from you by the server\(since.map { " since \(localTime($0))" } ?? "")"
    case .unshared:
      "no longer shared with you\(since.map { " since \(localTime($0))" } ?? "")\(by.map { ", by \($0)" } ?? "")"
    }
  }

  /// Whether it was this user's own by what was read here: they gave it away on another device, or the server hides it.
  private var isOwn: Bool { kind == .unshared && owner == "you" && !isLeft }

  /// Whether this user left it, as a rule on another device.
  private var isLeft: Bool { kind == .unshared && by == "you" }

  /// `Groceries was left by you`, `Groceries is no longer shared with you`.
  fileprivate var verb: String { kind == .deleted || isLeft ? "was" : "is" }

  /// What helps where only the server has forgotten.
  private static let repair = "todo doctor --repair-server"

  /// What to do about it.
  var keep: String { "todo lists keep \(shellQuoted(name))" }

  /// `Groceries is no longer shared with you since …, 2 changes of yours are kept here (todo status)`
  var notice: String {
    if unsent == 0 { return "\(name) \(verb) \(words): your copy stays (\(isRestored ? Self.repair : keep))" }
    let kept = "\(counted(unsent, "change")) of yours \(unsent == 1 ? "is" : "are") kept here"
    return "\(name) \(verb) \(words): \(kept) (todo status)"
  }

  /// Half a sentence on why nothing can be done there.
  var why: String {
    switch kind {
    case .deleted where by == "you": "you deleted it for everybody on another device; what had not been sent stays here"
    case .deleted:
      "\(owner) deleted it for everybody; what you had read stays here, and the server keeps its own copy for a while (30 days as a rule)"
    case .unshared where isLeft: "you left it; what you had read stays here"
    case .unshared where isRestored:
      "the server was set back to a backup, and has lost who is on this list; what you had read stays here"
    case .unshared where isOwn:
      "it is yours by all that was read here, and the server says that you may not read it: you gave it away on another device, or the server hides it"
    case .unshared where by == nil:
      "it was \(owner)'s list, and the server says that you are on it no more; what you had read stays here"
    case .unshared: "it was \(owner)'s list, and \(by ?? "") took you off it; what you had read stays here"
    }
  }

  /// A line each, the best first.
  var advice: [String] {
    let again = kind == .unshared && !isGone ? ["\(askForIt) again"] : []
    if isRestored {
      return [
        "give the server back what it lost: \(Self.repair)",
        "if it stays so once whoever shares it has done that too, make it a list of your own: \(keep)",
      ]
    }
    let first =
      carried == 0 ? "" : ", with \(counted(carried, "change")) that \(carried == 1 ? "was" : "were") not sent"
    return ["make it a list of your own\(first): \(keep)"] + again
      + [
        "or take it off your lists: todo lists rm \(shellQuoted(name))"
          + (unsent == 0 ? "" : ", once those are given up")
      ]
  }

  /// What else to do about one that is shared no more.
  fileprivate var askForIt: String {
    if isLeft { return "ask \(owner == "you" ? "whoever has it now" : owner) to share it with you" }
    return isOwn
      ? "see who has it ('todo members' on your other devices), or ask whoever runs the server to let you read it"
      : "ask \(by ?? owner) to share it with you"
  }

  /// As scripts see it.
  var json: JSON {
    [
      "kind": .string(kind.rawValue), "list": .string(name), "list_id": .string(id), "since": .time(since),
      "by": .text(by), "unsent": .int(Int64(unsent)),
    ]
  }
}

extension EndedList? {
  /// The same where it stands beside the list's name, or nothing.
  var json: JSON {
    guard let self else { return .null }
    return ["kind": .string(self.kind.rawValue), "since": .time(self.since), "by": .text(self.by)]
  }

  /// ` · deleted by alice 2026-11-22 09:19`, or nothing.
  var remark: String { map { " · \(harmless($0.words))" } ?? "" }
}

extension Complaint {
  /// Why nothing is written on a list any more.
  init(_ end: EndedList) {
    let name = Complaint.shortened(end.name)
    switch end.kind {
    case .unshared where end.isRestored:
      self.init(
        "not_shared", .notPermitted, "'\(name)' \(end.verb) \(end.words)",
        hint: "the server was set back to a backup: \(end.advice[0])")
    case .deleted:
      self.init(
        "list_deleted", .notPermitted, "'\(name)' \(end.verb) \(end.words)",
        hint: "make it a list of your own: \(end.keep)")
    case .unshared:
      self.init(
        "not_shared", .notPermitted, "'\(name)' \(end.verb) \(end.words)",
        hint: "make it a list of your own: \(end.keep)\(end.isGone ? "" : "; or \(end.askForIt) again")")
    }
  }
}

extension CloudTransaction {
  /// How a list ended for this user; nil while it goes on.
  func end(of list: TodoList) throws -> EndedList? {
    guard let me = try account()?.user else { return nil }
    let body = try permissions(of: list.branch)?.body
    let removal = try self.removal(from: list.branch)
    guard removal != nil || body?.isClosed == true else { return nil }
    let owner = try owner(of: list.branch)
    let unsent = try pendingOperationCount(of: list.branch)
    let carried = try unsent - permitOperations(of: list.branch).count
    if let removal {
      let asked = removal.by.flatMap { $0 == me ? nil : $0 } ?? body?.owner
      return EndedList(
        kind: removal.isDeletion ? .deleted : .unshared, name: list.name, id: list.id, since: removal.since,
        by: try removal.by.map { $0 == me ? "you" : try displayName(of: $0) }, owner: owner, unsent: unsent,
        carried: carried, isRestored: try removal.by == nil && isServerRestored(),
        isGone: try asked.map { try $0 != me && hasDeletedAccount($0) } ?? false)
    }
    return EndedList(
      kind: .deleted, name: list.name, id: list.id, since: body.flatMap { $0.created > 0 ? $0.created : nil },
      by: body?.owner == me ? "you" : owner, owner: owner, unsent: unsent, carried: carried)
  }

  /// Whether the server was set back, as far as it was seen and has not been mended.
  func isServerRestored() throws -> Bool { try findings().contains { $0.kind == .rollback && $0.ended == nil } }

  /// Those of this user's lists that have ended.
  func endedLists() throws -> [EndedList] { try lists().compactMap { try end(of: $0) } }

  /// Refuses what leads to nothing on a list that has ended.
  func requireGoingOn(_ list: TodoList) throws {
    if let end = try end(of: list) { throw Complaint(end) }
  }

  /// The branches that this user may not read any more.
  func unsharedBranches() throws -> Set<BranchID> {
    Set(try troubles().filter { $0.reason == .branchDenied }.map(\.branch))
  }

  /// How many changes were refused that may yet be taken: those on lists that are no longer shared may not.
  func refusedCount() throws -> Int {
    let unshared = try unsharedBranches()
    return try operations().count { $0.state == .refused && !unshared.contains($0.branch) }
  }
}
