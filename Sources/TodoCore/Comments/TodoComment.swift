public import Signing
public import Treesystem

/// What somebody says about a todo. It is never changed.
public struct TodoComment: Hashable, Sendable {
  public let node: NodeID
  /// The same for everybody who has it.
  public let id: CloudID
  /// As its writer typed it: not safe for a terminal.
  public let text: String
  /// When, as its writer's clock said; in milliseconds since 1970.
  public let time: Int64
  /// Who wrote it, as it says itself; nil where that was not known then.
  public let writer: UserID?
  /// Who signed it: its writer, or whoever moved the todo to another list since. Nil while it was never sent.
  public let author: UserID?

  /// Whether its writer has signed these words, below this todo.
  public let isProven: Bool

  /// Whether somebody else than its writer put it where it is.
  public var isPassedOn: Bool { writer != nil && writer != author }
  /// Who passes it on in somebody else's name, where that one's own signature does not say so.
  public var via: UserID? { isPassedOn && !isProven ? author : nil }
}

extension Document {
  /// What a comment says.
  var comment: String { notes.first ?? "" }

  /// Who says that they wrote it.
  var writer: UserID? { self[Field.writer.rawValue].flatMap { UserID(bytes: $0.value) } }
}
