import CloudAPI
import Foundation
import GRDB
import Signing
import SwiftProtobuf
import Treesystem

extension CloudTransaction {
  /// Puts a message into the outbox, what belongs to a conversation below the node of that, and queues a copy for each recipient whose account is not at its end. The copies wait for
  /// `dependencies`, and those of one conversation for each other. Nil: it is for nobody.
  @discardableResult
  func sendMessage(
    _ message: SealedMessage, toRecipients recipients: [UserID], withDependencies dependencies: [CloudOperation],
    in conversation: ConversationID? = nil, with attachment: NodeFile? = nil,
    until expires: Int64? = nil
  ) throws -> (node: Node, message: SealedMessage)? {
    let recipients = try recipients.filter { try !hasDeletedAccount($0) }
    if recipients.isEmpty { return nil }
    var message = message
    message.sender = data(try requireAccount().user.bytes)
    message.sent = UInt64(max(0, clock.now()))
    let place = try conversation.map { try self.place(of: $0, in: .outbox) } ?? trunk(.outbox).id
    let node = try createNode(named: Base32.encode(entropy.bytes(16)), in: place)
    try db.execute(
      sql: "INSERT INTO outgoing (node, message) VALUES (?, ?)", arguments: [node.id, Data(encode(message))])
    try setExpiry(expires, of: node.id)
    if let attachment { try setFile(attachment, of: node.id) }
    // An invitation names the first permissions record, which exists once what it depends on was accepted.
    if let upload = try uploadOperation(of: node.id) { try addDependencies(dependencies, to: upload) }
    for recipient in recipients {
      let copy = try enqueue(
        .copy, branch: node.branch, node: node.id, cloudID: .random(entropy), user: recipient,
        lane: conversation.flatMap { CloudID(bytes: $0.bytes) })
      try addDependencies(dependencies, to: copy)
    }
    return (node, message)
  }
}
