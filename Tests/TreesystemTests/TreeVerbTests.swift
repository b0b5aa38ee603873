import CloudAPI
import Testing
import TreeSupport
import Treesystem

/// The verbs that an app maps its objects with.
@Suite struct TreeVerbTests {
  @Test func aNodeIsFoundByPathByLinkAndByTag() throws {
    let world = try World()
    let database = try world.device("alice").database
    try database.write { transaction in
      let root = try transaction.createBranch(withPath: Treepath(.home, "list"))
      let node = try transaction.createNode(withPath: Treepath(.home, "list", "milk"))
      #expect(node.parent == root.id)
      #expect(try transaction.node(withPath: Treepath(.home, "list", "milk")) == node)
      #expect(try transaction.node(withPath: Treepath(.home, "list", "tea")) == nil)
      #expect(throws: TreeError.nameTaken) { try transaction.createNode(withPath: Treepath(.home, "list", "milk")) }
      #expect(throws: TreeError.noParent) { try transaction.createNode(withPath: Treepath(.home, "none", "milk")) }
      #expect(throws: TreeError.nameInvalid) { try transaction.createNode(named: "", in: root.id) }
      try transaction.linkNodeID(node.id, toKey: "42", inCollection: "things")
      try transaction.setTag([1, 2], forNodeID: node.id, withIdentifier: "seen")
      #expect(try transaction.linkedNode(forKey: "42", inCollection: "things") == node)
      #expect(try transaction.linkedKey(forNodeID: node.id)?.key == "42")
      #expect(try transaction.tag(forNodeID: node.id, withIdentifier: "seen") == [1, 2])
      try transaction.delete(node.id)
      #expect(try transaction.linkedNode(forKey: "42", inCollection: "things") == nil)
      #expect(try transaction.tag(forNodeID: node.id, withIdentifier: "seen") == nil)
    }
  }
}
