public import Signing

/// A top-level root of a person's treesystem.
public enum Trunk: String, Sendable, CaseIterable {
  /// What the person sees: lists, or whatever an app keeps there.
  case home
  /// Settings; never shared.
  case prefs
  /// What the person sent.
  case outbox
  /// What others sent; anyone may write there once.
  case inbox

  /// The trunk's branch id (spec §1.6).
  public func cloudID(of user: UserID) -> CloudID { CloudID(user: user, trunk: rawValue) }
}

extension KeyringChange.Trunks {
  /// The hash of one trunk's first permissions record.
  public func firstPermissions(of trunk: Trunk) -> Hash32 {
    switch trunk {
    case .home: home
    case .prefs: prefs
    case .outbox: outbox
    case .inbox: inbox
    }
  }
}
