public import Signing
public import Treesystem

/// A list as people see it.
public struct TodoList: Hashable, Sendable {
  /// The root of its branch.
  public let node: NodeID
  public let branch: BranchID
  /// Permanent, the same for every member: 26 letters and digits of base32.
  public let id: String
  /// As one of its members wrote it last: not safe for a terminal, and not unique. It decides nothing.
  public let title: String
  /// What this person calls it: unique among their lists, and no other user's to change.
  public let name: String
  /// Milliseconds since 1970.
  public let createdAt: Int64
  /// Who owns it; nil while it was never sent.
  public let owner: UserID?
  /// Whether anybody else may read it, or could before it ended.
  public let isShared: Bool
  /// Whether it is put away.
  public let isArchived: Bool
  /// Where it was put among the lists; nil where nobody moved it.
  public let place: OrderKey?

  /// Since when it is in the trash, in milliseconds since 1970; nil where it is not.
  public let removedAt: Int64?

  /// What its members call it now, where this person calls it otherwise; nil where the name was only made one of its own.
  public var otherTitle: String? {
    let theirs = ListName.suiting(title)
    let isSame = folded(theirs) == folded(name) || folded(name).hasPrefix("\(folded(theirs)) (")
    return isSame || title.isEmpty ? nil : title
  }

  /// What it is called to somebody to whom it is offered: this person's name for it, where another member gave it another title.
  public var offeredTitle: String { otherTitle == nil ? title : name }
}
