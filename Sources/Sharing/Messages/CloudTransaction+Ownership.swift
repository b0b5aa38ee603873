import CloudAPI
import GRDB
public import Signing
import SwiftProtobuf
public import Treesystem

/// A list that somebody may take over.
public struct OpenOffer: Sendable {
  /// Whom it is for.
  public let successor: UserID
  /// How to show them.
  public let name: String
  /// Milliseconds since 1970.
  public let expires: Int64
}

/// Giving a list away: the owner offers, the other one accepts, and the owner's device hands over with its next sync.
extension CloudTransaction {
  /// How long an offer stands.
  static let offerLife: Int64 = 7 * 24 * 3600 * 1000

  /// Offers a list of one's own to somebody.
  public func offerOwnership(of root: NodeID, to user: UserID, title: String) throws {
    let me = try requireAccount().user
    guard let branch = try node(root)?.branch, let cloudID = try cloudID(of: branch) else { throw TreeError.noSuchNode }
    guard user != me else { throw ShareError.withOneself }
    guard try permissions(of: branch)?.body.owner ?? me == me else { throw ShareError.notOwner }
    try requireSharing(of: branch)
    guard try members(of: root).contains(where: { $0.user == user && !$0.isLeaving }) else {
      throw ShareError.notAMember
    }
    let expires = try serverTime() + Self.offerLife
    var message = SealedMessage()
    message.offer.branch = data(cloudID.bytes)
    message.offer.title = title
    message.offer.expires = UInt64(max(0, expires))
    // An invitation that comes later would end it there.
    let invitations = try unsentInvitations(to: cloudID, of: user)
    try sendMessage(
      message, toRecipients: [user], withDependencies: invitations.map { CloudOperation(sequence: $0.sequence) })
    try db.execute(
      sql: "INSERT OR REPLACE INTO offers (branch, successor, expires) VALUES (?, ?, ?)",
      arguments: [cloudID, user, expires])
  }

  /// To whom a list of one's own is offered, and until when.
  public func offers(of branch: CloudID) throws -> [OpenOffer] {
    try Row.fetchAll(
      db, sql: "SELECT successor, expires FROM offers WHERE branch = ? AND expires >= ? ORDER BY expires",
      arguments: [branch, serverTime()]
    ).map { OpenOffer(successor: $0[0], name: try displayName(of: $0[0]), expires: $0[1]) }
  }

  /// An offer of a list, from its owner. One of a list that this user was invited to and has not read yet waits for that; any other
  /// leads to nothing.
  func receive(_ offer: SealedOwnershipOffer, from sender: UserID, in message: Node) throws {
    guard let cloudID = CloudID(bytes: offer.branch), try mayOwn(cloudID, sender),
      offer.title.utf8.count <= 64 * 1024, try Int64(clamping: offer.expires) >= earlierTime()
    else { return try delete(message.id) }
    try db.execute(
      sql: """
        INSERT INTO invites (node, sender, branch, first_permissions, title, note, letters, received, kind, expires)
        VALUES (?, ?, ?, ?, ?, '', ?, ?, 'ownership', ?)
        ON CONFLICT (sender, branch, kind) WHERE state = 'open' DO UPDATE SET node = excluded.node, expires = excluded.expires
        """,
      arguments: [
        message.id, sender, cloudID, Hash32.zeros, offer.title.withoutNUL, Int64(Letters.all.rawValue), clock.now(),
        Int64(clamping: offer.expires),
      ])
  }

  /// Whether somebody owns a branch, as far as it was read here: before that nothing speaks against it.
  private func mayOwn(_ cloudID: CloudID, _ user: UserID) throws -> Bool {
    guard let branch = try branch(cloudID), let body = try permissions(of: branch)?.body else { return true }
    return body.owner == user
  }

