public import Signing

/// Somebody this profile has met.
public struct Person: Hashable, Sendable {
  public let user: UserID
  /// As they call themselves, pinned at first contact.
  public let handle: String
  /// How to show them: the handle, with the beginning of the userID where two people claim the same one.
  public let display: String
  public let regard: Regard
}

/// A person as a server names them now.
public struct PersonNow: Hashable, Sendable {
  public let person: Person
  /// Whether somebody else was met under this handle before.
  public let hasChanged: Bool
}

/// What a person may do with a list, as people say it.
public enum Role: String, Sendable, CaseIterable {
  case viewer
  case editor
  case admin
  case owner
}
