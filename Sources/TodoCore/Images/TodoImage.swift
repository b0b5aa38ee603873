public import Signing
public import Treesystem

/// An image of a todo, or of a message.
public struct TodoImage: Hashable, Sendable {
  public let node: NodeID
  public let file: NodeFile
  /// Who signed it; nil while it was never sent.
  public let author: UserID?
}

extension CloudTransaction {
  /// The image that a todo has, once it has come.
  public func image(of todo: Todo) throws -> TodoImage? { try todo.image.flatMap { try image($0) } }

  /// Images that a todo had before, the latest first.
  public func earlierImages(of todo: Todo) throws -> [TodoImage] {
    let overwritten = try document(of: todo.node, in: .todos)?.history.overwritten ?? []
    let order = overwritten.filter { $0.field == Field.image.rawValue }.map(\.value)
    let images = try children(of: todo.node).filter { $0.id != todo.image }
    func age(_ node: Node) -> Int { order.lastIndex(of: node.cloudID?.bytes ?? []) ?? -1 }
    return try images.sorted { (age($0), $0.id) > (age($1), $1.id) }.compactMap { try image($0.id) }
  }

  /// Gives a todo an image that lies in the disk store. One that it has stays, as an earlier one, and is sent like any other; one that the server refused is
  /// given up. Returns the todo as it is now.
  @discardableResult
  public func setImage(_ file: NodeFile, of todo: Todo) throws -> Todo {
    let changed = try setImage(addImage(file, below: todo.node), of: todo)
    if let image = todo.image, try isRefused(image) { try recall(image) }
    return changed
  }

  /// Hangs a file that lies in the disk store below a todo, of which it is not the image yet.
  func addImage(_ file: NodeFile, below todo: NodeID) throws -> Node {
    let node = try createNode(named: CloudID.random(entropy).description, in: todo)
    try setFile(file, of: node.id)
    return node
  }

  /// Makes an earlier image the todo's again. The one that it has takes its place among them.
  @discardableResult
  public func setImage(_ image: TodoImage, of todo: Todo) throws -> Todo {
    guard let node = try node(image.node), node.parent == todo.node else { throw TreeError.noSuchNode }
    return try setImage(node, of: todo)
  }

  /// Takes a todo's image off it. It stays as an earlier one, unless it never left this device, or the server refused it: then it goes, and nobody gets to see it.
  @discardableResult
  public func removeImage(of todo: Todo) throws -> Todo {
    let changed = try change(todo) { document, now, replica in
      guard document.image != nil else { return }
      try document.write(.image, [], now: now, replica: replica)
    }
    if let image = todo.image { try recall(image) }
    return changed
  }

  /// Takes back an earlier image that never left this device, or that the server refused, so that nobody gets to see it. Any other stays.
  public func takeBack(_ image: TodoImage, of todo: Todo) throws -> Recall {
    guard try node(image.node)?.parent == todo.node, image.node != todo.image else { throw TreeError.noSuchNode }
    return try recall(image.node)
  }

  private func setImage(_ node: Node, of todo: Todo) throws -> Todo {
    guard let cloudID = node.cloudID else { throw TreeError.noSuchNode }
    return try change(todo) { document, now, replica in
      try document.write(.image, cloudID.bytes, now: now, replica: replica)
    }
  }

  /// The picture that lies at a node: a todo's, or one that somebody sent.
  public func image(_ id: NodeID) throws -> TodoImage? {
    guard let node = try node(id), let file = try file(of: id) else { return nil }
    return TodoImage(node: id, file: file, author: node.author)
  }
}
