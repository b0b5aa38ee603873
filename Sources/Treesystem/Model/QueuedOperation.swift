public import CloudAPI
public import Signing

/// A change that the server has not confirmed yet.
public struct QueuedOperation: Sendable {
  /// The four operations.
  public enum Kind: String, Sendable {
    /// A node has this place and this content.
    case put
    /// A node goes, with all below it.
    case delete
    /// A user has these letters on a branch; without a user: the branch begins, or ends.
    case permit
    /// What lies in the outbox lies in a user's inbox too.
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
  /// What the server knows it by; another one after a conflict.
  public let operation: OperationID
  /// Which of the four it is.
  public let kind: Kind
  /// Where it stands.
  public let state: State
  /// The branch that it changes.
  public let branch: BranchID
  /// The node that a put or copy is about.
  public let node: NodeID?
  /// The node that it is about, also where that is gone here.
  public let cloudID: CloudID?
  /// The user that a permit or copy is about.
  public let user: UserID?
  /// What a permit gives its user; none takes all away, nil leaves them as they are.
  public let letters: Letters?
  /// The bytes that are sent, while it is sealed.
  public let sealed: [UInt8]?
  /// Why the server refused it.
  public let reason: Refusal?
  /// Milliseconds since 1970.
  public let created: Int64
  /// What the author had read when a deletion was decided.
  let read: LogHead?
  /// Whether a permit gives the branch to its user.
  public let handsOver: Bool
  /// Whether a permit ends its branch for everybody.
  public let closes: Bool

  /// Whether it takes a message of this user's out of somebody's inbox.
  public var isBurn: Bool { kind == .delete && user != nil }
  /// Whether it goes to somebody's inbox, which has to be asked for first.
  var goesToInbox: Bool { kind == .copy || isBurn }
}

/// Names a queued operation, so that another can depend on it.
public struct CloudOperation: Hashable, Sendable {
  /// Its place in the queue (``QueuedOperation/sequence``).
  public let sequence: Int64

  package init(sequence: Int64) { self.sequence = sequence }
}

/// A record that did not verify or open, kept with its reason. It was never applied.
public struct Quarantined: Sendable {
  /// Where it came.
  public let branch: BranchID
  /// Of the branch's log.
  public let line: UInt64
  /// The node that it is about.
  public let cloudID: CloudID
  /// Why it was not believed.
  public let reason: Refusal
  /// Milliseconds since 1970.
  public let since: Int64
  /// Whether it came as its author signed it, so that it is theirs and not the server's that it is not believed.
  public let isAuthors: Bool
}
