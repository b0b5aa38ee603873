public import CloudAPI

/// How far one file is on its way.
public struct TransferProgress: Equatable, Sendable {
  /// Which way it goes.
  public enum Direction: Sendable {
    /// To the server.
    case up
    /// From the server.
    case down
  }

  /// Which way it goes.
  public let direction: Direction
  /// Sealed bytes, of those that travel: what was there before the transfer began counts as done.
  public let done: UInt64
  /// Sealed bytes, all of them.
  public let total: UInt64
  /// How many files are left, with this one.
  public let files: Int
  /// Whether another process transfers files, and this one waits for it.
  public let isWaiting: Bool

  init(_ direction: Direction, done: UInt64, total: UInt64, files: Int = 1, isWaiting: Bool = false) {
    self.direction = direction
    self.done = done
    self.total = total
    self.files = files
    self.isWaiting = isWaiting
  }
}

/// What a transfer of files came to.
public struct TransferReport: Equatable, Sendable {
  /// Files that the server has now. Their nodes follow with a sync.
  public var sent = 0
  /// Sections that are here now.
  public var fetched = 0
  /// The nodes of which sections came.
  public var arrived: Set<NodeID> = []
  /// What could not be sent is refused as a change, and this counts it.
  public var refused = 0
  /// What the server sent in place of a section, and why it was not believed, by node.
  public var troubles: [NodeID: Refusal] = [:]

  /// Of a transfer that did nothing yet.
  public init() {}
}
