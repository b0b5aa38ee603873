public import Signing
import SwiftProtobuf

/// Who signed a header, tombstone or permissions record, and what they had read of the branch.
public struct Author: Hashable, Sendable {
  public var user: UserID
  public var device: DeviceID
  /// The position of the author's keyring that the author knew.
  public var keyringPosition: UInt32
  /// The line up to which the author had read, and the log hash there.
  public var read: LogHead

  public init(user: UserID, device: DeviceID, keyringPosition: UInt32, read: LogHead) {
    self.user = user
    self.device = device
    self.keyringPosition = keyringPosition
    self.read = read
  }

  init(_ wire: WireAuthor) throws(Refusal) {
    user = try fixed(wire.user)
    device = try fixed(wire.device)
    keyringPosition = wire.keyringPosition
    read = try LogHead(told: wire.readLine, wire.readHash)
  }

  var wire: WireAuthor {
    WireAuthor.with {
      $0.user = data(user.bytes)
      $0.device = data(device.bytes)
      $0.keyringPosition = keyringPosition
      $0.readLine = read.line
      $0.readHash = data(read.hash.bytes)
    }
  }
}
