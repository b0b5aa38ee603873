public import CloudAPI
public import Signing

/// What a node's content is, in clear: the app's document and what it keeps of earlier values.
public struct NodeData: Hashable, Sendable {
  /// The app's document, of at most 64 KiB when it is sealed.
  public var data: [UInt8]
  /// What the app keeps of earlier values, of the same size at most; may be empty.
  public var history: [UInt8]
  /// What stands in the place of `data` where that is too large for a page.
  public var file: NodeFile?

  /// These sections; an empty history is not sent, and where there is a file, `data` is not.
  public init(data: [UInt8] = [], history: [UInt8] = [], file: NodeFile? = nil) {
    self.data = data
    self.history = history
    self.file = file
  }
}

/// What a sync found out, or a verb that takes something back. The app is told inside the transaction that changes the tree.
public enum Discovery: Sendable {
  /// A node is new or has a new version; join its content with what you have.
  case put(Node, NodeData)
  /// A node's content is this from now on, whatever you have: a change was taken back, or a deletion.
  case reset(Node, NodeData)
  /// A change that waited was given up: take back what the server does not have, as far as you know it. The server's content
  /// follows with a sync, unless this user may not read it any more.
  case discarded(Node)
  /// A node has another place or another name; it hung below this node before.
  case moved(Node, from: NodeID)
  /// A node and all below it are going. Its author is who signed that, where its `device` says that somebody did.
  case deleted(Node)
  /// The node's content, as last given, has reached the server.
  case pushed(Node)
  /// The permissions of the branch at this root have changed.
  case permitted(Node, from: PermissionsBody, to: PermissionsBody)
  /// The server does not let this user read the branch at this root any more. No record says so: whoever was taken off a branch cannot
  /// read that they were.
  case denied(Node)
}

/// What came of joining.
public enum Merge: Sendable {
  /// The local state equals what the server has.
  case settled
  /// The local state holds more: it will be uploaded.
  case differs
}

/// Thrown by a delegate whose node has nothing to say any more: its upload is given up, with all that waits for it.
public struct NothingToSend: Error {
  /// To be thrown.
  public init() {}
}

/// Thrown by a delegate whose node would become something else by what arrives: that goes into quarantine as malformed, and what is
/// here is put again, so that whoever comes later reads it as well.
public struct NodeBecameAnother: Error {
  /// To be thrown.
  public init() {}
}

/// The app's side of the treesystem: where content comes from and goes to.
public protocol TreesystemDelegate: Sendable {
  /// Asked when a node is about to be sealed.
  func content(of node: Node, in transaction: CloudTransaction) throws -> NodeData
  /// Asked for a file that was promised (`CloudTransaction.promiseFile`); nil: there is nothing to send any more.
  func file(of node: Node, in transaction: CloudTransaction) throws -> FileOffer?
  /// Told what a pull or push changed. Content that it cannot read it answers with an error: a `Refusal` is the reason
  /// with which the node goes into quarantine, anything else counts as malformed; only the database's errors end the sync.
  func receive(_ discovery: Discovery, in transaction: CloudTransaction) throws -> Merge
  /// Told that a node has another cloudID than before: its own was taken where it went, or it belongs to no account any more. What other
  /// nodes' content says of it by its old id has to be written anew.
  func renumbered(_ node: Node, from old: CloudID, in transaction: CloudTransaction) throws
  /// How much of a trunk is wanted before all of it, where it is long and this device has read nothing of it; nil: nothing.
  func newestWanted(of trunk: Trunk) -> NewestWish?
  /// Told what a trunk has newest by the server's word, before it was read: true, and the same is asked below this node. Show it with
  /// its row in `provisional`, so that it goes when the trunk was read; what is true of it comes as a discovery then.
  func receive(newest node: NewestNode, in transaction: CloudTransaction) throws -> Bool
  /// Told how the server answered the copy of a message in the outbox: nil, it lies in that user's inbox; or why it will not have it there.
  func answered(_ message: Node, to user: UserID, refused: Refusal?, in transaction: CloudTransaction) throws
  /// Told that a message in the outbox lies in a user's inbox no more; `wasThere`: it did until now.
  func burnt(_ message: Node, of user: UserID, wasThere: Bool, in transaction: CloudTransaction) throws
}

extension TreesystemDelegate {
  public func file(of node: Node, in transaction: CloudTransaction) throws -> FileOffer? { nil }
  public func renumbered(_ node: Node, from old: CloudID, in transaction: CloudTransaction) throws {}
  public func newestWanted(of trunk: Trunk) -> NewestWish? { nil }
  public func receive(newest node: NewestNode, in transaction: CloudTransaction) throws -> Bool { false }
  public func answered(_ message: Node, to user: UserID, refused: Refusal?, in transaction: CloudTransaction) throws {}
  public func burnt(_ message: Node, of user: UserID, wasThere: Bool, in transaction: CloudTransaction) throws {}
}
