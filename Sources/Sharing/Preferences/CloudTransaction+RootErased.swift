import CloudAPI
public import Signing
import SwiftProtobuf
public import Treesystem

/// Whether whoever finds the device that made the account finds the recovery words.
extension CloudTransaction {
  /// Whether a device of this account has said that the root is erased from it.
  public func hasErasedRoot(_ device: DeviceID) throws -> Bool { try preference("root-erased", device.bytes) != nil }

  /// Tells the other devices that the root is erased here, once it is. Only the device that made the account ever had it.
  func tellRootErased() throws {
    guard let account = try account(), !account.holdsRoot, try !hasErasedRoot(account.device),
      let first = try devices().first, first.isThisOne, first.ended == nil
    else { return }
    try setPreference(.rootErased(.with { $0.device = data(account.device.bytes) }))
  }
}
