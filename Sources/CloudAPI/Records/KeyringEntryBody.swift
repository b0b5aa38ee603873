public import Signing
import SwiftProtobuf

/// One entry of a keyring (spec §2.2).
public struct KeyringEntryBody: RecordBody, Equatable {
  public static let domain = Domain.keyringEntry

  public var user: UserID
  public var position: UInt32
  public var previous: Hash32
  /// Nil: the root.
  public var signer: DeviceID?
  /// Milliseconds since 1970, informative.
  public var created: Int64
  public var change: KeyringChange

  public init(
    user: UserID, position: UInt32, previous: Hash32, signer: DeviceID?, created: Int64, change: KeyringChange
  ) {
    self.user = user
    self.position = position
    self.previous = previous
    self.signer = signer
    self.created = created
    self.change = change
  }

  public init(decoding bytes: [UInt8]) throws(Refusal) {
    let wire = try decodeRecord(WireKeyringEntry.self, bytes)
    try requireSuite(wire.suite)
    self.init(
      user: try fixed(wire.user), position: wire.position, previous: try fixed(wire.previous),
      signer: try optional(wire.signer), created: Int64(truncatingIfNeeded: wire.created),
      change: try KeyringChange(wire.change))
  }

  public var encoded: [UInt8] {
    encode(
      WireKeyringEntry.with {
        $0.suite = 1
        $0.user = data(user.bytes)
        $0.position = position
        $0.previous = data(previous.bytes)
        $0.signer = data(signer?.bytes ?? [])
        $0.created = UInt64(max(0, created))
        $0.change = change.wire
      })
  }
}
