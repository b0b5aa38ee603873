import Signing
public import Treesystem

extension CloudTransaction {
  /// When a todo was given an image, in milliseconds since 1970 by the clock of who gave it; nil where nobody knows any more.
  public func attachedAt(_ image: TodoImage, to todo: Todo) throws -> Int64? {
    try attachment(of: image, to: todo)?.write.stamp.time.clamped
  }

  /// Whose deed it is that a todo has, or had, an image: its picture's signer says so as well, or only passes it on.
  public func attacher(of image: TodoImage, to todo: Todo) throws -> Deed {
    guard let (write, isPast) = try attachment(of: image, to: todo) else { return Deed(nil, via: image.author) }
    let deed = isPast ? Deed(try writer(of: write.stamp.replica, via: nil)) : try deed(of: write, at: todo.node)
    if Defect.pictureBelieved.isPlanted { return deed }
    return deed.via == nil && deed.user != image.author ? Deed(deed.user, via: image.author) : deed
  }

  private func attachment(of image: TodoImage, to todo: Todo) throws -> (write: Register, isPast: Bool)? {
    guard let content = try document(of: todo.node, in: .todos), let name = try node(image.node)?.cloudID else {
      return nil
    }
    let isMeant = { (write: Register) in write.field == Field.image.rawValue && write.value == name.bytes }
    if let write = content.document.registers.first(where: isMeant) { return (write, false) }
    return content.history.overwritten.last(where: isMeant).map { ($0, true) }
  }
}

extension UInt64 {
  fileprivate var clamped: Int64 { Int64(clamping: self) }
}
