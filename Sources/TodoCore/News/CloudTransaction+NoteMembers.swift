import CloudAPI
import Sharing
import Signing
import Treesystem

extension CloudTransaction {
  /// Keeps as news who came to a list, went, or may do something else there. What concerns this person they hear otherwise.
  func noteMembers(of root: Node, from before: PermissionsBody, to after: PermissionsBody) throws {
    guard try isCaughtUp(root.branch), try list(root.id) != nil, let account = try account() else { return }
    let now = clock.now()
    let time = after.created > 0 ? min(after.created, now) : now
    for (kind, user, role) in People.changes(from: before, to: after) where user != account.user {
      // Whoever came by a code came by themselves. Anything else that was done on this device is no news here.
      let cameByCode = try kind == .joined && hasUsedCode(user, for: after.branch)
      if !cameByCode, after.author.device == account.device { continue }
      let author = cameByCode ? user : after.author.user
      try addNews(
        kind, root.id, on: root.id, by: author, at: time, title: try displayName(of: user), detail: role.rawValue)
    }
  }
}

/// What one record made of another, in the eyes of a person.
private enum People {
  static func changes(from before: PermissionsBody, to after: PermissionsBody) -> [(News.Kind, UserID, Role)] {
    if before.owner != after.owner { return [(.handedOver, after.owner, .owner)] }
    let users = Set((before.entries + after.entries).compactMap(\.user)).sorted()
    return users.compactMap { user in
      let (old, new) = (before.entry(of: user)?.letters, after.entry(of: user)?.letters)
      switch (old, new) {
      case (nil, let letters?): return (.joined, user, Role(letters, isOwner: false))
      case (let letters?, nil):
        return (user == after.author.user ? .left : .unshared, user, Role(letters, isOwner: false))
      case (let old?, let new?) where old != new:
        return (.roleChanged, user, Role(new, isOwner: false))
      default: return nil
      }
    }
  }
}
