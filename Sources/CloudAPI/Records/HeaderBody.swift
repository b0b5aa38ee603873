public import Signing
import SwiftProtobuf

/// A node's signed, server-visible facts (spec §5.1).
public struct HeaderBody: RecordBody, Equatable {
  public static let domain = Domain.nodeHeader

  public var branch: CloudID
  public var cloudID: CloudID
  /// Nil for a branch root, like `nameToken`.
  public var parent: CloudID?
  public var nameToken: Hash32?
  public var version: UInt64
  public var previous: Hash32
  public var permissions: Hash32
  public var epoch: UInt64
  public var wrappedKey: [UInt8]
  public var keyCommitment: Hash32
  public var contents: [ContentReference]
  public var author: Author
  public var operation: OperationID
  /// Only of a message: the user that `wrappedKey` is sealed to, and the generation of their key.
  public var recipient: UserID?
  public var recipientGeneration: UInt32
  /// The version with which the node last came back after it had gone with one above it; 0 where it never did.
  public var revived: UInt64
  /// When its contents go from the server, in milliseconds since 1970; 0: never.
  public var expires: UInt64

  public init(
    branch: CloudID, cloudID: CloudID, parent: CloudID?, nameToken: Hash32?, version: UInt64, previous: Hash32,
    permissions: Hash32, epoch: UInt64, wrappedKey: [UInt8], keyCommitment: Hash32, contents: [ContentReference],
    author: Author, operation: OperationID, recipient: UserID? = nil, recipientGeneration: UInt32 = 0,
    revived: UInt64 = 0, expires: UInt64 = 0
  ) {
    self.branch = branch
    self.cloudID = cloudID
    self.parent = parent
    self.nameToken = nameToken
    self.version = version
    self.previous = previous
    self.permissions = permissions
    self.epoch = epoch
    self.wrappedKey = wrappedKey
    self.keyCommitment = keyCommitment
    self.contents = contents
    self.author = author
    self.operation = operation
    self.recipient = recipient
    self.recipientGeneration = recipientGeneration
    self.revived = revived
    self.expires = expires
  }

  /// What the node is, as far as the server sees it.
  public var form: NodeForm { content(.data).map { $0.file == nil ? .document : .file } ?? .bare }

  /// The reference of one section.
  public func content(_ section: Section) -> ContentReference? { contents.first { $0.section == section } }

  public init(decoding bytes: [UInt8]) throws(Refusal) {
    let wire = try decodeRecord(WireNodeHeader.self, bytes)
    try requireSuite(wire.suite)
    guard wire.contents.count <= Limits.contents else { throw .malformed }
    var contents: [ContentReference] = []
    for content in wire.contents { contents.append(try ContentReference(content)) }
    self.init(
      branch: try fixed(wire.branch), cloudID: try fixed(wire.cloudID), parent: try optional(wire.parent),
      nameToken: try optional(wire.nameToken), version: try counter(wire.version), previous: try fixed(wire.previous),
      permissions: try fixed(wire.permissions), epoch: try counter(wire.epoch), wrappedKey: Array(wire.wrappedKey),
      keyCommitment: try fixed(wire.keyCommitment), contents: contents, author: try Author(wire.author),
      operation: try fixed(wire.operation), recipient: try optional(wire.recipient),
      recipientGeneration: wire.recipientGeneration, revived: try counter(wire.revived), expires: wire.expires)
    try checkShape()
  }

  private func checkShape() throws(Refusal) {
    guard Set(contents.map(\.section)).count == contents.count else { throw .malformed }
    guard wrappedKey.count == (recipient == nil ? 72 : 80) else { throw .malformed }
    guard (cloudID == branch) == (parent == nil), parent != cloudID else { throw .parentWrong }
    guard (parent == nil) == (nameToken == nil) else { throw .malformed }
    guard revived <= version else { throw .malformed }
    guard expires == 0 || mayExpire else { throw .malformed }
  }

  /// What somebody said, and what is kept of it: in its author's own trunks nobody else's words are at stake.
  private var mayExpire: Bool {
    recipient != nil
      || parent != nil && [Trunk.home, .outbox].contains { $0.cloudID(of: author.user) == branch }
  }

  public var encoded: [UInt8] {
    encode(
      WireNodeHeader.with {
        $0.suite = 1
        $0.branch = data(branch.bytes)
        $0.cloudID = data(cloudID.bytes)
        $0.parent = data(parent?.bytes ?? [])
        $0.nameToken = data(nameToken?.bytes ?? [])
        $0.version = version
        $0.previous = data(previous.bytes)
        $0.permissions = data(permissions.bytes)
        $0.epoch = epoch
        $0.wrappedKey = data(wrappedKey)
        $0.keyCommitment = data(keyCommitment.bytes)
        $0.contents = contents.map(\.wire)
        $0.author = author.wire
        $0.operation = data(operation.bytes)
        $0.recipient = data(recipient?.bytes ?? [])
        $0.recipientGeneration = recipientGeneration
        $0.revived = revived
        $0.expires = expires
      })
  }
}

/// What a node is (spec §5.1, rule 11): settled by the first header of a life.
public enum NodeForm: Hashable, Sendable {
  /// It holds nothing of an app's: a pointer, or a trunk's root.
  case bare
  /// Its data is a document of the app's.
  case document
  /// Its data is a file.
  case file
}

/// A part of a node's content; each is sealed for itself.
public enum Section: UInt32, Sendable, CaseIterable {
  case metadata = 1
  case data = 2
  case thumbnail = 3
  case history = 4
}
