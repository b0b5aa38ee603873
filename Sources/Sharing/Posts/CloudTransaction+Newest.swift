import CloudAPI
import Foundation
import GRDB
import Signing
import SwiftProtobuf
import Treesystem

/// What a new device shows before it has read long trunks (spec §8.9).
extension CloudTransaction {
  /// Takes in what the server says is the newest. True: the same is wanted below, because a conversation lies there.
  func receive(newest node: NewestNode) throws -> Bool {
    guard node.parent != nil else { return false }
    let place = Node.conversation(named: node.parentName)
    if node.trunk != .inbox, node.parentName.isEmpty, let conversation = Node.conversation(named: node.name) {
      try receiveConversation(node.content.data, named: conversation)
      return true
    }
    guard node.trunk != .home || node.name == node.cloudID.description else { return false }
    let message = try readMessage(node.content.message, signedBy: node.sender)
    guard case .post(let wire)? = message.what else { return false }
    let me = try requireAccount().user
    let checked = try CheckedPost(wire, from: node.sender, to: me)
    guard place == checked.conversation || place == nil && node.trunk != .home else { throw Refusal.originWrong }
    guard (node.sender == me) == (node.trunk == .outbox) else { throw Refusal.senderMismatch }
    if try node.trunk == .inbox && regard(for: node.sender).isBlocked { return false }
    if node.sender != me { try pin(node.sender) }
    try store(checked.conversation, of: checked.users, about: checked.topic)
    let turn = try self.place(of: checked, sent: message.sent)
    try db.execute(
      sql: """
        INSERT OR IGNORE INTO provisional_posts (provisional, id, conversation, sender, number, sent, expires, read, post,
          has_file)
        SELECT ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10 WHERE NOT EXISTS (SELECT 1 FROM posts WHERE id = ?2)
        """,
      arguments: [
        node.provisional, checked.id, checked.conversation, node.sender, turn.number,
        turn.sent, checked.expiry(signed: node.expires), node.trunk != .inbox,
        Data(encode(wire)), node.content.file != nil,
      ])
    return false
  }
}
