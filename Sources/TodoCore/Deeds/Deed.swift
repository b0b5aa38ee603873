public import Signing

/// A write's author, as far as this device can tell (spec §7.13).
public struct Deed: Hashable, Sendable {
  /// The user of the replica that wrote it; nil where nobody can tell, and for what was written here without an account.
  public let user: UserID?
  /// The user who signed the version with which it came, where that was somebody else: it is their word. Else nil.
  public let via: UserID?

  public init(_ user: UserID?, via: UserID? = nil) {
    self.user = user
    self.via = via == user ? nil : via
  }
}
