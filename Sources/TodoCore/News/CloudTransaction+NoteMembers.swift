import CloudAPI
import GRDB
import Sharing
import Signing
import Treesystem

extension CloudTransaction {
  /// Keeps as news who came to a list, went, or may do something else there, and that its owner has deleted it. It does not depend on what
  /// of the list can be shown.
  func noteMembers(of root: Node, from before: PermissionsBody, to after: PermissionsBody) throws {
    guard try isCaughtUp(root.branch), try hangsInHome(root), let account = try account() else { return }
    let now = clock.now()
    let time = after.created > 0 ? min(after.created, now) : now
    for (kind, user, role) in People.changes(from: before, to: after) {
      let title = try kind == .closed ? list(root.id)?.name ?? "" : displayName(of: user)
      // Whoever came by a code came by themselves. Anything else that was done on this device is no news here.
      let cameByCode = try kind == .joined && hasUsedCode(user, for: after.branch)
      // Whoever takes over what this user had offered does so themselves, though this device signs it.
      let tookOver = kind == .handedOver && before.owner == account.user
      if !cameByCode, !tookOver, after.author.device == account.device {
        try logOwn(kind, root.id, on: root.id, title: title, detail: role.rawValue)
        continue
      }
      let author = cameByCode || tookOver ? user : after.author.user
      if kind == .unshared, user == account.user {
        try noteTakenOff(root, by: author, at: time, role)
        continue
      }
      try addNews(kind, root.id, on: root.id, by: Deed(author), at: time, title: title, detail: role.rawValue)
    }
  }

  /// Keeps as news that this person was taken off a list, or left it on another device: they may not read the record that did it, unless
  /// they are let in again.
  func noteTakenOff(_ root: Node) throws {
    guard try isCaughtUp(root.branch), try hangsInHome(root), let account = try account(),
      let removal = try self.removal(from: root.branch)
    else { return }
    let entry = try permissions(of: root.branch)?.body.entry(of: account.user)
    try noteTakenOff(
      root, by: removal.by, at: min(removal.since, clock.now()),
      Role(entry?.letters ?? [.read], isOwner: false))
  }

  private func hangsInHome(_ root: Node) throws -> Bool { try pointer(to: root.id)?.trunk == .home }

  /// Who did it may turn out later than that it was done.
  private func noteTakenOff(_ root: Node, by author: UserID?, at time: Int64, _ role: Role) throws {
    let user = try requireAccount().user
    let me = try displayName(of: user)
    let kind = author == user ? News.Kind.left : .unshared
    let told = try Int64.fetchOne(
      db,
      sql: """
        SELECT max(id) FROM news WHERE list = ?1 AND kind IN ('unshared', 'left') AND title = ?2 AND id > coalesce(
          (SELECT max(id) FROM news WHERE list = ?1 AND kind = 'joined' AND title = ?2), 0)
        """, arguments: [root.id, me])
    guard let told else {
      return try addNews(kind, root.id, on: root.id, by: Deed(author), at: time, title: me, detail: role.rawValue)
    }
    guard let author else { return }
    try db.execute(
      sql: "UPDATE news SET author = ?, time = ?, kind = ? WHERE id = ?",
      arguments: [author, time, kind.rawValue, told])
  }

  /// Keeps as news what somebody answered to an invitation.
  func noteAnswer(_ answer: Answer, of user: UserID, at root: Node) throws {
    guard let cloudID = root.cloudID, try hangsInHome(root),
      let letters = try permissions(of: root.branch)?.body.entry(of: user)?.letters
    else { return }
    let role = Role(letters, isOwner: false)
    let name = try displayName(of: user)
    switch answer {
    case .joined:
      // That they came is news already.
      if try hasUsedCode(user, for: cloudID) { return }
      try addNews(.joined, root.id, on: root.id, by: Deed(user), at: clock.now(), title: name, detail: role.rawValue)
    case .declined(let ownership):
      try addNews(
        .declined, root.id, on: root.id, by: Deed(user), at: clock.now(), title: name,
        detail: (ownership ? .owner : role).rawValue)
    }
  }
}

/// What one record made of another, in the eyes of a person.
private enum People {
  static func changes(from before: PermissionsBody, to after: PermissionsBody) -> [(News.Kind, UserID, Role)] {
    if after.isClosed { return before.isClosed ? [] : [(.closed, after.owner, .owner)] }
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
