import CloudAPI
import Foundation
import GRDB
public import Signing
import SwiftProtobuf
public import Treesystem

/// A code that was typed here, and has let this user in nowhere yet.
public struct OpenClaim: Hashable, Sendable {
  /// The code's (spec §8.3).
  public let id: [UInt8]
  /// The first of its six groups: enough to know it again, and far too little to use it.
  public let beginning: String
  /// How to show whose code it is.
  public let inviter: String
  /// Whoever made it.
  public let inviterID: UserID
  /// Milliseconds since 1970.
  public let made: Int64
  /// Until when it may be answered, in milliseconds since 1970.
  public let expires: Int64
  /// Nil while it may still be answered.
  public let dead: DeadCode?
  /// Whether an answer should have come by now: it was typed over a day ago.
  public let isLate: Bool
}

/// Codes that were typed here.
extension CloudTransaction {
  /// After this nobody waits for an answer without wondering: most devices sync once a day.
  private static let patienceWithClaims: Int64 = 24 * 3600 * 1000

  /// Sends the inviter a proof that this user has a code. Their device answers with its next sync. One that was typed before is sent once.
  public func claim(_ code: InviteCode, of inviter: UserID, named alias: String? = nil) throws {
    let me = try requireAccount().user
    guard inviter != me else { throw ShareError.withOneself }
    let regard = try regard(for: inviter)
    // Their answer would be thrown away, and the code be used up by it.
    if regard.isBlocked { throw ShareError.blocked(try displayName(of: inviter)) }
    if regard.isOther { throw ShareError.otherNumber(try displayName(of: inviter)) }
    let known = try Int.fetchOne(
      db, sql: "SELECT 1 FROM claims WHERE id = ? AND inviter = ?", arguments: [Data(code.id), inviter])
    if known != nil { return }
    if try hasDeletedAccount(inviter) { throw ShareError.accountDeleted(try displayName(of: inviter)) }
    try db.execute(
      sql: "INSERT OR REPLACE INTO claims (id, secret, inviter, alias, made) VALUES (?, ?, ?, ?, ?)",
      arguments: [Data(code.id), Data(code.values), inviter, alias, serverTime()])
    var message = SealedMessage()
    message.claim.code = data(code.id)
    message.claim.proof = data(code.claim(by: me, to: inviter))
    try sendMessage(message, toRecipients: [inviter], withDependencies: [])
  }

  /// The codes that were typed here and have not let this user in.
  public func openClaims() throws -> [OpenClaim] {
    try Row.fetchAll(
      db, sql: "SELECT id, secret, inviter, made, refusal FROM claims WHERE state = 'open' ORDER BY made"
    ).map { row in
      let expires = (row[3] as Int64) + Self.codeLife
      let silence: DeadCode? =
        try hasDeletedAccount(row[2])
        ? .accountDeleted
        : expires < serverTime() ? .unanswered : nobodyAnswers(row[2], typed: row[3]) ? .deviceEnded : nil
      return OpenClaim(
        id: Array(row[0] as Data), beginning: InviteCode(values: Array(row[1] as Data), handle: "").beginning,
        inviter: try displayName(of: row[2]), inviterID: row[2], made: row[3], expires: expires,
        dead: (row[4] as String?).map { DeadCode(rawValue: $0) ?? .notSaid } ?? silence,
        isLate: try serverTime() - row[3] > Self.patienceWithClaims)
    }
  }

  /// Whether all those devices of somebody's have ended that were there when a code of theirs was typed here: the one that made it is among them.
  private func nobodyAnswers(_ inviter: UserID, typed: Int64) throws -> Bool {
    // Whose clock is wrong has no device that is older than the code, and has ended none.
    guard let keyring = try keyring(inviter), keyring.activeDevices.count < keyring.devices.count else { return false }
    return try keyring.activeDevices.allSatisfy { device in
      try KeyringEntryBody(decoding: keyring.entries[Int(device.added) - 1].body).created > typed
    }
  }

  /// Forgets a code that was typed here. An invitation that answers it after all is one like any other.
  public func dismiss(_ claim: OpenClaim) throws {
    try db.execute(sql: "DELETE FROM claims WHERE id = ? AND state = 'open'", arguments: [Data(claim.id)])
  }

  /// Whether a code that was typed here has been answered.
  public func isAnswered(_ code: InviteCode) throws -> Bool {
    try String.fetchOne(db, sql: "SELECT state FROM claims WHERE id = ?", arguments: [Data(code.id)]) == "answered"
  }

  /// The list that a code led to; nil where that was not noted, or the code was not answered.
  public func branch(answering code: InviteCode) throws -> CloudID? {
    try CloudID.fetchOne(
      db, sql: "SELECT branch FROM claims WHERE id = ? AND branch IS NOT NULL", arguments: [Data(code.id)])
  }

  /// Whether a code that was typed here was answered, and this user shared its list already.
  public func isUsedForNothing(_ code: InviteCode) throws -> Bool {
    try Int.fetchOne(
      db, sql: "SELECT 1 FROM claims WHERE id = ? AND state = 'answered' AND refusal IS NOT NULL",
      arguments: [Data(code.id)]) != nil
  }

  /// Takes an invitation at once that answers a code: whoever typed that has accepted already. From somebody whose number was found to
  /// be another one since, it waits like any other.
  func acceptAnswer(_ invitation: SealedInvitation, from sender: UserID, branch: CloudID) throws {
    guard !invitation.code.isEmpty, let me = try account()?.user, try !regard(for: sender).isOther,
      let row = try Row.fetchOne(
        db, sql: "SELECT secret, alias FROM claims WHERE id = ? AND inviter = ? AND state = 'open'",
        arguments: [invitation.code, sender])
    else { return }
    let code = InviteCode(values: Array(row[0] as Data), handle: "")
    guard code.answer(by: sender, to: me, branch: branch) == Array(invitation.codeProof) || Defence.answerProof.isDown
    else { return }
    try db.execute(
      sql: "UPDATE claims SET state = 'answered', branch = ? WHERE id = ?", arguments: [branch, invitation.code])
    try setVerifiedByCode(sender)
    // None where the list hangs here already.
    let invite = try invites().first { $0.sender == sender && $0.branch == branch && !$0.isOwnership }
    if let invite {
      _ = try graftInvite(invite.number, named: row[1])
      return
    }
    try db.execute(
      sql: "UPDATE claims SET refusal = ? WHERE id = ?", arguments: [DeadCode.used.rawValue, invitation.code])
  }

  /// Whoever made a code says that it lets nobody in any more. Of anybody else this says nothing.
  func receive(_ refusal: SealedCodeRefusal, from sender: UserID, in message: Node) throws {
    try db.execute(
      sql: "UPDATE claims SET refusal = ? WHERE id = ? AND inviter = ? AND state = 'open'",
      arguments: [DeadCode(refusal.reason).rawValue, refusal.code, sender])
    try delete(message.id)
  }
}
