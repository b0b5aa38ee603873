import CloudAPI
public import Signing
import Treesystem

/// An offer of somebody's branch, as it lies before the user.
public struct Invite: Hashable, Sendable {
  /// Counts up for ever, so that a number never means another invitation later.
  public let number: Int
  /// Who signed it.
  public let sender: UserID
  /// How to show them.
  public let senderName: String
  /// Whether this user has compared numbers with whoever sent it.
  public let isSenderVerified: Bool
  /// Whether this user has compared numbers with whoever sent it, and they were not the same.
  public let isSenderOther: Bool
  /// The branch.
  public let branch: CloudID
  /// What its sender calls the branch.
  public let title: String
  /// What its sender wrote beside it; may be empty.
  public let note: String
  /// What it gives.
  public let role: Role
  /// Milliseconds since 1970.
  public let received: Int64
  /// Whether it offers to be the owner of a list that one has already.
  public let isOwnership: Bool
  /// Milliseconds since 1970; nil: it stands until it is answered.
  public let expires: Int64?
  /// Whether whoever sent it called the list theirs and has deleted their account: it went with it, unless it had another owner by then.
  public let isSenderGone: Bool
}

/// What a message offers, before its fields were checked.
struct UnverifiedInvitation {
  let wire: SealedInvitation
  let sender: UserID
  let node: Node

  init(_ wire: SealedInvitation, from sender: UserID, in node: Node) {
    self.wire = wire
    self.sender = sender
    self.node = node
  }

  struct Fields {
    let branch: CloudID
    let firstPermissions: Hash32
    let letters: Letters
  }

  func verify() throws(Refusal) -> Fields {
    let letters = Letters(rawValue: wire.letters)
    guard wire.cloudPath.isEmpty, letters.contains(.read), Letters.all.isSuperset(of: letters),
      wire.title.utf8.count <= 64 * 1024, wire.note.utf8.count <= 64 * 1024
    else { throw .malformed }
    return Fields(branch: try fixed(wire.branch), firstPermissions: try fixed(wire.firstPermissions), letters: letters)
  }
}

extension String {
  /// With a replacement character for each NUL, which would end the text early in the database.
  var withoutNUL: String { utf8.contains(0) ? replacing("\0", with: "\u{FFFD}") : self }
}
