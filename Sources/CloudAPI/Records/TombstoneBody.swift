public import Signing
import SwiftProtobuf

/// A signed deletion of a node and of everything below it (spec §5.6).
public struct TombstoneBody: RecordBody, Equatable {
  public static let domain = Domain.tombstone

  public var branch: CloudID
  public var cloudID: CloudID
  public var version: UInt64
  public var previous: Hash32
  public var permissions: Hash32
  public var epoch: UInt64
  public var author: Author
  public var operation: OperationID
  /// Only when the node went to another branch.
  public var moved: Moved?
  /// As the header before has it: readers that never saw that one learn from it which life ends here.
  public var revived: UInt64
  /// Only where its author deletes what they signed themselves: the header that it takes.
  public var burned: SignedRecord?

  /// Where a moved node went.
  public struct Moved: Hashable, Sendable {
    /// The record hash of the header that was put again elsewhere.
    public var versionCopied: Hash32
    /// Sealed under the branch key.
    public var destination: [UInt8]

    /// Nonce, the id of a branch, and tag.
    static let destinationLength = 56

    public init(versionCopied: Hash32, destination: [UInt8]) {
      self.versionCopied = versionCopied
      self.destination = destination
    }
  }

  public init(
    branch: CloudID, cloudID: CloudID, version: UInt64, previous: Hash32, permissions: Hash32, epoch: UInt64,
    author: Author, operation: OperationID, moved: Moved? = nil, revived: UInt64 = 0, burned: SignedRecord? = nil
  ) {
    self.branch = branch
    self.cloudID = cloudID
    self.version = version
    self.previous = previous
    self.permissions = permissions
    self.epoch = epoch
    self.author = author
    self.operation = operation
    self.moved = moved
    self.revived = revived
    self.burned = burned
  }

  public init(decoding bytes: [UInt8]) throws(Refusal) {
    let wire = try decodeRecord(WireTombstone.self, bytes)
    try requireSuite(wire.suite)
    var moved: Moved?
    if wire.hasMoved {
      moved = Moved(versionCopied: try fixed(wire.moved.versionCopied), destination: Array(wire.moved.destination))
      guard wire.moved.destination.count == Moved.destinationLength, wire.branch != wire.cloudID else {
        throw .malformed
      }
    }
    self.init(
      branch: try fixed(wire.branch), cloudID: try fixed(wire.cloudID), version: try counter(wire.version),
      previous: try fixed(wire.previous), permissions: try fixed(wire.permissions), epoch: try counter(wire.epoch),
      author: try Author(wire.author), operation: try fixed(wire.operation), moved: moved,
      revived: try counter(wire.revived),
      burned: wire.hasBurned ? try SignedRecord(wire.burned) : nil)
    guard revived < version else { throw .malformed }
    guard let burned else { return }
    let header = try HeaderBody(decoding: burned.body)
    guard burned.hash == previous, header.branch == branch, header.cloudID == cloudID, cloudID != branch, moved == nil
    else { throw .malformed }
  }

  public var encoded: [UInt8] {
    encode(
      WireTombstone.with {
        $0.suite = 1
        $0.branch = data(branch.bytes)
        $0.cloudID = data(cloudID.bytes)
        $0.version = version
        $0.previous = data(previous.bytes)
        $0.permissions = data(permissions.bytes)
        $0.epoch = epoch
        $0.author = author.wire
        $0.operation = data(operation.bytes)
        if let moved {
          $0.moved.versionCopied = data(moved.versionCopied.bytes)
          $0.moved.destination = data(moved.destination)
        }
        $0.revived = revived
        if let burned { $0.burned = burned.wire }
      })
  }
}
