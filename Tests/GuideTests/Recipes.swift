import Foundation
import GRDB
import Treesystem

/// An object of the app's.
struct Recipe: Codable, Equatable {
  /// Goes up by one with every edit.
  var edition: Int
  var title: String
  var steps: String

  /// Of two, the one that stays: the same whoever asks, and in whichever order the two come.
  func joined(with other: Recipe) -> Recipe {
    (edition, title, steps) < (other.edition, other.title, other.steps) ? other : self
  }
}

let recipeMigrations = [
  AppMigration(name: "recipes-1") { db in
    try db.execute(
      sql: """
        CREATE TABLE recipes (
          node INTEGER PRIMARY KEY REFERENCES nodes (id) ON DELETE CASCADE,
          edition INTEGER NOT NULL,
          title TEXT NOT NULL,
          steps TEXT NOT NULL
        ) STRICT
        """)
  }
]

struct RecipeBook: TreesystemDelegate {
  func content(of node: Node, in transaction: CloudTransaction) throws -> NodeData {
    guard let recipe = try transaction.recipe(node.id) else { return NodeData() }
    return NodeData(data: Array(try JSONEncoder().encode(recipe)))
  }

  func receive(_ discovery: Discovery, in transaction: CloudTransaction) throws -> Merge {
    switch discovery {
    case .put(let node, let content) where !node.isBranchRoot:
      let theirs = try JSONDecoder().decode(Recipe.self, from: Data(content.data))
      let joined = try transaction.recipe(node.id)?.joined(with: theirs) ?? theirs
      try transaction.store(joined, at: node.id)
      return joined == theirs ? .settled : .differs
    case .reset(let node, let content) where !node.isBranchRoot:
      try transaction.store(JSONDecoder().decode(Recipe.self, from: Data(content.data)), at: node.id)
    case .put, .reset, .moved, .deleted, .pushed, .discarded, .permitted, .denied: break
    }
    return .settled
  }
}

extension CloudTransaction {
  func addRecipe(_ title: String, _ steps: String, to book: NodeID) throws -> Node {
    let node = try createNode(named: UUID().uuidString, in: book)
    try store(Recipe(edition: 1, title: title, steps: steps), at: node.id)
    return node
  }

  func setSteps(_ steps: String, of node: NodeID) throws {
    guard var recipe = try recipe(node) else { throw TreeError.noSuchNode }
    recipe.edition += 1
    recipe.steps = steps
    try store(recipe, at: node)
    try queueDataUpload(forNodeID: node)
  }

  func recipe(_ node: NodeID) throws -> Recipe? {
    try Row.fetchOne(db, sql: "SELECT edition, title, steps FROM recipes WHERE node = ?", arguments: [node])
      .map { Recipe(edition: $0[0], title: $0[1], steps: $0[2]) }
  }

  func store(_ recipe: Recipe, at node: NodeID) throws {
    try db.execute(
      sql: "INSERT OR REPLACE INTO recipes (node, edition, title, steps) VALUES (?, ?, ?, ?)",
      arguments: [node, recipe.edition, recipe.title, recipe.steps])
  }

  /// Every recipe of a book, by title.
  func recipes(in book: NodeID) throws -> [Recipe] {
    try children(of: book).compactMap { try recipe($0.id) }.sorted { $0.title < $1.title }
  }
}
