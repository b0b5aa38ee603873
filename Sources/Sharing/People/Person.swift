public import Signing

/// Somebody this profile has met.
public struct Person: Hashable, Sendable {
  /// Who they are; it follows from their root key, and is the same for everybody.
  public let user: UserID
  /// As they call themselves, pinned at first contact.
  public let handle: String
  /// How to show them: the handle, with the beginning of the userID where two people claim the same one.
  public let display: String
  /// What this user thinks of them.
  public let regard: Regard
}

/// A person as a server names them now.
public struct PersonNow: Hashable, Sendable {
  /// Whom the server means.
  public let person: Person
  /// Whether somebody else was met under this handle before.
  public let hasChanged: Bool
}

/// What a person may do with a list, as people say it.
public enum Role: String, Sendable, CaseIterable {
  /// Reads.
  case viewer
  /// Reads and writes.
  case editor
  /// Reads, writes, and lets others in and out.
  case admin
  /// All that; ends the list for everybody, or gives it away.
  case owner
}
