import CloudAPI
import GRDB
import Sharing
import Signing
public import Treesystem

extension CloudTransaction {
  /// Makes a list of this person's own of what is here of another, its trash, parts and comments too, and takes that one off their tree.
  /// Images that are here go along, and are sent anew: where they come from, nobody may borrow them any more. Those that are not
  /// (`imagesElsewhere`) are gone. What others wrote is nobody's there: their devices never signed it for this list.
  public func keepList(_ list: TodoList) throws -> TodoList {
    guard let pointer = try pointer(to: list.node) else { throw TreeError.noSuchNode }
    try keepNames()
    let copy = try copyList(list)
    if let choice = try defaultChoice(), choice.branch == list.branch {
      try setDefaultChoice(DefaultChoice(branch: copy.branch, isSaid: choice.isSaid))
    }
    try letGo(of: pointer)
    try noteEnd(.listKept)
    try setName(list.name, of: copy.id)
    return try self.list(copy.id) ?? { throw TreeError.noSuchNode }()
  }

  /// Makes a copy of a list of this person's own that is about to end for everybody, and puts it into the trash.
  public func keepInTrash(_ list: TodoList) throws {
    try keepNames()
    guard let copy = try pointer(to: copyList(list).id) else { throw TreeError.noSuchNode }
    try setAlias(ListName.suiting(list.name), of: copy)
    try setTrashed(clock.now(), copy)
    try noteEnd(.listRemoved)
  }

  private func copyList(_ list: TodoList) throws -> Node {
    guard let document = try document(of: list.node, in: .lists)?.document else { throw TreeError.noSuchNode }
    let root = try createBranch(withPath: Treepath(.home, TodoID.draw(entropy) { _ in true }.text))
    var copy = try copied(document, of: list.node)
    // It goes on under the name that it had here, which no other list has; a deletion of the other's document is none of it.
    try copy.write(.title, Array(list.name.utf8), now: clock.now(), replica: replica())
    try store(VersionedDocument(copy), ofList: root.id, confirmed: 0)
    for child in try children(of: list.node) { try keep(child, below: root.id, on: root.id) }
    return root
  }

  /// Copies a todo or a comment, with all that hangs below it.
  private func keep(_ node: Node, below parent: NodeID, on list: NodeID) throws {
    guard node.pointer == nil else { return }
    guard let content = try document(of: node.id, in: .todos)?.document else {
      // Somebody may have hung a todo below an image.
      for child in try children(of: node.id) { try keep(child, below: parent, on: list) }
      return
    }
    let name =
      try node.isNamedLikeTodo
      ? TodoID.draw(entropy, isFree: isFree).text : CloudID.random(entropy).description
    let made = try createNode(named: name, in: parent)
    var copy = try copied(content, of: node.id)
    // This user signs the copy, and vouches for nobody: words that their writer does not prove are whoever's who signed them.
    if let comment = try comment(node), !comment.isProven, let author = node.author, author != comment.writer,
      try author != account()?.user
    {
      try copy.write(.writer, author.bytes, now: clock.now(), replica: .unbound(entropy))
    }
    if let todo = try todo(node.id) {
      let image = try copyImages(of: todo, to: made.id)
      if copy.image != nil { try copy.write(.image, image?.cloudID?.bytes ?? [], now: clock.now(), replica: replica()) }
    }
    guard let cloudID = made.cloudID else { throw TreeError.noSuchNode }
    try store(VersionedDocument(copy), of: TodoID(of: made, cloudID), node: made.id, list: list, confirmed: 0)
    for child in try children(of: node.id) { try keep(child, below: made.id, on: list) }
  }

  /// A document with the same values at the same times: this device's where they were this user's, and nobody's else. Nobody else's stamps count
  /// in a document that nobody else has.
  private func copied(_ document: Document, of node: NodeID) throws -> Document {
    let (me, own, nobody) = (try account()?.user, try replica(), Replica.unbound(entropy))
    return try document.copied { write in
      let deed = try deed(of: write, at: node)
      return deed.user == me && deed.via == nil ? own : nobody
    }
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
  /// The same values at the same times by other replicas, without what was deleted or removed once.
  fileprivate func copied(as replica: (Register) throws -> Replica) rethrows -> Document {
    var stamps: [Register: Stamp] = [:]
    var last: [Replica: UInt64] = [:]
    for write in writes.sorted(by: { $0.stamp < $1.stamp }) {
      let replica = try replica(write)
      let time = max(write.stamp.time, last[replica].map { min($0, .max - 1) + 1 } ?? 0)
      (last[replica], stamps[write]) = (time, Stamp(time: time, replica: replica))
    }
    func moved(_ write: Register) -> Register {
      var moved = write
      moved.stamp = stamps[write] ?? write.stamp
      return moved
    }
    var copy = Document(
      registers: registers.map(moved), elements: elements.map(moved).sorted(), context: CausalContext(stamps.values),
      deleted: CausalContext(), unknown: unknown)
    if isDeleted { copy.delete() }
    return copy
  }
}
