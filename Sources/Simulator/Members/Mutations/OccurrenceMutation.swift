import Signing
import TodoCore
import Treesystem

/// A node under the id that the next of a repeating todo will have, made beforehand and saying something else.
struct OccurrenceMutation: Mutation {
  let name = "occurrence"
  let deeds: [Deed] = [.repeat, .repeat, .sync]

  func change(_ forge: Forge) throws -> String? {
    guard let put = try pick(forge),
      let key = try forge.transaction.derivationKey(of: put.branch),
      let id = TodoID(text: put.name)?.next(by: key),
      let cloudID = Base32.decode(id.text).flatMap({ CloudID(bytes: $0) }),
      let root = try forge.transaction.root(of: put.branch),
      let replica = forge.ownReplica
    else { return nil }
    // Under its name or only under its id, beside the todo or elsewhere.
    let name = forge.member.dice.chance(600) ? id.text : TodoID.draw(forge.member.entropy) { _ in true }.text
    let parent = forge.member.dice.chance(600) ? root.id : put.node
    let node = try forge.transaction.createNode(
      named: name, in: parent, cloudID: forge.member.dice.chance(700) ? cloudID : CloudID.random(forge.member.entropy))
    let now = forge.now
    var document = Document()
    let kind = forge.member.dice.pick([Kind.todo, .todo, .list, .comment]) ?? .todo
    try document.write(Field.kind.rawValue, Array(kind.rawValue.utf8), now: now, replica: replica)
    try document.write(Field.title.rawValue, forge.text(), now: now, replica: replica)
    if forge.member.dice.chance(300) { document.delete() }
    try forge.transaction.store(VersionedDocument(document), of: id, node: node.id, list: root.id)
    return "what follows \(put.words)"
  }

  /// Mostly one that comes back: of the others hardly any ever will.
  private func pick(_ forge: Forge) throws -> Forge.Put? {
    let comingBack = try Set(
      NodeID.fetchAll(forge.transaction.db, sql: "SELECT node FROM todos WHERE repetition IS NOT NULL"))
    if !forge.member.dice.chance(200), let put = try forge.pick(where: { comingBack.contains($0.node) }) { return put }
    return try forge.pick(where: { !$0.isRoot })
  }
}
