public import CloudAPI
public import Signing

/// What a server says a trunk has newest, before that was read so far: its signatures and contents are right, and nothing tells yet whether
/// it is the latest or was deleted (spec §6.6).
public struct NewestNode: Sendable {
  /// The trunk it lies in.
  public let trunk: Trunk
  /// The id of the node.
  public let cloudID: CloudID
  /// Of the node that it hangs below; nil for the trunk's root.
  public let parent: CloudID?
  /// Its name; empty for the trunk's root.
  public let name: String
  /// What that node is called.
  public let parentName: String
  /// Who signed what it says: of a message, and of what came as one, its sender.
  public let sender: UserID
  /// What it says.
  public let content: NodeData
  /// When it goes, as whoever said it has signed, in milliseconds since 1970; nil: never.
  public let expires: Int64?
  /// Where it is remembered; it goes once the trunk was read.
  public let provisional: Int64
}

/// How much of a trunk is wanted before all of it.
public struct NewestWish: Sendable {
  /// Of the children of the trunk's root.
  public let atRoot: Int
  /// Of those of each node below it that is asked for.
  public let below: Int

  /// So many of each; a server gives 1,000 at most.
  public init(atRoot: Int, below: Int) {
    self.atRoot = atRoot
    self.below = below
  }
}
