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

  /// Who passes it on in somebody else's name.
  public var via: UserID? { writer == nil || writer == author ? nil : author }
}

extension Document {
  /// What a comment says.
  var comment: String { notes.first ?? "" }

  /// Who says that they wrote it.
  var writer: UserID? { self[Field.writer.rawValue].flatMap { UserID(bytes: $0.value) } }
}
