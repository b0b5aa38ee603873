import CloudAPI
import GRDB
import Sharing
import Signing
public import Treesystem

extension CloudTransaction {
  /// Makes a list of this person's own of what is here of another, its trash too, and takes that one off their tree.
  public func keepList(_ list: TodoList) throws -> TodoList {
    guard let pointer = try pointer(to: list.node), let document = try document(of: list.node, in: .lists)?.document
    else { throw TreeError.noSuchNode }
    try keepNames()
    let root = try createBranch(withPath: Treepath(.home, TodoID.draw(entropy) { _ in true }.text))
    let (now, replica) = (clock.now(), try replica())
    var copy = try document.copied(now: now, replica: replica)
    // It goes on under the name that it had here, which no other list has.
    if list.name != list.title, let name = try? ListName(list.name) {
      try copy.write(.title, Array(name.text.utf8), now: now, replica: replica)
    }
    try store(VersionedDocument(copy), ofList: root.id, confirmed: 0)
    for todo in try [TodoState.open, .done, .trash].flatMap({ try todos(in: list.node, $0) }) {
      guard let content = try self.document(of: todo.node, in: .todos)?.document else { continue }
      let id = try TodoID.draw(entropy, isFree: isFree)
      let node = try createNode(named: id.text, in: root.id)
      let copy = VersionedDocument(try content.copied(now: now, replica: replica))
      try store(copy, of: id, node: node.id, list: root.id, confirmed: 0)
    }
    try letGo(of: pointer)
    return try self.list(root.id) ?? { throw TreeError.noSuchNode }()
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
