public import Signing
import SwiftProtobuf

/// A body and its signature, as they travel. Nobody re-encodes a body to verify it.
public struct SignedRecord: Hashable, Sendable {
  /// The very bytes that were signed.
  public let body: [UInt8]
  public let signature: Signature

  public init(body: [UInt8], signature: Signature) {
    self.body = body
    self.signature = signature
  }

  /// Signs a new record.
  public init(signing body: some RecordBody, with key: SigningKey) {
    let bytes = body.encoded
    self.init(body: bytes, signature: key.sign(type(of: body).domain, bytes))
  }

  /// The record hash (spec §1.3): it stands in lines, in `previous`, and wherever a record is named.
  public var hash: Hash32 {
    digest(.record, BigEndian.bytes(UInt32(body.count)) + body + signature.bytes)
  }

  /// Reads what `encoded` wrote.
  public init(encoded: [UInt8]) throws(Refusal) {
    guard let wire = try? WireSignedRecord(serializedBytes: encoded) else { throw .malformed }
    try self.init(wire)
  }

  /// The encoding that travels and that storage keeps.
  public var encoded: [UInt8] { encode(wire) }

  package init(_ wire: WireSignedRecord) throws(Refusal) {
    guard wire.body.count <= Limits.recordBytes else { throw .limitExceeded }
    guard let signature = Signature(bytes: wire.signature) else { throw .malformed }
    self.init(body: Array(wire.body), signature: signature)
  }

  package var wire: WireSignedRecord {
    WireSignedRecord.with {
      $0.body = data(body)
      $0.signature = data(signature.bytes)
    }
  }
}

/// What a signed record says.
public protocol RecordBody: Sendable {
  /// The domain it is signed under.
  static var domain: Domain { get }
  /// Checks the shape: lengths, counts, suite. It believes nothing else.
  init(decoding bytes: [UInt8]) throws(Refusal)
  /// The bytes to sign.
  var encoded: [UInt8] { get }
}

/// A record that was parsed and not yet believed.
public struct Unverified<Body: RecordBody>: Sendable {
  public let body: Body
  public let record: SignedRecord
  public let hash: Hash32

  /// Refuses a body of the wrong shape.
  public init(_ record: SignedRecord) throws(Refusal) {
    self.record = record
    hash = record.hash
    body = try Body(decoding: record.body)
  }
}

/// A record that `verify` believes. Nothing else makes one.
public struct Verified<Body: RecordBody>: Sendable {
  public let body: Body
  public let record: SignedRecord
  public let hash: Hash32

  init(believing unverified: Unverified<Body>) {
    body = unverified.body
    record = unverified.record
    hash = unverified.hash
  }
}

public typealias UnverifiedHeader = Unverified<HeaderBody>
public typealias Header = Verified<HeaderBody>
public typealias UnverifiedTombstone = Unverified<TombstoneBody>
public typealias Tombstone = Verified<TombstoneBody>
public typealias UnverifiedPermissions = Unverified<PermissionsBody>
public typealias Permissions = Verified<PermissionsBody>
