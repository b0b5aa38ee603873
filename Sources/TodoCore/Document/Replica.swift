package import Signing

/// The writer of a stamp, in 8 bytes: those of a device's profile, by which its stamps differ from those of all others (spec §7.3).
public struct Replica: Hashable, Comparable, Sendable {
  /// One length, so that nobody can make one that is greater than all others.
  static let length = 8
  /// Bytes of chance in one that a device gives itself.
  static let saltLength = 2

  /// The bytes as a big-endian number, which orders as they do.
  private let number: UInt64

  private init(number: UInt64) { self.number = number }

  /// Returns nil unless there are 8 bytes.
  public init?(bytes: some Collection<UInt8>) {
    guard bytes.count == Self.length else { return nil }
    number = bytes.reduce(0) { $0 << 8 | UInt64($1) }
  }

  /// The 8 bytes.
  public var bytes: [UInt8] { bigEndian(number) }

  /// A device's replica: two bytes of salt, and six that follow from them, so that whoever knows the device knows it again.
  package init(of user: UserID, _ device: DeviceID, salt: [UInt8]) {
    let bytes = salt + digest(.replica, user.bytes + device.bytes + salt, length: 16).prefix(Self.length - salt.count)
    number = bytes.prefix(Self.length).reduce(0) { $0 << 8 | UInt64($1) }
  }

  /// One that no device gives itself. It is greater than nearly all: of two writes at one time the one with the greater replica counts.
  static func unbound(_ entropy: any Entropy) -> Replica {
    Replica(number: entropy.bytes(length - 1).reduce(0xFF) { $0 << 8 | UInt64($1) })
  }

  /// The one under which a write of this one is passed on by who does not vouch for it: greater, and the same for everybody, so that two who
  /// pass it on write the same.
  package var disowned: Replica {
    var bytes = bytes
    if let index = bytes.firstIndex(where: { $0 != 0xFF }) { bytes[index] = 0xFF }
    return Replica(bytes: bytes) ?? self
  }

  /// True where a device gave itself this replica.
  func belongs(to user: UserID, _ device: DeviceID) -> Bool {
    self == Replica(of: user, device, salt: Array(bytes.prefix(Self.saltLength)))
  }

  public static func < (a: Replica, b: Replica) -> Bool { a.number < b.number }
}

/// A number in 8 bytes.
func bigEndian(_ number: UInt64) -> [UInt8] {
  stride(from: 56, through: 0, by: -8).map { UInt8(truncatingIfNeeded: number >> UInt64($0)) }
}
