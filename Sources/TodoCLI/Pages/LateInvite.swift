import CloudAPI
import Sharing
import Signing
import TodoCore
import Treesystem

/// An invitation that was accepted too late: its list was not shared any more, and nothing of it ever came.
struct LateInvite {
  let invite: Invite
  let branch: BranchID
  let pointer: Node

  /// Not safe for a terminal.
  var notice: String {
    "\(invite.title) from \(invite.senderName) is not shared with you any more, and nothing of it came"
  }
}

extension CloudTransaction {
  func lateInvite(to branch: BranchID) throws -> Invite? {
    guard try unsharedBranches().contains(branch), try root(of: branch) == nil, let cloudID = try cloudID(of: branch)
    else { return nil }
    return try acceptedInvites().last { $0.branch == cloudID }
  }

  /// All of them, one a list.
  func lateInvites() throws -> [LateInvite] {
    let unshared = try unsharedBranches()
    if unshared.isEmpty { return [] }
    return try children(of: trunk(.home).id).compactMap { pointer in
      guard let branch = pointer.pointer, unshared.contains(branch), let invite = try lateInvite(to: branch) else {
        return nil
      }
      return LateInvite(invite: invite, branch: branch, pointer: pointer)
    }
  }

  /// The one with this title, where no list has that name.
  func lateInviteIfUnknown(_ title: String) throws -> LateInvite? {
    guard case .unknown = try findList(title) else { return nil }
    return try lateInvites().last { $0.invite.title == title }
  }
}

extension Complaint {
  /// Whoever sent it could not share it, or has taken it back.
  static func notShared(_ invite: Invite, isSenderGone: Bool) -> Complaint {
    let ask = isSenderGone ? "" : "ask \(invite.senderName) to share it with you again, or "
    return Complaint(
      "not_shared", .notPermitted,
      "accepted, but the server says that '\(shortened(invite.title))' is not shared with you: nothing of it came",
      hint: "\(ask)forget it: todo lists rm \(shellQuoted(invite.title))")
  }

  /// Its owner was faster.
  init(_ deleted: DeletedInvite) {
    self.init(
      "list_deleted", .notPermitted,
      "\(deleted.by) deleted '\(Complaint.shortened(deleted.title))' for everybody before you had anything of it",
      hint: "there is nothing left to accept; to begin one of your own: todo lists add <name>")
  }
}

/// Says that it was taken off the lists.
struct LateInvitePage: Page {
  let title: String
  /// Nil where this device does not know who offered it.
  let sender: String?

  func lines(_ style: Style) -> [String] {
    ["removed list \(style.heading(harmless(title)))\(sender.map { " from \(harmless($0))" } ?? "")"]
  }

  var members: [JSON.Member] { [.init(key: "title", value: .string(title)), .init(key: "from", value: .text(sender))] }
}
