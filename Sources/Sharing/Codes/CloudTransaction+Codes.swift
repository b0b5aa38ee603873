import CloudAPI
import Foundation
import GRDB
public import Signing
import SwiftProtobuf
public import Treesystem

/// A code that was made here and not used yet.
public struct OpenCode: Sendable {
  public let branch: CloudID
  public let role: Role
  /// Milliseconds since 1970.
  public let expires: Int64
}

/// A code that was typed here, and waits for the device that made it.
public struct OpenClaim: Sendable {
  public let inviter: String
  /// Milliseconds since 1970.
  public let made: Int64
  /// Whether no code is good for so long.
  public let isLate: Bool
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
    if let body = try permissions(of: branch)?.body, !body.letters(of: account.user).contains(.share) {
      throw ShareError.notPermitted
    }
    let code = InviteCode(of: account.handle, entropy)
    try db.execute(
      sql: "INSERT INTO codes (id, secret, branch, title, letters, note, expires) VALUES (?, ?, ?, ?, ?, ?, ?)",
      arguments: [
        Data(code.id), Data(code.values), cloudID, title, Int64(ShareItem(role: role).letters.rawValue), note,
        clock.now() + Self.codeLife,
      ])
    return code
  }

  /// The codes that would still let somebody in.
  public func openCodes(for branch: CloudID) throws -> [OpenCode] {
    try Row.fetchAll(
      db,
      sql:
        "SELECT branch, letters, expires FROM codes WHERE branch = ? AND state = 'open' AND expires >= ? ORDER BY expires",
      arguments: [branch, clock.now()]
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
    guard row["state"] == "open", (row["expires"] as Int64) >= clock.now() || Defence.codeExpiry.isDown,
      sender != account.user
    else { return }
    let code = InviteCode(values: Array(row["secret"] as Data), handle: account.handle)
    guard code.claim(by: sender, to: account.user) == Array(claim.proof) || Defence.claimProof.isDown else {
      return try db.execute(
        sql: """
          UPDATE codes SET failures = failures + 1, state = iif(failures + 1 >= ?, 'withdrawn', 'open') WHERE id = ?
          """, arguments: [Self.codeFailures, claim.code])
    }
    try db.execute(
      sql: "UPDATE codes SET state = 'used', used_by = ? WHERE id = ?", arguments: [sender, claim.code])
    guard let branch = try branch(row["branch"]), let root = try root(of: branch) else { return }
    try setVerified(sender)
    // A code takes no letter away from somebody who has more.
    let given = Letters(rawValue: UInt32(row["letters"] as Int64))
    let letters = try given.union(permissions(of: branch)?.body.entry(of: sender)?.letters ?? [])
    do {
      try share(root.id, with: sender, letters: letters, title: row["title"], note: row["note"], answering: code)
    } catch is ShareError {
      // Whoever made it may not share the list any more.
    }
  }
}

/// Codes that were typed here.
extension CloudTransaction {
  /// Sends the inviter a proof that this user has a code. Their device answers with its next sync.
  public func claim(_ code: InviteCode, of inviter: UserID, named alias: String? = nil) throws {
    let me = try requireAccount().user
    guard inviter != me else { throw ShareError.withOneself }
    let known = try Int.fetchOne(
      db, sql: "SELECT 1 FROM claims WHERE id = ? AND inviter = ?", arguments: [Data(code.id), inviter])
    if known != nil { return }
    try db.execute(
      sql: "INSERT OR REPLACE INTO claims (id, secret, inviter, alias, made) VALUES (?, ?, ?, ?, ?)",
      arguments: [Data(code.id), Data(code.values), inviter, alias, clock.now()])
    var message = SealedMessage()
    message.claim.code = data(code.id)
    message.claim.proof = data(code.claim(by: me, to: inviter))
    try sendMessage(message, toRecipients: [inviter], withDependencies: [])
  }

  /// The codes that were typed here and have not been answered.
  public func openClaims() throws -> [OpenClaim] {
    try Row.fetchAll(db, sql: "SELECT inviter, made FROM claims WHERE state = 'open' ORDER BY made").map {
      OpenClaim(inviter: try displayName(of: $0[0]), made: $0[1], isLate: $0[1] + Self.codeLife < clock.now())
    }
  }

  /// Whether a code that was typed here has been answered.
  public func isAnswered(_ code: InviteCode) throws -> Bool {
    try String.fetchOne(db, sql: "SELECT state FROM claims WHERE id = ?", arguments: [Data(code.id)]) == "answered"
  }

  /// Takes an invitation at once that answers a code: whoever typed that has accepted already.
  func acceptAnswer(_ invitation: SealedInvitation, from sender: UserID, branch: CloudID) throws {
    guard !invitation.code.isEmpty, let me = try account()?.user,
      let row = try Row.fetchOne(
        db, sql: "SELECT secret, alias FROM claims WHERE id = ? AND inviter = ? AND state = 'open'",
        arguments: [invitation.code, sender])
    else { return }
    let code = InviteCode(values: Array(row[0] as Data), handle: "")
    guard code.answer(by: sender, to: me, branch: branch) == Array(invitation.codeProof) || Defence.answerProof.isDown
    else { return }
    try db.execute(sql: "UPDATE claims SET state = 'answered' WHERE id = ?", arguments: [invitation.code])
    try setVerified(sender)
    // None where the list hangs here already.
    let invite = try invites().first { $0.sender == sender && $0.branch == branch && !$0.isOwnership }
    if let invite { try graftInvite(invite.number, named: row[1]) }
  }
}
