import GRDB
import Signing
import TodoCore
import Treesystem

/// A node named as another todo is: of the same list, of another one, or as none ever is.
struct NameMutation: Mutation {
  let name = "name"

  func change(_ forge: Forge) throws -> String? {
    guard let put = try forge.pick(where: { !$0.isRoot }), let name = try name(forge, put), !name.isEmpty else {
      return nil
    }
    try forge.transaction.db.execute(
      sql: "UPDATE nodes SET name = ? WHERE id = ?", arguments: [name, put.node])
    return "\(put.words) is called \(name.prefix(6))"
  }

  private func name(_ forge: Forge, _ put: Forge.Put) throws -> String? {
    switch forge.member.dice.roll(5) {
    case 0:
      return forge.member.dice.pick(
        try String.fetchAll(
          forge.transaction.db, sql: "SELECT name FROM nodes WHERE branch = ? AND id <> ? ORDER BY id",
          arguments: [put.branch, put.node]))
    case 1, 2: return forge.member.dice.pick(forge.member.authorship.names)
    // As a comment's, or a picture's.
    case 3: return CloudID.random(forge.member.entropy).description
    default: return try forge.foreignID(except: put.branch).map { TodoID($0).text } ?? "x"
    }
  }
}
