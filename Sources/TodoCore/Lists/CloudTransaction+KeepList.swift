import CloudAPI
import GRDB
import Sharing
import Signing
public import Treesystem

extension CloudTransaction {
  /// Makes a list of this person's own of what is here of another, its trash too, and takes that one off their tree. Images that are here go
  /// along, and are sent anew: where they come from, nobody may borrow them any more. Those that are not (`imagesElsewhere`) are gone.
  public func keepList(_ list: TodoList) throws -> TodoList {
    guard let pointer = try pointer(to: list.node), let document = try document(of: list.node, in: .lists)?.document
    else { throw TreeError.noSuchNode }
    try keepNames()
    let root = try createBranch(withPath: Treepath(.home, TodoID.draw(entropy) { _ in true }.text))
    let (now, replica) = (clock.now(), try replica())
    var copy = try document.copied(now: now, replica: replica)
    // It goes on under the name that it had here, which no other list has; a deletion of the other's document is none of it.
    try copy.write(.title, Array(list.name.utf8), now: now, replica: replica)
    try store(VersionedDocument(copy), ofList: root.id, confirmed: 0)
    for todo in try [TodoState.open, .done, .trash].flatMap({ try todos(in: list.node, $0) }) {
      guard let content = try self.document(of: todo.node, in: .todos)?.document else { continue }
      let id = try TodoID.draw(entropy, isFree: isFree)
      let node = try createNode(named: id.text, in: root.id)
      var copy = try content.copied(now: now, replica: replica)
      let image = try copyImages(of: todo, to: node.id)
      if copy.image != nil { try copy.write(.image, image?.cloudID?.bytes ?? [], now: now, replica: replica) }
      try store(VersionedDocument(copy), of: id, node: node.id, list: root.id, confirmed: 0)
    }
    if let choice = try defaultChoice(), choice.branch == list.branch {
      try setDefaultChoice(DefaultChoice(branch: root.branch, isSaid: choice.isSaid))
    }
    try letGo(of: pointer)
    try setName(list.name, of: root.id)
    return try self.list(root.id) ?? { throw TreeError.noSuchNode }()
  }

  /// Hangs those of a todo's images that are here below its copy. Returns the one that it has now.
  private func copyImages(of todo: Todo, to copy: NodeID) throws -> Node? {
    func copied(_ image: TodoImage) throws -> Node? {
      try isHere(.data, of: image.file) ? addImage(image.file, below: copy) : nil
    }
    // The oldest first: without a history that is the only order that they have.
    for image in try earlierImages(of: todo).reversed() { _ = try copied(image) }
    return try image(of: todo).flatMap(copied)
  }
}

extension Document {
  /// The same values, written anew: nobody else's stamps count in a document that nobody else has.
  fileprivate func copied(now: Int64, replica: Replica) throws(DocumentError) -> Document {
    var copy = Document()
    copy.unknown = unknown
    for register in registers { try copy.write(register.field, register.value, now: now, replica: replica) }
    for element in elements { try copy.add(element.field, element.value, now: now, replica: replica) }
    if isDeleted { copy.delete() }
    return copy
  }
}
