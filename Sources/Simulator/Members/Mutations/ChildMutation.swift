import Foundation
import GRDB
import Signing
import TodoCore
import Treesystem

/// A node below somebody's todo, under an id that lives in another branch: whoever moves the todo takes it along.
struct ChildMutation: Mutation {
  let name = "child"
  let deeds: [Deed] = [.moveToList, .sync]

  func change(_ forge: Forge) throws -> String? {
    guard let parent = try forge.pick(where: { !$0.isRoot }), let content = try forge.content(of: parent),
      let id = try forge.foreignID(except: parent.branch),
      let replica = forge.ownReplica
    else { return nil }
    let node = try forge.transaction.createNode(named: TodoID(id).text, in: parent.node, cloudID: id)
    let now = forge.now
    var document = Document()
    if forge.member.dice.chance(300) { document = content.document }
    let kind = forge.member.dice.pick([Kind.todo, .list, .comment]) ?? .todo
    try document.write(Field.kind.rawValue, Array(kind.rawValue.utf8), now: now, replica: replica)
    try document.write(Field.created.rawValue, [UInt8](repeating: 0, count: 8), now: now, replica: replica)
    try document.write(Field.title.rawValue, forge.text(), now: now + 60_000, replica: replica)
    if forge.member.dice.chance(300) { document.delete() }
    try forge.transaction.store(VersionedDocument(document), of: TodoID(id), node: node.id, list: root(forge, parent))
    return "\("\(id)".prefix(6)) below \(parent.words)"
  }

  private func root(_ forge: Forge, _ parent: Forge.Put) throws -> NodeID {
    try forge.transaction.root(of: parent.branch)?.id ?? { throw TreeError.noSuchNode }()
  }
}
