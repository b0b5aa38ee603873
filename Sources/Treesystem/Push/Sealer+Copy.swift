import CloudAPI
import Foundation
import GRDB
import Sealing
import Signing
import SwiftProtobuf

/// What a sender has to know of somebody's inbox, verified (spec §5.1, message).
struct InboxFacts: Sendable {
  let branch: CloudID
  let permissions: Hash32
  let epoch: UInt64
  let generation: UInt32
  let userKey: PublicKey
}

extension Sealer {
  /// Addresses a message that lies in the outbox to one recipient. Its contents are borrowed, its key is reused.
  func sealCopy(_ operation: QueuedOperation) throws -> WireCopy? {
    guard let user = operation.user, let inbox = inboxes[user], let cloudID = operation.cloudID,
      let source = try operation.node.flatMap({ try transaction.node($0) }), let sourceID = source.cloudID,
      let sourceBranch = try transaction.cloudID(of: source.branch),
      let header = try transaction.state(of: sourceID, in: source.branch)?.header,
      let secret = try Data.fetchOne(
        transaction.db, sql: "SELECT node_key FROM nodes WHERE id = ?", arguments: [source.id])
    else { return nil }
    let key = NodeKey(branch: inbox.branch, node: cloudID, secret: SecretBytes(column: secret))
    let body = HeaderBody(
      branch: inbox.branch, cloudID: cloudID, parent: inbox.branch, nameToken: .random(transaction.entropy),
      version: 1, previous: .zeros, permissions: inbox.permissions, epoch: inbox.epoch,
      wrappedKey: inbox.userKey.sealBox(key.secret, transaction.entropy), keyCommitment: key.commitment,
      contents: header.contents, author: try author(reading: LogHead(startOf: inbox.branch)),
      operation: operation.operation, recipient: user, recipientGeneration: inbox.generation,
      expires: try transaction.signedExpiry(of: source.id))
    return WireCopy.with {
      $0.header = SignedRecord(signing: body, with: identity.signingKey).wire
      $0.sourceBranch = data(sourceBranch.bytes)
      $0.sourceNode = data(sourceID.bytes)
    }
  }
}
