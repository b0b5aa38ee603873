import CloudAPI
public import Signing
public import Treesystem

extension CloudTransaction {
  /// What a device of this account is called; nil where nobody said.
  public func name(of device: DeviceID) throws -> String? {
    guard case .device(let known)? = try preference("device", device.bytes), !known.name.isEmpty else { return nil }
    return known.name
  }

  /// Gives a device of this account a name, for all of them. The server does not see it.
  public func setName(_ name: String, of device: DeviceID) throws {
    var preference = SealedDeviceName()
    preference.device = data(device.bytes)
    preference.name = name
    try setPreference(.device(preference))
  }
}
