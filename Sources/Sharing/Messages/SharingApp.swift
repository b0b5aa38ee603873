public import Signing
public import Treesystem

/// What one person's messages say about the branch at this root, to an app that wants to hear it.
public enum Answer: Hashable, Sendable {
  /// They took what this user had offered to them.
  case joined
  /// They do not want it; or they do not want to be its owner.
  case declined(ownership: Bool)
}

/// An app that hears of answers as well, and of a sync before it changes anything.
public protocol SharingApp: TreesystemDelegate {
  /// Told before each sync, in a transaction of its own.
  func prepareForSync(in transaction: CloudTransaction) throws
  /// Told in the transaction in which the answer is read, each once.
  func hear(_ answer: Answer, of user: UserID, at root: Node, in transaction: CloudTransaction) throws
  /// Told in the transaction in which it is read, each once.
  func hear(_ event: MessageEvent, in transaction: CloudTransaction) throws
}

extension SharingApp {
  public func hear(_ event: MessageEvent, in transaction: CloudTransaction) throws {}
}
