import CloudAPI
import Sealing
import Signing
import SwiftProtobuf
import Testing

@testable import Sharing
@testable import TodoCore
@testable import Treesystem

@Suite struct NodeVectors {
  struct Content: Decodable {
    let content, ciphertext: Hex

    var wire: WireContent {
      .with {
        $0.content = data(content.bytes)
        $0.ciphertext = data(ciphertext.bytes)
      }
    }
  }

  struct NodeCase: Decodable {
    let expect: String
    let header, branchKey: Hex
    let parentNameKey, data: Hex?
    let contents: [Content]
    let name: String?
  }

  @Test(arguments: Vector.all("node")) func node(_ vector: Vector) throws {
    let item = try vector.decode(NodeCase.self)
    var opened: OpenedNode?
    let result = try outcome {
      let header = try UnverifiedHeader(try item.header.record).body
      let branchKey = BranchKey(
        branch: header.branch, epoch: header.epoch, secret: SecretBytes(item.branchKey.bytes))
      guard let key = branchKey.unwrap(header.wrappedKey, of: header.cloudID, commitment: header.keyCommitment) else {
        throw Refusal.keyMismatch
      }
      opened = try OpenedNode(header, key: key, contents: item.contents.map(\.wire))
      // A section of the app's takes nothing from the node (spec §5.5), and is reported all the same.
      if let unreadable = opened?.unreadable { throw unreadable }
      try opened?.checkName(parentKey: item.parentNameKey.map { SecretBytes($0.bytes) })
    }
    #expect(result == item.expect)
    if let name = item.name { #expect(opened?.metadata.name == name) }
    if let data = item.data { #expect(opened?.content.data == data.bytes) }
  }

  struct DestinationCase: Decodable {
    let expect: String
    let branchKey, branch, cloudId, destination: Hex
    let epoch: UInt64
    let to: Hex?
  }

  @Test(arguments: Vector.all("destination")) func destination(_ vector: Vector) throws {
    let item = try vector.decode(DestinationCase.self)
    let key = BranchKey(
      branch: try item.branch.id(), epoch: item.epoch, secret: SecretBytes(item.branchKey.bytes))
    let opened = key.open(destination: item.destination.bytes, of: try item.cloudId.id())
    if item.expect == "ok" {
      #expect(opened?.bytes == item.to?.bytes)
    } else {
      #expect(item.expect == "content-unopenable")
      #expect(opened == nil)
    }
  }

  struct MessageCase: Decodable {
    let expect: String
    let header, userSecretKey, userPublicKey, sender: Hex
    let contents: [Content]
    let sent: UInt64?
    let withdrawal: WithdrawalCase?
  }

  struct WithdrawalCase: Decodable {
    let branch: Hex
    let closed: Bool
  }

  @Test(arguments: Vector.all("message")) func message(_ vector: Vector) throws {
    let item = try vector.decode(MessageCase.self)
    let box = BoxKey(secret: SecretBytes(item.userSecretKey.bytes))
    #expect(box.publicKey.bytes == item.userPublicKey.bytes)
    var message: SealedMessage?
    let result = try outcome {
      let header = try UnverifiedHeader(try item.header.record).body
      guard let secret = box.open(sealedBox: header.wrappedKey),
        let key = NodeKey(
          branch: header.branch, node: header.cloudID, secret: secret, commitment: header.keyCommitment)
      else { throw Refusal.keyMismatch }
      let opened = try OpenedNode(header, key: key, contents: item.contents.map(\.wire))
      message = try readMessage(opened.content.data, signedBy: header.author.user)
    }
    #expect(result == item.expect)
    if let sent = item.sent { #expect(message?.sent == sent) }
    if let withdrawal = item.withdrawal {
      #expect(message.map { Array($0.withdrawal.branch) } == withdrawal.branch.bytes)
      #expect(message?.withdrawal.closed == withdrawal.closed)
    }
  }

  struct DocumentCase: Decodable {
    let a, b, join: Hex
    let deleted: Bool
  }

  @Test(arguments: Vector.all("document")) func document(_ vector: Vector) throws {
    let item = try vector.decode(DocumentCase.self)
    let a = try Document(bytes: item.a.bytes)
    let b = try Document(bytes: item.b.bytes)
    #expect(a.joined(b).bytes == item.join.bytes)
    #expect(b.joined(a).bytes == item.join.bytes)
    #expect(a.joined(b).isDeleted == item.deleted)
  }

  struct StampCase: Decodable {
    let expect: String
    let document, history: Hex
    let now: UInt64
  }

  @Test(arguments: Vector.all("stamp")) func stamp(_ vector: Vector) throws {
    let item = try vector.decode(StampCase.self)
    let content = VersionedDocument(
      try Document(bytes: item.document.bytes), history: try History(bytes: item.history.bytes))
    #expect((content.latest <= item.now + UInt64(Horizon.patience)) == (item.expect == "ok"))
  }

  struct CommentCase: Decodable {
    let expect: String
    let keyrings: [String: [Hex]]
    let todo, commentId, document: Hex
  }

  @Test(arguments: Vector.all("comment")) func comment(_ vector: Vector) throws {
    let item = try vector.decode(CommentCase.self)
    let document = try Document(bytes: item.document.bytes)
    let known = try keyrings(item.keyrings)
    let holds = try document.writer.flatMap { known[$0] }.map {
      document.isProven(as: try item.commentId.id(), below: try item.todo.id(), by: $0)
    }
    #expect((holds ?? false) == (item.expect == "ok"))
  }
}
