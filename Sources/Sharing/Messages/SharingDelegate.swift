public import CloudAPI
import Foundation
import GRDB
public import Signing
import SwiftProtobuf
public import Treesystem

/// Stands between the treesystem and the app: messages are Sharing's, everything else is the app's.
public struct SharingDelegate: TreesystemDelegate {
  private let app: any TreesystemDelegate

  /// Stands before this app.
  public init(app: any TreesystemDelegate) { self.app = app }

  public func content(of node: Node, in transaction: CloudTransaction) throws -> NodeData {
    if node.trunk == .prefs, !node.isBranchRoot {
      return NodeData(data: try transaction.preferenceContent(of: node.id))
    }
    if node.isConversation { return NodeData(data: try transaction.conversationContent(of: node)) }
    guard node.trunk == .outbox || node.trunk == .inbox else { return try app.content(of: node, in: transaction) }
    let stored = try Data.fetchOne(
      transaction.db, sql: "SELECT message FROM outgoing WHERE node = ?", arguments: [node.id])
    var message = try SealedMessage(serializedBytes: stored ?? Data())
    if case .invitation(var invitation) = message.what {
      // Its list went before it could be sent: it would lead to nothing.
      guard let branch = try CloudID(bytes: invitation.branch).flatMap({ try transaction.branch($0) }),
        let first = try transaction.firstPermissions(of: branch)
      else { throw NothingToSend() }
      invitation.firstPermissions = data(first.bytes)
      message.invitation = invitation
    }
    // What stands in the place of the data leaves the message the other section (spec §8.5).
    guard let file = try transaction.file(of: node.id) else { return NodeData(data: encode(message)) }
    return NodeData(history: encode(message), file: file)
  }

  public func file(of node: Node, in transaction: CloudTransaction) throws -> FileOffer? {
    try app.file(of: node, in: transaction)
  }

  public func receive(_ discovery: Discovery, in transaction: CloudTransaction) throws -> Merge {
    switch discovery {
    case .put(let node, let content) where node.trunk == .inbox,
      .reset(let node, let content) where node.trunk == .inbox:
      try receiveMessage(node, content.message, transaction)
      return .settled
    case .put(let node, let content) where node.isConversation, .reset(let node, let content) where node.isConversation:
      try transaction.receiveConversation(content.data, named: node.conversation)
      return .settled
    case .put(let node, let content) where node.isTakenOut, .reset(let node, let content) where node.isTakenOut:
      guard let sender = try transaction.messageSender(of: node.id) else { throw Refusal.originWrong }
      if let event = try transaction.receiveTakenOut(content.message, from: sender, at: node) {
        try hear(event, transaction)
      }
      return .settled
    case .put(let node, let content) where node.trunk == .outbox,
      .reset(let node, let content) where node.trunk == .outbox:
      try transaction.db.execute(
        sql: "INSERT OR REPLACE INTO outgoing (node, message) VALUES (?, ?)",
        arguments: [node.id, Data(content.message)])
      try transaction.receiveOwn(decode(SealedMessage.self, content.message), at: node)
      return .settled
    case .put(let node, let content) where node.trunk == .prefs && !node.isBranchRoot:
      return try transaction.receivePreference(content.data, of: node.id, replacing: false)
    case .reset(let node, let content) where node.trunk == .prefs && !node.isBranchRoot:
      return try transaction.receivePreference(content.data, of: node.id, replacing: true)
    case .put(let node, _):
      if let author = node.author { try transaction.pin(author) }
      return try app.receive(discovery, in: transaction)
    case .permitted(let root, _, let now):
      try transaction.endOffers(of: root, as: now)
      return try app.receive(discovery, in: transaction)
    case .denied(let root):
      try transaction.endOffers(of: root, as: nil)
      return try app.receive(discovery, in: transaction)
    case .deleted(let node) where node.trunk == .inbox || node.trunk == .outbox || node.isTakenOut:
      return try forgetMessage(node, transaction)
    case .reset(let node, _), .moved(let node, _), .deleted(let node), .pushed(let node),
      .discarded(let node):
      return node.trunk == nil ? try app.receive(discovery, in: transaction) : .settled
    }
  }

