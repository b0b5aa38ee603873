import CloudAPI
import Foundation
import Signing
import SwiftProtobuf

/// Writes records of one branch by hand, the way an honest client would; tests bend them.
struct BranchHand {
  let world: World
  let branch: CloudID
  var head: LogHead
  var permissions: SignedRecord?
  var version: UInt64 = 0
  var nodes: [CloudID: HeaderBody] = [:]

  init(_ world: World, _ branch: CloudID = .random(entropy)) {
    self.world = world
    self.branch = branch
    head = LogHead(startOf: branch)
  }

  /// A list of the owner's, with its root, shared with others.
  static func list(_ world: World, _ owner: Person, with others: [PermissionsEntry] = []) throws -> BranchHand {
    var hand = BranchHand(world)
    let first = hand.permit([owner.entry([.read, .write, .share])] + others, owner)
    guard word(try hand.send(first, owner)) == "accepted" else { throw CloudFailure.nonsense }
    let root = hand.put(hand.header(hand.branch, parent: nil, owner), owner)
    guard word(try hand.send(root, owner)) == "accepted" else { throw CloudFailure.nonsense }
    return hand
  }

  mutating func permit(
    _ entries: [PermissionsEntry], epoch: UInt64 = 1, _ author: Person,
    _ bend: (inout PermissionsBody) -> Void = { _ in }
  ) -> WireOperation {
    let old = permissions.flatMap { try? PermissionsBody(decoding: $0.body) }
    var body = PermissionsBody(
      branch: branch, owner: old?.owner ?? author.user, version: version + 1, previous: permissions?.hash ?? .zeros,
      epoch: epoch, commitment: old.flatMap { $0.epoch == epoch ? $0.commitment : nil } ?? .random(entropy),
      entries: entries.sorted { ($0.user?.bytes ?? []).lexicographicallyPrecedes($1.user?.bytes ?? []) },
      olderKeys: (1..<epoch).map { OlderKey(epoch: $0, sealed: entropy.bytes(72)) },
      author: author.author(read: head))
    bend(&body)
    let record = SignedRecord(signing: body, with: author.device)
    return .with {
      $0.operation = data(entropy.bytes(16))
      $0.permit.permissions = record.wire
    }
  }

  func header(
    _ cloudID: CloudID = .random(entropy), parent: CloudID?, token: Hash32 = .random(entropy), epoch: UInt64 = 1,
    _ author: Person
  ) -> HeaderBody {
    HeaderBody(
      branch: branch, cloudID: cloudID, parent: parent, nameToken: parent == nil ? nil : token, version: 1,
      previous: .zeros, permissions: permissions?.hash ?? .zeros, epoch: epoch, wrappedKey: entropy.bytes(72),
      keyCommitment: .random(entropy), contents: [], author: author.author(read: head),
      operation: .random(entropy))
  }

  /// The next header of a node, after a record.
  func next(_ header: HeaderBody, after previous: SignedRecord, _ author: Person) -> HeaderBody {
    var next = header
    next.version += 1
    next.previous = previous.hash
    next.author = author.author(read: head)
    next.operation = .random(entropy)
    next.permissions = permissions?.hash ?? .zeros
    return next
  }

  func put(_ header: HeaderBody, contents: [WireContent] = [], _ author: Person) -> WireOperation {
    .with {
      $0.operation = data(header.operation.bytes)
      $0.put.header = SignedRecord(signing: header, with: author.device).wire
      $0.put.contents = contents
    }
  }

  func delete(_ cloudID: CloudID, version: UInt64, previous: Hash32, read: LogHead? = nil, _ author: Person)
    -> WireOperation
  {
    let body = TombstoneBody(
      branch: branch, cloudID: cloudID, version: version, previous: previous, permissions: permissions?.hash ?? .zeros,
      epoch: 1, author: author.author(read: read ?? head), operation: .random(entropy))
    return .with {
      $0.operation = data(body.operation.bytes)
      $0.delete.tombstone = SignedRecord(signing: body, with: author.device).wire
    }
  }

  /// Sends one operation, and remembers what its acceptance means.
  mutating func send(_ operation: WireOperation, _ author: Person) throws -> WireOutcome {
    let outcome = try world.batch([operation], as: author)[0]
    guard case .accepted(let accepted) = outcome.result, accepted.line > head.line else { return outcome }
    head = LogHead(line: accepted.line, hash: try fixed(accepted.logHash))
    if case .permit(let permit) = operation.change {
      permissions = try SignedRecord(permit.permissions)
      version += 1
    }
    return outcome
  }
}

extension WireOperation {
  /// The record that it carries.
  var record: SignedRecord {
    get throws {
      switch change {
      case .put(let put): try SignedRecord(put.header)
      case .delete(let delete): try SignedRecord(delete.tombstone)
      case .permit(let permit): try SignedRecord(permit.permissions)
      case .copy(let copy): try SignedRecord(copy.header)
      case nil: throw Refusal.malformed
      }
    }
  }
}

/// A content and the reference that lists it.
func sealedContent(_ section: Section, _ bytes: [UInt8], by person: Person) -> (WireContent, ContentReference) {
  let reference = ContentReference(
    content: .random(entropy), section: section, device: person.deviceID, length: UInt64(bytes.count),
    hash: digest(.contentHash, bytes))
  let wire = WireContent.with {
    $0.content = data(reference.content.bytes)
    $0.ciphertext = data(bytes)
  }
  return (wire, reference)
}
