public import Dates
public import Signing
public import Treesystem

/// What somebody wants to put on a list.
public struct NewTodo: Hashable, Sendable {
  public var title: Title
  public var tags: [Tag] = []
  public var note: Note?
  /// When it is to be done.
  public var due: When?
  /// By which clock that is meant, where it is a moment.
  public var clock: ZonedTime?
  /// Until when it is put off.
  public var start: When?
  public var priority: Priority?
  /// Whose task it is.
  public var assignee: UserID?
  /// How it comes back once it is ticked.
  public var repetition: Repetition?
  /// The todo of the same list that it is a part of.
  public var parent: NodeID?

  public init(_ title: Title, tags: [Tag] = [], note: Note? = nil) {
    self.title = title
    self.tags = tags
    self.note = note
  }
}
