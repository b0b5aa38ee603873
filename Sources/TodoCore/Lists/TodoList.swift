public import Signing
public import Treesystem

/// A list as people see it.
public struct TodoList: Hashable, Sendable {
  /// The root of its branch.
  public let node: NodeID
  public let branch: BranchID
  /// Permanent, the same for every member: 26 letters and digits of base32.
  public let id: String
  /// As its owner wrote it: not safe for a terminal, and not unique.
  public let title: String
  /// What this person calls it: unique among their lists.
  public let name: String
  /// Milliseconds since 1970.
  public let createdAt: Int64
  /// Who owns it; nil while it was never sent.
  public let owner: UserID?
  /// Whether it is put away.
  public let isArchived: Bool
  /// Where it was put among the lists; nil where nobody moved it.
  public let place: OrderKey?
}
