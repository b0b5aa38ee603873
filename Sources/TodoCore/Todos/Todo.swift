public import Dates
public import Signing
public import Treesystem

/// What has become of a todo.
public enum TodoState: String, Sendable {
  case open
  case done
  /// Deleted, and it can still come back.
  case trash
  /// Something that a newer version made.
  case other

  init(_ document: Document, of node: Node) {
    self = Kind(node) == .todo ? TodoState(document) : .other
  }

  /// The state of what is a todo.
  init(_ document: Document) {
    self = document.isDeleted ? .trash : document.doneAt == nil ? .open : .done
  }
}

/// A todo as people see it.
public struct Todo: Hashable, Sendable {
  public let node: NodeID
  /// The root of its list.
  public let list: NodeID
  /// The same for everybody who has it; another todo may have it too, since whoever writes one names it.
  public let id: TodoID
  /// The id by which it is called here, that no other todo here has: `id`, or one of its own where another has that as well.
  public let ownID: TodoID
  /// The beginning of the id that no other todo here has: four characters, or more where these are taken twice.
  public let shortID: String
  /// As its author wrote it: not safe for a terminal.
  public let title: String
  public let state: TodoState
  /// Milliseconds since 1970.
  public let createdAt: Int64
  /// Milliseconds since 1970; nil while it is open.
  public let doneAt: Int64?
  /// When this device saw it go into the trash, in milliseconds since 1970; nil where it is not there, or came as it is.
  public let removedAt: Int64?
  /// The node of its image, once that has come.
  public let image: NodeID?
  /// Whose deed its latest change is.
  public let changed: Deed
  /// In order of their text; not safe for a terminal.
  public let tags: [String]
  /// When it is to be done.
  public let due: When?
  /// Until when it is put off.
  public let start: When?
  public let priority: Priority?
  /// Whose task it is.
  public let assignee: UserID?
  /// How it comes back once it is ticked.
  public let repetition: Repetition?
  /// The todo that it is a part of.
  public let parent: NodeID?
}
