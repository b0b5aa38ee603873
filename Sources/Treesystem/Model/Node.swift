public import CloudAPI
public import Signing

/// A node of the local tree. Every node may have content and children.
public struct Node: Hashable, Sendable {
  /// Its number in this database.
  public let id: NodeID
  /// The branch that it belongs to; of a pointer, the one where it stands.
  public let branch: BranchID
  /// Nil for a branch root, whose place is a pointer node somewhere.
  public let parent: NodeID?
  /// Empty for a branch root.
  public let name: String
  /// Nil only for a trunk before there is an account.
  public let cloudID: CloudID?
  /// The trunk, if the node's branch is one.
  public let trunk: Trunk?
  /// Who signed the node's latest verified header; nil while it was never sent.
  public let author: UserID?
  /// The branch that hangs here, if this is a pointer.
  public let pointer: BranchID?
  /// The device that signed the version that is handed over; nil for content of this device's own, and a node that was only looked up.
  public var device: DeviceID?

  /// Whether the node is the root of its branch.
  public var isBranchRoot: Bool { parent == nil }
}
