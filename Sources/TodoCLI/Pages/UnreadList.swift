import CloudAPI
import Sharing
import Signing
import TodoCore
import Treesystem

/// A list that hangs here and of which nothing was ever believed: it has no name but that of its invitation.
struct UnreadList {
  let branch: BranchID
  let cloudID: CloudID
  let pointer: NodeID
  /// Not safe for a terminal, and not unique.
  let name: String
  /// Who offered it; nil where that was answered on another device, or it is this user's own.
  let sender: String?
  let reason: Refusal
  /// Milliseconds since 1970.
  let since: Int64

  /// `Trip from mallory cannot be read (first-record-wrong)`
  var notice: String { "\(name)\(sender.map { " from \($0)" } ?? "") cannot be read (\(reason.rawValue))" }

  var remove: String { "todo lists rm \(shellQuoted(name))" }
}

extension CloudTransaction {
  /// The latest last. Those that the server does not let this user read have ended, or are not shared yet.
  func unreadLists() throws -> [UnreadList] {
    let troubles = try troubles().filter { $0.reason != .branchDenied }
    if troubles.isEmpty { return [] }
    let pointers = try children(of: trunk(.home).id)
    return try troubles.compactMap { trouble in
      guard try isUnread(trouble.branch), let cloudID = try cloudID(of: trouble.branch),
        let pointer = pointers.first(where: { $0.pointer == trouble.branch })
      else { return nil }
      let invite = try answeredInvite(to: cloudID)
      return UnreadList(
        branch: trouble.branch, cloudID: cloudID, pointer: pointer.id,
        name: try alias(of: pointer) ?? invite?.title ?? pointer.name, sender: invite?.senderName,
        reason: trouble.reason, since: trouble.since)
    }
  }

  /// The one with this name, where no list has it.
  func unreadListIfUnknown(_ name: String) throws -> UnreadList? {
    guard case .unknown = try findList(name) else { return nil }
    return try unreadLists().last { areSameName($0.name, name) }
  }
}

extension CloudTransaction {
  /// That a list goes on and cannot be read any further here; nil where it can, or is over for this user.
  func unreadable(_ list: TodoList) throws -> Complaint? {
    let trouble = try troubles().first { $0.branch == list.branch && $0.reason != .branchDenied }
    guard let trouble else { return nil }
    let explanation = Explanation(unreadable: trouble.reason)
    return Complaint(
      "not_verified", .notVerified,
      "'\(Complaint.shortened(list.name))' cannot be read any further: \(explanation.why)",
      hint: explanation.advice.joined(separator: "; "))
  }
}

extension Explanation {
  /// Of a list of which nothing was ever believed.
  init(_ unread: UnreadList) {
    guard let sender = unread.sender else {
      let reason = Explanation(unreadable: unread.reason)
      self.init(reason.why, advice: reason.advice)
      return
    }
    self.init(
      "what the server has does not fit the invitation (\(unread.reason.rawValue)), so nothing of it was believed; \(sender) or the server is wrong",
      "ask whoever owns the list to share it with you: a new invitation takes the place of this one",
      "or take it off your lists: \(unread.remove)")
  }
}
