import CloudAPI
import Sharing
import Signing
import TodoCore
import Treesystem

/// An invitation that was accepted too late: its list was not shared any more, and nothing of it ever came.
extension CloudTransaction {
  func lateInvite(to branch: BranchID) throws -> Invite? {
    guard try unsharedBranches().contains(branch), try root(of: branch) == nil, let cloudID = try cloudID(of: branch)
    else { return nil }
    return try acceptedInvites().last { $0.branch == cloudID }
  }

  /// The one with this title, where no list has that name.
  func lateInviteIfUnknown(_ title: String) throws -> (invite: Invite, pointer: Node)? {
    guard case .unknown = try findList(title) else { return nil }
    for invite in try acceptedInvites().reversed() where invite.title == title {
      guard let branch = try self.branch(invite.branch), try lateInvite(to: branch) != nil,
        let pointer = try children(of: trunk(.home).id).first(where: { $0.pointer == branch })
      else { continue }
      return (invite, pointer)
    }
    return nil
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
