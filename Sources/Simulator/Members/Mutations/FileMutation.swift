import CloudAPI
import Foundation
import GRDB
import Signing
import TodoCore
import Treesystem

/// What lists a file, or lists none: a todo that becomes a file and the other way round, another file in the place of a picture, a file's id,
/// lengths or keys that belong to another one, and a todo whose picture is something else.
struct FileMutation: Mutation {
  let name = "file"
  let deeds: [Deed] = [.picture, .picture, .sync]

  func change(_ forge: Forge) throws -> String? {
    switch forge.member.dice.roll(6) {
    case 0: try makeFile(forge)
    case 1: try makeDocument(forge)
    case 2: try rewrite(forge, "another file", "content, length, metadata, thumbnail, root, file_key")
    case 3: try rewrite(forge, "the id of another file", "content")
    case 4:
      try forge.member.dice.chance(500)
        ? rewrite(forge, "lengths of another file", "length, metadata, thumbnail")
        : rewrite(forge, "the key of another file", "file_key")
    default: try point(forge)
    }
  }

  /// A todo, or a comment, of which nothing is left but a file.
  private func makeFile(_ forge: Forge) throws -> String? {
    guard let put = try forge.pick(where: { !$0.isRoot }), let file = try other(forge, than: put.node) else {
      return nil
    }
    try forge.transaction.db.execute(sql: "DELETE FROM todos WHERE node = ?", arguments: [put.node])
    try list(file, "content, length, metadata, thumbnail, root, file_key", at: put, forge)
    return "\(put.words) is a file"
  }

  /// A picture that is a todo, or a comment.
  private func makeDocument(_ forge: Forge) throws -> String? {
    guard let put = try pickFile(forge), let root = try forge.transaction.root(of: put.branch),
      let replica = forge.ownReplica
    else { return nil }
    var document = Document()
    let kind = forge.member.dice.pick([Kind.todo, .comment]) ?? .todo
    try document.write(Field.kind.rawValue, Array(kind.rawValue.utf8), now: forge.now, replica: replica)
    try document.write(Field.title.rawValue, forge.text(), now: forge.now, replica: replica)
    try forge.transaction.db.execute(sql: "DELETE FROM node_files WHERE node = ?", arguments: [put.node])
    try forge.transaction.store(
      VersionedDocument(document), of: TodoID(put.cloudID), node: put.node, list: root.id)
    return "\(put.words) is a document"
  }

  /// Something of another file in the place of what a picture has; under another name, so that its key is sealed anew.
  private func rewrite(_ forge: Forge, _ what: String, _ columns: String) throws -> String? {
    guard let put = try pickFile(forge), let file = try other(forge, than: put.node) else { return nil }
    try list(file, columns, at: put, forge)
    try forge.transaction.db.execute(
      sql: "UPDATE nodes SET name = ? WHERE id = ?",
      arguments: [CloudID.random(forge.member.entropy).description, put.node])
    return "\(what), of \(put.words)"
  }

  /// A todo whose picture is any other node: of its list, of another one, or a root.
  private func point(_ forge: Forge) throws -> String? {
    guard let put = try forge.pick(where: { !$0.isRoot }), let content = try forge.content(of: put),
      let replica = forge.ownReplica
    else { return nil }
    let here = try CloudID.fetchAll(
      forge.transaction.db, sql: "SELECT cloud_id FROM nodes WHERE branch = ? AND cloud_id IS NOT NULL ORDER BY id",
      arguments: [put.branch])
    let id = forge.member.dice.chance(500) ? forge.member.dice.pick(here) : try forge.foreignID(except: put.branch)
    guard let id else { return nil }
    var document = content.document
    try document.write(Field.image.rawValue, id.bytes, now: forge.now, replica: replica)
    try forge.write(document, history: content.history, to: put)
    return "the picture is \("\(id)".prefix(6)), of \(put.words)"
  }

  /// A picture, mostly somebody else's.
  private func pickFile(_ forge: Forge) throws -> Forge.Put? {
    func pick(_ condition: String) throws -> Forge.Put? {
      let sql = "SELECT f.node FROM node_files f JOIN nodes n ON n.id = f.node WHERE \(condition)"
      let files = try Set(NodeID.fetchAll(forge.transaction.db, sql: sql))
      return try forge.pick(where: { !$0.isRoot && files.contains($0.node) })
    }
    if !forge.member.dice.chance(300), let put = try pick("n.author <> (SELECT user FROM account)") { return put }
    return try pick("TRUE")
  }

  private func other(_ forge: Forge, than node: NodeID) throws -> NodeID? {
    forge.member.dice.pick(
      try NodeID.fetchAll(
        forge.transaction.db,
        sql:
          "SELECT node FROM node_files WHERE root IS NOT (SELECT root FROM node_files WHERE node = ?1) ORDER BY node",
        arguments: [node]))
  }

  /// Copies what one node says of its file to another node.
  private func list(_ file: NodeID, _ columns: String, at put: Forge.Put, _ forge: Forge) throws {
    let names = columns.split(separator: ",").map { $0.trimmingCharacters(in: .whitespaces) }
    let updates = names.map { "\($0) = excluded.\($0)" }.joined(separator: ", ")
    try forge.transaction.db.execute(
      sql: """
        INSERT INTO node_files (node, content, length, metadata, thumbnail, root, file_key)
        SELECT ?, content, length, metadata, thumbnail, root, file_key FROM node_files WHERE node = ?
        ON CONFLICT (node) DO UPDATE SET \(updates)
        """, arguments: [put.node, file])
  }
}
