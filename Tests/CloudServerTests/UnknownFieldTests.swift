import CloudAPI
import Foundation
import Signing
import SwiftProtobuf
import Testing

/// What a record says in fields that nobody here knows (spec §1.3).
struct UnknownFieldTests {
  /// Bytes that a message has in a field of number 1000, `count` of them in all.
  private static func unknown(_ count: Int) -> [UInt8] {
    let length = count - 4
    return [0xC2, 0x3E, UInt8(length & 0x7F | 0x80), UInt8(length >> 7)] + [UInt8](repeating: 7, count: length)
  }

  private let person = Person("alice")

  private var header: HeaderBody { BranchHand.bare(by: person) }

  @Test(arguments: [(Limits.unknownBytes, true), (Limits.unknownBytes + 1, false), (100_000 % 16_000, false)])
  func manyAreMalformed(count: Int, isRead: Bool) throws {
    let bytes = header.encoded + Self.unknown(count)
    if isRead {
      #expect(try HeaderBody(decoding: bytes) == header)
    } else {
      #expect(throws: Refusal.malformed) { try HeaderBody(decoding: bytes) }
    }
  }

  /// Those of the messages in it are counted together with its own.
  @Test func theyDoNotHideInside() throws {
    var wire = try WireNodeHeader(serializedBytes: header.encoded)
    wire.author = try WireAuthor(serializedBytes: encode(wire.author) + Self.unknown(300))
    let bytes = encode(wire)
    #expect(try HeaderBody(decoding: bytes) == header)
    #expect(throws: Refusal.malformed) { try HeaderBody(decoding: bytes + Self.unknown(300)) }
  }

  @Test func allRecordsAreBounded() throws {
    let junk = Self.unknown(600)
    let permissions = person.trunkRecords[3].body + junk
    #expect(throws: Refusal.malformed) { try PermissionsBody(decoding: permissions) }
    let entry = person.entries[2].body + junk
    #expect(throws: Refusal.malformed) { try KeyringEntryBody(decoding: entry) }
    let tombstone = TombstoneBody(
      branch: header.branch, cloudID: header.cloudID, version: 2, previous: .random(entropy),
      permissions: .random(entropy), epoch: 1, author: header.author, operation: .random(entropy))
    #expect(throws: Refusal.malformed) { try TombstoneBody(decoding: tombstone.encoded + junk) }
    let transfer = OwnershipTransferBody(
      branch: header.branch, owner: person.user, successor: person.user, expires: 1, device: person.deviceID,
      keyringPosition: 4)
    #expect(throws: Refusal.malformed) { try OwnershipTransferBody(decoding: transfer.encoded + junk) }
  }
}

extension BranchHand {
  /// A header of no branch in particular.
  fileprivate static func bare(by person: Person) -> HeaderBody {
    let branch = CloudID(exactly: [UInt8](repeating: 1, count: 16))
    let fixed = Hash32(exactly: [UInt8](repeating: 2, count: 32))
    return HeaderBody(
      branch: branch, cloudID: CloudID(exactly: [UInt8](repeating: 3, count: 16)), parent: branch, nameToken: fixed,
      version: 1, previous: .zeros, permissions: fixed, epoch: 1, wrappedKey: [UInt8](repeating: 4, count: 72),
      keyCommitment: fixed, contents: [], author: person.author(read: LogHead(startOf: branch)),
      operation: OperationID(exactly: [UInt8](repeating: 5, count: 16)))
  }
}
