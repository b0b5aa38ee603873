import Signing
public import Treesystem

extension CloudTransaction {
  /// When a todo was given an image, in milliseconds since 1970 by the clock of who gave it; nil where nobody knows any more.
  public func attachedAt(_ image: TodoImage, to todo: Todo) throws -> Int64? {
    guard let content = try document(of: todo.node, in: .todos), let name = try node(image.node)?.cloudID else {
      return nil
    }
    let writes = content.document.registers + content.history.overwritten
    return writes.last { $0.field == Field.image.rawValue && $0.value == name.bytes }
      .map { Int64(clamping: $0.stamp.time) }
  }
}
