public import Signing
import SwiftProtobuf

/// A successor's word that they take a branch over; the owner's record that gives it away carries it (spec §3.5).
public struct OwnershipTransferBody: RecordBody, Equatable {
  public static let domain = Domain.ownershipTransfer

  public var branch: CloudID
  /// Who gives it away.
  public var owner: UserID
  public var successor: UserID
  /// Milliseconds since 1970.
  public var expires: Int64
  /// The successor's device that signs.
  public var device: DeviceID
  /// Of the successor's keyring.
  public var keyringPosition: UInt32

  public init(
    branch: CloudID, owner: UserID, successor: UserID, expires: Int64, device: DeviceID, keyringPosition: UInt32
  ) {
    self.branch = branch
    self.owner = owner
    self.successor = successor
    self.expires = expires
    self.device = device
    self.keyringPosition = keyringPosition
  }

  public init(decoding bytes: [UInt8]) throws(Refusal) {
    let wire = try decodeRecord(WireOwnershipTransfer.self, bytes)
    try requireSuite(wire.suite)
    guard wire.expires <= UInt64(Int64.max) else { throw .malformed }
    self.init(
      branch: try fixed(wire.branch), owner: try fixed(wire.owner), successor: try fixed(wire.successor),
      expires: Int64(wire.expires), device: try fixed(wire.device), keyringPosition: wire.keyringPosition)
  }

  public var encoded: [UInt8] {
    encode(
      WireOwnershipTransfer.with {
        $0.suite = 1
        $0.branch = data(branch.bytes)
        $0.owner = data(owner.bytes)
        $0.successor = data(successor.bytes)
        $0.expires = UInt64(max(0, expires))
        $0.device = data(device.bytes)
        $0.keyringPosition = keyringPosition
      })
  }
}
