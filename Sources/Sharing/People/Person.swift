public import Signing

/// Somebody this profile has met.
public struct Person: Hashable, Sendable {
  public let user: UserID
  /// As they call themselves, pinned at first contact.
  public let handle: String
  /// How to show them: the handle, with the beginning of the userID where two people claim the same one.
  public let display: String
}

/// What a person may do with a list, as people say it.
public enum Role: String, Sendable, CaseIterable {
  case viewer
  case editor
  case admin
  case owner
}
