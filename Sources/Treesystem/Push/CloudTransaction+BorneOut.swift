import CloudAPI
import GRDB
import Signing

/// A refusal bears no signature. One word of the server must not keep a removed member, or a stolen device, on the key that is in force.
extension CloudTransaction {
  /// Whether what this device has verified itself bears a refusal out. Only of what takes somebody's key or letters away, or ends a branch,
  /// is that asked: whoever is to lose them would keep them.
  func isBorneOut(_ reason: Refusal, of operation: QueuedOperation) throws -> Bool {
    guard let me = try account()?.user, let body = try permissions(of: operation.branch)?.body,
      operation.takesAway || operation.lowers(body)
    else { return true }
    // Whoever was taken off cannot read that they were: what waits in a branch that the server denies is kept when its head is read, and
    // nothing of it is sent meanwhile.
    switch reason {
    case .branchClosed: return body.isClosed
    case .letterMissing:
      if operation.closes { return body.owner != me }
      if try isLeave(operation) { return body.entry(of: me) == nil }
      return !body.letters(of: me).contains(operation.isRenewal ? .write : .share)
    case .limitExceeded where operation.isRenewal: return try hasRenewedEnough(body, operation.branch, me)
    default: return false
    }
  }

  /// Has what was refused without ground tried again, what found an inbox full, and what came while an owner was waited for.
  func retryUnfounded() throws {
    try db.execute(sql: "UPDATE operations SET inbox_full = 0 WHERE inbox_full = 1")
    try db.execute(sql: "UPDATE operations SET awaits_restore = 0 WHERE awaits_restore = 1")
    try db.execute(
      sql: "UPDATE operations SET state = 'pending', reason = NULL WHERE state = 'refused' AND reason = ?",
      arguments: [Refusal.refusalUnfounded.rawValue])
  }

  /// Whether this user, who may not share, has signed as many of the newest records as a server takes, and none is due (spec §3.3).
  private func hasRenewedEnough(_ body: PermissionsBody, _ branch: BranchID, _ me: UserID) throws -> Bool {
    guard !body.letters(of: me).contains(.share) else { return false }
    let isDue = try body.entries.contains { entry in
      try !entry.letters.isEmpty && entry.user.flatMap { try keyring($0) }?.hasChanged(since: entry) ?? false
    }
    let newest = try permissionsHistory(of: branch).suffix(Limits.renewalsLookedAt)
    return !isDue && newest.count { $0.author.user == me } >= Limits.renewalsOfMember
  }
}

extension QueuedOperation {
  /// Whether somebody has fewer letters after it than a record gives them.
  func lowers(_ body: PermissionsBody) -> Bool {
    guard kind == .permit, let user, let letters else { return false }
    return !letters.isSuperset(of: body.letters(of: user))
  }

  /// Whether somebody can read less after it, or nobody can write any more.
  package var takesAway: Bool {
    kind == .permit && (closes || isRenewal || (user != nil && letters?.contains(.read) == false))
  }
}
