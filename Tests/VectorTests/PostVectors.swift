import CloudAPI
import Signing
import SwiftProtobuf
import Testing

@testable import Sharing
@testable import Treesystem

@Suite struct PostVectors {
  struct PostCase: Decodable {
    let expect: String
    let message, signer, reader: Hex
    let id, conversation: Hex?
  }

  @Test(arguments: Vector.all("post")) func post(_ vector: Vector) throws {
    let item = try vector.decode(PostCase.self)
    let (signer, reader) = (try item.signer.id(UserID.self), try item.reader.id(UserID.self))
    var checked: CheckedPost?
    let result = try outcome {
      let message = try readMessage(item.message.bytes, signedBy: signer)
      checked = try CheckedPost(message.post, from: signer, to: reader)
    }
    #expect(result == item.expect)
    if let id = item.id { #expect(checked?.id.bytes == id.bytes) }
    if let conversation = item.conversation { #expect(checked?.conversation.bytes == conversation.bytes) }
  }

  struct OriginCase: Decodable {
    let expect: String
    let origin, node, reader, sealed: Hex
    let keyrings: [String: [Hex]]
    let sender, message: Hex?
  }

  @Test(arguments: Vector.all("origin")) func origin(_ vector: Vector) throws {
    let item = try vector.decode(OriginCase.self)
    let known = try keyrings(item.keyrings)
    var opened: (sender: UserID, message: [UInt8])?
    let result = try outcome {
      let origin = try Origin(SealedOrigin(serializedBytes: item.origin.bytes), sealed: item.sealed.bytes)
      let message = try origin.open(at: item.node.id(), of: item.reader.id(), with: nil)
      guard try origin.isSigned(by: known[origin.header.author.user]) else { throw Refusal.keyringStale }
      opened = (origin.header.author.user, message)
    }
    #expect(result == item.expect)
    if let sender = item.sender { #expect(opened?.sender.bytes == sender.bytes) }
    if let message = item.message { #expect(opened?.message == message.bytes) }
  }
}
