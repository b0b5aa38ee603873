public import CloudAPI
public import Signing

/// What a sync did, and what it could not do.
public struct SyncReport: Sendable {
  /// Rows that came from others.
  public var received = 0
  /// Operations that the server accepted.
  public var sent = 0
  /// Operations that are still queued: refused, or waiting for something.
  public var unsent = 0
  /// Operations that the server refused for good.
  public var refused = 0
  /// Branches that could not be read further, with the reason.
  public var troubles: [CloudID: Refusal] = [:]

  /// Those whose pages the server refused just now, for whatever reason it said.
  var unreadable: Set<BranchID> = []

  /// Of a sync that did nothing yet.
  public init() {}
}

/// How far a sync is, for people who watch.
public struct SyncProgress: Sendable {
  /// Rows that came from others so far.
  public var received: Int
  /// Operations that the server accepted so far.
  public var sent: Int
  /// Operations that are queued.
  public var unsent: Int
  /// Whether it has not begun, because another sync of this profile is under way.
  public var isWaiting: Bool

  /// So far.
  public init(received: Int, sent: Int, unsent: Int, isWaiting: Bool = false) {
    self.received = received
    self.sent = sent
    self.unsent = unsent
    self.isWaiting = isWaiting
  }
}
