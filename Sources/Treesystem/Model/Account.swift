public import Signing

/// The account that this profile is signed in to.
public struct Account: Sendable {
  /// Whose it is.
  public let user: UserID
  /// As the user calls themselves on this server.
  public let handle: String
  /// The server as the user named it.
  public let server: String
  /// This device.
  public let device: DeviceID
  /// Whether the root key is still on this device: until its words were rehearsed.
  public let holdsRoot: Bool
}

/// The account's keys, for sealing and signing. Never leaves Treesystem.
struct Identity: Sendable {
  let user: UserID
  let device: DeviceID
  let signingKey: SigningKey
  let boxSecret: SecretBytes
}
