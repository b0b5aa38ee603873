import CloudAPI
import Foundation
import GRDB
import Sealing
public import Signing
import SwiftProtobuf

/// Who wrote what a node holds that came as a message: the header that they signed, and what it opens with (spec §8.6).
struct Origin {
  let record: SignedRecord
  let header: HeaderBody
  let secret: SecretBytes
  /// The section that the message stands in, as its sender sealed it.
  let sealed: [UInt8]

  init(_ record: SignedRecord, secret: SecretBytes, sealed: [UInt8]) throws(Refusal) {
    self.record = record
    self.secret = secret
    self.sealed = sealed
    header = try HeaderBody(decoding: record.body)
  }

  /// As a node's sealed metadata and its content have it.
  init(_ wire: SealedOrigin, sealed: [UInt8]) throws(Refusal) {
    guard let signature = Signature(bytes: wire.signature), wire.nodeKey.count == 32 else { throw .malformed }
    try self.init(
      SignedRecord(body: Array(wire.body), signature: signature), secret: SecretBytes(Array(wire.nodeKey)),
      sealed: sealed)
  }

  var wire: SealedOrigin {
    SealedOrigin.with { wire in
      wire.body = data(record.body)
      wire.signature = data(record.signature.bytes)
      wire.nodeKey = data(secret.copied())
    }
  }

  /// The id of the node that it is taken out to: two devices that do it make one node.
  var cloudID: CloudID { CloudID(ofMessage: record.hash) }

  /// What the message says, if it is one that came to this user with this file and stands at the place that is its own.
  func open(at node: CloudID?, of me: UserID, with file: NodeFile?) throws(Refusal) -> [UInt8] {
    let isPlaced = node == cloudID && header.branch == Trunk.inbox.cloudID(of: me) && header.recipient == me
    guard isPlaced || Defence.originPlace.isDown else { throw .originWrong }
    let key = NodeKey(
      branch: header.branch, node: header.cloudID, secret: secret, commitment: header.keyCommitment)
    guard let key else { throw .keyMismatch }
    let section = file == nil ? Section.data : .history
    guard let reference = header.content(section), header.lists(file),
      reference.fits(sealed) || Defence.originContent.isDown
    else { throw .contentMismatch }
    do {
      return try key.open(
        sealed, content: reference.content, section: section.rawValue, device: reference.device)
    } catch {
      throw error == .paddingWrong ? .paddingWrong : .contentUnopenable
    }
  }

  /// Whether its sender has signed it; false: their keyring is not known that far.
  func isSigned(by keyring: Keyring?) throws(Refusal) -> Bool {
    let author = header.author
    guard let keyring, keyring.position >= author.keyringPosition else { return false }
    guard let device = keyring.device(author.device, at: author.keyringPosition) else { throw .deviceUnknown }
    guard
      device.signKey.verifies(record.signature, HeaderBody.domain, record.body) || Defence.originSignature.isDown
    else { throw .signatureBad }
    return true
  }
}

extension CloudTransaction {
  /// Who signed what a node holds that came as a message; nil for any other node, and while that could not be checked.
  public func messageSender(of node: NodeID) throws -> UserID? {
    let statement = try db.cachedStatement(sql: "SELECT sender FROM origins WHERE node = ? AND checked")
    return try UserID.fetchOne(statement, arguments: [node])
  }

  func origin(of node: NodeID) throws -> Origin? {
    let statement = try db.cachedStatement(sql: "SELECT header, secret, sealed FROM origins WHERE node = ?")
    return try Row.fetchOne(statement, arguments: [node]).map { row in
      try Origin(
        SignedRecord(encoded: Array(row[0] as Data)), secret: SecretBytes(column: row[1]),
        sealed: Array(row[2] as Data))
    }
  }

  func keep(_ origin: Origin, of node: NodeID, isChecked: Bool) throws {
    try db.execute(
      sql: """
        INSERT OR REPLACE INTO origins (node, sender, header, secret, sealed, checked) VALUES (?, ?, ?, ?, ?, ?)
        """,
      arguments: [
        node, origin.header.author.user, Data(origin.record.encoded), origin.secret.column, Data(origin.sealed),
        isChecked,
      ])
  }
}