  private func receiveMessage(_ node: Node, _ bytes: [UInt8], _ transaction: CloudTransaction) throws {
    guard let author = node.author else { throw Refusal.senderMismatch }
    let message = try readMessage(bytes, signedBy: author)
    if try transaction.regard(for: author).isBlocked, !Defence.blockedSender.isDown {
      return try transaction.delete(node.id)
    }
    try transaction.pin(author)
    switch message.what {
    case .invitation(let invitation):
      try transaction.receive(UnverifiedInvitation(invitation, from: author, in: node))
    case .decline(let decline):
      guard let found = try transaction.receive(decline, from: author, in: node) else { break }
      try tell(.declined(ownership: found.ofOwnership), author, found.root, transaction)
    case .joined(let joined):
      guard let root = try transaction.receive(joined, from: author, in: node) else { break }
      try tell(.joined, author, root, transaction)
    case .offer(let offer): try transaction.receive(offer, from: author, in: node)
    case .acceptance(let acceptance): try transaction.receive(acceptance, from: author, in: node)
    case .withdrawal(let withdrawal):
      let root = try transaction.receive(withdrawal, from: author, sent: message.sent, in: node)
      // It was noticed before anybody said it.
      if let root { _ = try app.receive(.denied(root), in: transaction) }
    case .claim(let claim): try transaction.receive(claim, from: author, in: node)
    case .refusal(let refusal): try transaction.receive(refusal, from: author, in: node)
    case .post(let post):
      guard let post = try transaction.receive(post, from: author, sent: message.sent, in: node) else { break }
      try hear(.arrived(post, isRequest: try transaction.isStranger(author)), transaction)
    case .signal(let signal):
      if try !transaction.isStranger(author) { try hear(.signal(Array(signal.data), from: author), transaction) }
      try transaction.delete(node.id)
    // A newer program knows what to do with it.
    case nil: break
    }
  }

  public func renumbered(_ node: Node, from old: CloudID, in transaction: CloudTransaction) throws {
    try app.renumbered(node, from: old, in: transaction)
  }

  public func newestWanted(of trunk: Trunk) -> NewestWish? {
    switch trunk {
    case .home, .outbox: NewestWish(atRoot: Limits.pageLines, below: PostLimits.shownFirst)
    case .inbox: NewestWish(atRoot: Limits.pageLines, below: 0)
    case .prefs: nil
    }
  }

  public func receive(newest node: NewestNode, in transaction: CloudTransaction) throws -> Bool {
    try transaction.receive(newest: node)
  }

  public func answered(
    _ message: Node, to user: UserID, refused: Refusal?, in transaction: CloudTransaction
  ) throws {
    guard let event = try transaction.noteDelivery(of: message, to: user, refused: refused) else { return }
    try hear(event, transaction)
  }

  public func burnt(
    _ message: Node, of user: UserID, wasThere: Bool, in transaction: CloudTransaction
  ) throws {
    guard let event = try transaction.noteBurnt(message, of: user, wasThere: wasThere) else { return }
    try hear(event, transaction)
  }

  private func hear(_ event: MessageEvent, _ transaction: CloudTransaction) throws {
    guard let app = app as? any SharingApp else { return }
    try app.hear(event, in: transaction)
  }

  private func tell(_ answer: Answer, _ user: UserID, _ root: Node, _ transaction: CloudTransaction) throws {
    guard let app = app as? any SharingApp else { return }
    try app.hear(answer, of: user, at: root, in: transaction)
  }

  /// An invitation that was answered on another device of this user is not open here any more.
  private func forgetMessage(_ node: Node, _ transaction: CloudTransaction) throws -> Merge {
    if let post = try transaction.post(at: node.id) { try hear(.gone(post), transaction) }
    try transaction.db.execute(
      sql: "UPDATE invites SET state = 'declined' WHERE node = ? AND state = 'open'", arguments: [node.id])
    return .settled
  }
}

/// Reads a message. The sender that it names must be the one who signed its header (spec §8).
func readMessage(_ bytes: [UInt8], signedBy author: UserID) throws(Refusal) -> SealedMessage {
  let message = try decode(SealedMessage.self, bytes)
  guard Array(message.sender) == author.bytes || Defence.messageSender.isDown else { throw .senderMismatch }
  return message
}
