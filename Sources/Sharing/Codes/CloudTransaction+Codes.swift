import CloudAPI
import Foundation
import GRDB
public import Signing
import SwiftProtobuf
public import Treesystem

/// A code that was made here and not used yet.
public struct OpenCode: Sendable {
  /// The branch that it leads to.
  public let branch: CloudID
  /// What whoever uses it may do there.
  public let role: Role
  /// Milliseconds since 1970.
  public let expires: Int64
}

/// Codes that this device made. Only it answers them: it alone has their secrets.
extension CloudTransaction {
  /// How long a code is good.
  static let codeLife: Int64 = 7 * 24 * 3600 * 1000
  /// After so many wrong proofs a code is withdrawn.
  static let codeFailures = 3

  /// Makes a code for a list, for somebody who is to have this role.
  public func makeCode(for root: NodeID, role: Role, title: String, note: String) throws -> InviteCode {
    let account = try requireAccount()
    guard let branch = try node(root)?.branch, let cloudID = try cloudID(of: branch) else { throw TreeError.noSuchNode }
    try requireSharing(of: branch)
    let code = InviteCode(of: account.handle, entropy)
    try db.execute(
      sql: "INSERT INTO codes (id, secret, branch, title, letters, note, expires) VALUES (?, ?, ?, ?, ?, ?, ?)",
      arguments: [
        Data(code.id), Data(code.values), cloudID, title, Int64(ShareItem(role: role).letters.rawValue), note,
        serverTime() + Self.codeLife,
      ])
    return code
  }

  /// The codes that would still let somebody in.
  public func openCodes(for branch: CloudID) throws -> [OpenCode] {
    try Row.fetchAll(
      db,
      sql:
        "SELECT branch, letters, expires FROM codes WHERE branch = ? AND state = 'open' AND expires >= ? ORDER BY expires",
      arguments: [branch, serverTime()]
    ).map { row in
      OpenCode(
        branch: row[0], role: Role(Letters(rawValue: UInt32(row[1] as Int64)), isOwner: false), expires: row[2])
    }
  }

  /// Whether somebody came to a branch by a code that was made here.
  public func hasUsedCode(_ user: UserID, for branch: CloudID) throws -> Bool {
    try Int.fetchOne(
      db, sql: "SELECT 1 FROM codes WHERE branch = ? AND used_by = ?", arguments: [branch, user]) != nil
  }

  /// That they came by a code once says nothing of another invitation.
  func forgetUsedCode(_ user: UserID, _ branch: CloudID) throws {
    try db.execute(
      sql: "UPDATE codes SET used_by = NULL WHERE branch = ? AND used_by = ?", arguments: [branch, user])
  }

  /// Withdraws the codes for a list that were made here. Returns how many.
  @discardableResult
  public func withdrawCodes(for branch: CloudID) throws -> Int {
    try db.execute(
      sql: "UPDATE codes SET state = 'withdrawn' WHERE branch = ? AND state = 'open'", arguments: [branch])
    return db.changesCount
  }

  /// Somebody says that they have a code. If they prove it, they are let in, once.
  func receive(_ claim: SealedCodeClaim, from sender: UserID, in message: Node) throws {
    let found = try Row.fetchOne(db, sql: "SELECT * FROM codes WHERE id = ?", arguments: [claim.code])
    // Another device of this user's may have made it.
    guard let row = found else { return }
    try delete(message.id)
    let account = try requireAccount()
    guard sender != account.user else { return }
    let code = InviteCode(values: Array(row["secret"] as Data), handle: account.handle)
    guard code.claim(by: sender, to: account.user) == Array(claim.proof) || Defence.claimProof.isDown else {
      // Who only guesses learns nothing.
      return try db.execute(
        sql: """
          UPDATE codes SET failures = failures + 1, state = iif(failures + 1 >= ?, 'withdrawn', 'open')
          WHERE id = ? AND state = 'open'
          """, arguments: [Self.codeFailures, claim.code])
    }
    if let reason = try whyDead(row), try reason != .used || !isLetIn(sender, by: row) {
      return try refuse(claim.code, to: sender, reason)
    }
    // No list more is shared with somebody whose number was another one; whom the code was meant for may still come.
    if try regard(for: sender).isOther { return try refuse(claim.code, to: sender, .notShared) }
    // Nor with somebody who is about to be taken off this one: the code would take that back.
    if let branch = try branch(row["branch"]), try isBeingTakenOff(sender, branch) {
      return try refuse(claim.code, to: sender, .notShared)
    }
    try db.execute(
      sql: "UPDATE codes SET state = 'used', used_by = ? WHERE id = ?", arguments: [sender, claim.code])
    guard let branch = try branch(row["branch"]), let root = try root(of: branch) else {
      return try refuse(claim.code, to: sender, .notShared)
    }
    try setVerifiedByCode(sender)
    // A code takes no letter away from somebody who has more.
    let given = Letters(rawValue: UInt32(row["letters"] as Int64))
    let letters = try given.union(permissions(of: branch)?.body.entry(of: sender)?.letters ?? [])
    do {
      try share(root.id, with: sender, letters: letters, title: row["title"], note: row["note"], answering: code)
    } catch is ShareError {
      // Whoever made it may not share the list any more.
      try refuse(claim.code, to: sender, .notShared)
    }
  }

  /// Whether a code let somebody in who is there yet. They may have missed the answer, because they had blocked this user: they get it again.
  private func isLetIn(_ user: UserID, by row: Row) throws -> Bool {
    guard row["used_by"] as UserID? == user, let branch = try branch(row["branch"]) else { return false }
    return try permissions(of: branch)?.body.entry(of: user) != nil
  }

  /// Whom a code was to let in hears it if the server does not take that, or this user has given it up: else they would wait for nothing.
  func settleUsedCodes() throws {
    let used = try Row.fetchAll(
      db, sql: "SELECT id, used_by, branch FROM codes WHERE state = 'used' AND settled = 0 AND used_by IS NOT NULL")
    for row in used {
      let (user, branch): (UserID, BranchID?) = (row[1], try branch(row[2]))
      if let branch, try permitOperations(of: branch).contains(where: { $0.user == user && $0.state != .refused }) {
        continue
      }
      try db.execute(sql: "UPDATE codes SET settled = 1 WHERE id = ?", arguments: [row[0] as Data])
      if let branch, try permissions(of: branch)?.body.entry(of: user) == nil {
        try refuse(row[0], to: user, .notShared)
      }
    }
  }

  private func isBeingTakenOff(_ user: UserID, _ branch: BranchID) throws -> Bool {
    try permitOperations(of: branch).contains { $0.user == user && $0.letters == [] }
  }

  /// Why a code of this device's lets nobody in any more; nil while it does.
  private func whyDead(_ row: Row) throws -> DeadCode? {
    switch row["state"] as String {
    case "used": return .used
    case "withdrawn": return (row["failures"] as Int64) >= Int64(Self.codeFailures) ? .guessed : .withdrawn
    default: return try (row["expires"] as Int64) >= serverTime() || Defence.codeExpiry.isDown ? nil : .expired
    }
  }

  /// Lets somebody know who has proved that they have a code: else they would wait for nothing.
  private func refuse(_ code: Data, to claimant: UserID, _ reason: DeadCode) throws {
    var message = SealedMessage()
    message.refusal.code = code
    message.refusal.reason = reason.wire
    try sendMessage(message, toRecipients: [claimant], withDependencies: [])
  }
}