  /// Whether whoever offered a branch to this user could still give it to them, as far as this device knows.
  func isStanding(offerOf cloudID: CloudID, from owner: UserID) throws -> Bool {
    guard let branch = try branch(cloudID), let body = try permissions(of: branch)?.body else { return false }
    return try body.owner == owner && body.entry(of: requireAccount().user) != nil && !body.isClosed
      && removal(from: branch) == nil
  }

  /// Ends the offers of a branch that lead to nothing any more: those of others to this user, and this user's to who is on it no more.
  /// - Parameter body: who may do what there now; nil where this user may not read it any more.
  func endOffers(of root: Node, as body: PermissionsBody?) throws {
    guard let cloudID = root.cloudID, let me = try account()?.user else { return }
    for offered in try offers(of: cloudID) where body?.owner != me || body?.entry(of: offered.successor) == nil {
      try db.execute(
        sql: "DELETE FROM offers WHERE branch = ? AND successor = ?", arguments: [cloudID, offered.successor])
    }
    // What is read for the first time goes through a past in which this user was not there yet.
    guard try body == nil || isCaughtUp(root.branch) else { return }
    let open = try Row.fetchAll(
      db, sql: "SELECT number, sender FROM invites WHERE branch = ? AND state = 'open' AND kind = 'ownership'",
      arguments: [cloudID])
    for row in open {
      if let body, body.owner == row[1], body.entry(of: me) != nil, !body.isClosed { continue }
      try answer(row[0], "declined")
    }
  }

  /// Whether an offer that somebody means, by its number or its list's title, can be accepted no more.
  public func isOfferOver(_ isMeant: (_ number: Int, _ title: String) -> Bool) throws -> Bool {
    try Row.fetchAll(
      db, sql: "SELECT number, title FROM invites WHERE kind = 'ownership' AND state = 'declined'"
    ).contains { isMeant($0[0], $0[1]) }
  }

  /// Says to the owner that this user takes the list.
  func acceptOwnership(of branch: CloudID, from owner: UserID, expires: Int64) throws {
    let now = try serverTime()
    guard expires >= now else { throw ShareError.expired }
    // However long the owner would have it good.
    let record = try signTransfer(of: branch, from: owner, expires: min(expires, now + Self.offerLife))
    var message = SealedMessage()
    message.acceptance.body = data(record.body)
    message.acceptance.signature = data(record.signature.bytes)
    try sendMessage(message, toRecipients: [owner], withDependencies: [])
    // Another device may be taking it off the tree, as a list of somebody else's: it comes back.
    if let root = try self.branch(branch).flatMap({ try self.root(of: $0) }), let pointer = try pointer(to: root.id) {
      try queueDataUpload(forNodeID: pointer.id)
    }
  }

  /// Somebody takes a list that was offered to them.
  func receive(_ acceptance: SealedOwnershipAcceptance, from sender: UserID, in message: Node) throws {
    guard let signature = Signature(bytes: acceptance.signature) else { throw Refusal.malformed }
    let record = SignedRecord(body: Array(acceptance.body), signature: signature)
    let transfer = try OwnershipTransferBody(decoding: record.body)
    // Another device of this user's may have offered it.
    guard transfer.successor == sender, let branch = try branch(transfer.branch), try isOffered(transfer),
      try permissions(of: branch)?.body.entry(of: sender) != nil
    else { return }
    try delete(message.id)
    do {
      try handOver(branch, with: record)
    } catch is Refusal {
      // It is somebody else's by now, or the device that signed has ended.
    }
    try db.execute(
      sql: "DELETE FROM offers WHERE branch = ? AND successor = ?", arguments: [transfer.branch, transfer.successor])
  }

  private func isOffered(_ transfer: OwnershipTransferBody) throws -> Bool {
    if Defence.offer.isDown { return true }
    return try Int.fetchOne(
      db, sql: "SELECT 1 FROM offers WHERE branch = ? AND successor = ? AND expires >= ?",
      arguments: [transfer.branch, transfer.successor, serverTime()]) != nil
  }
}
