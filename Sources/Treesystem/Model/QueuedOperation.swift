public import CloudAPI
public import Signing

/// A change that the server has not confirmed yet.
public struct QueuedOperation: Sendable {
  /// The four operations.
  public enum Kind: String, Sendable {
    case put
    case delete
    case permit
    case copy
  }

  /// Where it stands.
  public enum State: String, Sendable {
    /// Not sealed: edits still join it.
    case pending
    /// Sealed and perhaps sent: it is sent again byte for byte until there is an answer.
    case sealed
    /// The server refused it for good. It is kept until the user retries or discards it.
    case refused
  }

  /// Its place in the queue.
  public let sequence: Int64
  public let operation: OperationID
  public let kind: Kind
  public let state: State
  public let branch: BranchID
  public let node: NodeID?
  public let cloudID: CloudID?
  /// The user that a permit or copy is about.
  public let user: UserID?
  public let letters: Letters?
  public let sealed: [UInt8]?
  public let reason: Refusal?
  /// Milliseconds since 1970.
  public let created: Int64
  /// What the author had read when a deletion was decided.
  let read: LogHead?
  /// Whether a permit gives the branch to its user.
  let handsOver: Bool
  /// Whether a permit ends its branch for everybody.
  public let closes: Bool
}

/// Names a queued operation, so that another can depend on it.
public struct CloudOperation: Hashable, Sendable {
  public let sequence: Int64

  package init(sequence: Int64) { self.sequence = sequence }
}

/// A record that did not verify or open, kept with its reason. It was never applied.
public struct Quarantined: Sendable {
  public let branch: BranchID
  public let line: UInt64
  public let cloudID: CloudID
  public let reason: Refusal
  /// Milliseconds since 1970.
  public let since: Int64
}
