import CloudAPI
import Foundation
import GRDB
import Sharing
import Signing
import Testing
import TreeSupport

@testable import Treesystem

/// A node goes where it is told, with everything below it, and arrives there once.
@Suite struct MoveTests {
  @Test func linksAndTagsStayWithTheNode() throws {
    let database = try World().device("alice").database
    try database.write { transaction in
      _ = try transaction.createBranch(withPath: Treepath(.home, "list"))
      _ = try transaction.createBranch(withPath: Treepath(.home, "other"))
      let node = try transaction.createNode(withPath: Treepath(.home, "list", "milk"))
      let child = try transaction.createNode(withPath: Treepath(.home, "list", "milk", "picture"))
      try transaction.linkNodeID(node.id, toKey: "42", inCollection: "things")
      try transaction.setTag([1, 2], forNodeID: node.id, withIdentifier: "seen")
      let target = try #require(try transaction.node(withPath: Treepath(.home, "other")))
      let moved = try transaction.move(node.id, to: target.id, named: "oat milk")
      #expect(moved.id == node.id)
      #expect(moved.cloudID == node.cloudID)
      #expect(moved.branch == target.pointer)
      #expect(try transaction.node(withPath: Treepath(.home, "list", "milk")) == nil)
      #expect(try transaction.node(withPath: Treepath(.home, "other", "oat milk", "picture"))?.id == child.id)
      #expect(try transaction.linkedNode(forKey: "42", inCollection: "things")?.id == node.id)
      #expect(try transaction.tag(forNodeID: node.id, withIdentifier: "seen") == [1, 2])
    }
  }

  @Test func whatCannotMoveIsRefused() throws {
    let database = try World().device("alice").database
    try database.write { transaction in
      let root = try transaction.createBranch(withPath: Treepath(.home, "list"))
      let other = try transaction.createBranch(withPath: Treepath(.home, "other"))
      let folder = try transaction.createNode(withPath: Treepath(.home, "folder"))
      let below = try transaction.createNode(withPath: Treepath(.home, "folder", "below"))
      let pointer = try #require(try transaction.pointer(to: root.id))
      #expect(throws: TreeError.notMovable) { try transaction.move(root.id, to: folder.id) }
      #expect(throws: TreeError.notMovable) { try transaction.move(pointer.id, to: other.id) }
      #expect(throws: TreeError.notMovable) { try transaction.move(folder.id, to: transaction.trunk(.outbox).id) }
      #expect(throws: TreeError.parentInvalid) { try transaction.move(folder.id, to: below.id) }
      #expect(throws: TreeError.parentInvalid) { try transaction.move(folder.id, to: folder.id) }
      #expect(throws: TreeError.nameInvalid) { try transaction.move(below.id, to: root.id, named: "") }
      #expect(throws: TreeError.nameTaken) {
        try transaction.move(below.id, to: transaction.trunk(.home).id, named: "folder")
      }
      // A list may go into a folder, but then the folder has to stay in home.
      try transaction.move(pointer.id, to: folder.id, named: "shopping")
      #expect(try transaction.node(withPath: Treepath(.home, "folder", "shopping"))?.pointer == root.branch)
      #expect(throws: TreeError.notMovable) { try transaction.move(folder.id, to: other.id) }
    }
  }

  @Test func nothingHangsTooDeep() throws {
    let database = try World().device("alice").database
    try database.write { transaction in
      let root = try transaction.createBranch(withPath: Treepath(.home, "list"))
      let tall = try chain(60, below: root, "tall", transaction)
      let short = try chain(5, below: root, "short", transaction)
      #expect(throws: TreeError.parentInvalid) { try transaction.move(tall[0].id, to: short[4].id, named: "x") }
      try transaction.move(tall[1].id, to: short[4].id, named: "x")
      #expect(throws: TreeError.parentInvalid) { try transaction.move(short[0].id, to: tall[0].id) }
    }
  }

  private func chain(
    _ length: Int, below root: Node, _ name: String, _ transaction: CloudTransaction
  ) throws -> [Node] {
    var nodes: [Node] = []
    for _ in 0..<length { nodes.append(try transaction.createNode(named: name, in: (nodes.last ?? root).id)) }
    return nodes
  }

  @Test func everythingBelowGoesAlongInOneTombstone() async throws {
    let pair = try await Pair()
    try pair.move("a", to: "other")
    pair.one.transport.clearTraffic()
    try await pair.settle()
    try pair.expectAlike(["other/a", "other/a/b", "other/a/b/c"])
    let tombstones = pair.one.transport.sentOperations.compactMap { operation -> WireDelete? in
      if case .delete(let delete) = operation.change { delete } else { nil }
    }
    #expect(tombstones.count == 1)
  }

  @Test func aChildThatIsAddedMeanwhileGoesAlong() async throws {
    let pair = try await Pair()
    try pair.two.database.write { transaction in
      let parent = try pair.node("list/a/b", transaction)
      let new = try transaction.createNode(named: "new", in: parent)
      try transaction.createNode(named: "newer", in: new.id)
    }
    try await pair.two.sync()
    try pair.move("a", to: "other")
    try await pair.settle()
    try pair.expectAlike(["other/a", "other/a/b", "other/a/b/c", "other/a/b/new", "other/a/b/new/newer"])
  }

  @Test func aChildThatIsAddedButNotSentGoesAlong() async throws {
    let pair = try await Pair()
    try pair.two.database.write { transaction in
      try transaction.createNode(named: "new", in: pair.node("list/a/b", transaction))
    }
    try pair.move("a", to: "other")
    try await pair.one.sync()
    try await pair.settle()
    try pair.expectAlike(["other/a", "other/a/b", "other/a/b/c", "other/a/b/new"])
  }

  @Test func aChildThatSomebodyTakesOutStays() async throws {
    let pair = try await Pair()
    try pair.two.database.write { transaction in
      let list = try pair.node("list", transaction)
      try transaction.move(pair.node("list/a/b", transaction), to: list)
    }
    try await pair.two.sync()
    try pair.move("a", to: "other")
    try await pair.settle()
    try pair.expectAlike(["list/b", "list/b/c", "other/a"])
  }

  @Test func aNodeThatSomebodyHangsBelowGoesAlong() async throws {
    let pair = try await Pair()
    try pair.one.database.write { try $0.createNode(named: "x", in: pair.node("list", $0)) }
    try await pair.settle()
    try pair.two.database.write { transaction in
      let parent = try pair.node("list/a/b", transaction)
      try transaction.move(pair.node("list/x", transaction), to: parent)
    }
    try await pair.two.sync()
    try pair.move("a", to: "other")
    try await pair.settle()
    try pair.expectAlike(["other/a", "other/a/b", "other/a/b/c", "other/a/b/x"])
  }

  @Test func whatWasHungElsewhereBeforeStaysWhenItsOldPlaceGoes() async throws {
    let pair = try await Pair()
    try pair.one.database.write { transaction in
      let list = try pair.node("list", transaction)
      try transaction.move(pair.node("list/a/b", transaction), to: list)
      let other = try pair.node("other", transaction)
      try transaction.move(pair.node("list/a", transaction), to: other)
    }
    try await pair.settle()
    try pair.expectAlike(["list/b", "list/b/c", "other/a"])
  }

  @Test func partsComeBackBeforeTheWholeIsThrough() async throws {
    let pair = try await Pair()
    try pair.one.database.write { transaction in
      try transaction.move(pair.node("list/a", transaction), to: pair.node("other", transaction))
      try transaction.move(pair.node("other/a/b", transaction), to: pair.node("list", transaction))
    }
    try await pair.settle()
    try pair.expectAlike(["list/b", "list/b/c", "other/a"])
  }

  @Test func theWholeComesBackAndAPartGoesElsewhere() async throws {
    let pair = try await Pair()
    try pair.one.database.write { transaction in
      try transaction.move(pair.node("list/a", transaction), to: pair.node("other", transaction))
      try transaction.move(pair.node("other/a/b/c", transaction), to: pair.node("other", transaction))
      try transaction.move(pair.node("other/a", transaction), to: pair.node("list", transaction))
    }
    try await pair.settle()
    try pair.expectAlike(["list/a", "list/a/b", "other/c"])
  }

  /// Each hangs a node below the other's.
  @Test func twoWhoWouldMakeACircleEndAlike() async throws {
    let pair = try await Pair()
    try pair.one.database.write { try $0.createNode(named: "x", in: pair.node("list", $0)) }
    try await pair.settle()
    try pair.one.database.write { transaction in
      try transaction.move(pair.node("list/a", transaction), to: pair.node("list/x", transaction))
    }
    try pair.two.database.write { transaction in
      try transaction.move(pair.node("list/x", transaction), to: pair.node("list/a", transaction))
    }
    try await pair.settle()
    try pair.expectAlike(["list/a", "list/a/b", "list/a/b/c", "list/a/x"])
  }

  @Test func aMoveWithinAListSurvivesAnEditOfSomebodyElse() async throws {
    let pair = try await Pair()
    try pair.two.database.write { try $0.queueDataUpload(forNodeID: pair.node("list/a/b", $0)) }
    try await pair.two.sync()
    try pair.one.database.write { transaction in
      let list = try pair.node("list", transaction)
      try transaction.move(pair.node("list/a/b", transaction), to: list, named: "renamed")
    }
    try await pair.settle()
    try pair.expectAlike(["list/a", "list/renamed", "list/renamed/c"])
  }
}

/// Two devices of one person, with a folder a in a list, b below it and c below that, and another list.
struct Pair {
  let world: World
  let one: Device
  let two: Device

  init() async throws {
    world = try World(seed: "pair")
    one = try await world.person("alice")
    try one.database.write { transaction in
      for name in ["list", "other"] { _ = try transaction.createBranch(withPath: Treepath(.home, name)) }
      try transaction.createNode(withPath: Treepath(.home, "list", "a"))
      try transaction.createNode(withPath: Treepath(.home, "list", "a", "b"))
      try transaction.createNode(withPath: Treepath(.home, "list", "a", "b", "c"))
    }
    try await one.sync()
    let root = try #require(try one.database.read { try $0.root() })
    two = try world.device("tablet")
    try await two.session.logIn(root: root, handle: "alice", server: "test")
    try await two.sync()
  }

  func node(_ path: String, _ transaction: CloudTransaction) throws -> NodeID {
    let components = path.split(separator: "/").map(String.init)
    guard let node = try transaction.node(withPath: Treepath(.home, components)) else { throw TreeError.noSuchNode }
    return try node.pointer.flatMap { try transaction.root(of: $0)?.id } ?? node.id
  }

  /// The first device takes a child of the list elsewhere.
  func move(_ name: String, to path: String) throws {
    try one.database.write { try $0.move(node("list/\(name)", $0), to: node(path, $0)) }
  }

  func settle() async throws {
    for _ in 0..<3 {
      for device in [two, one] { try await device.sync() }
    }
  }

  func expectAlike(_ paths: [String]) throws {
    for device in [one, two] {
      #expect(try device.paths() == paths)
      #expect(try device.unsent() == 0)
      #expect(try device.database.read { try $0.quarantined() }.isEmpty)
    }
  }
}

extension Device {
  /// The paths of everything in the lists.
  fileprivate func paths() throws -> [String] {
    try database.read { transaction in
      try transaction.children(of: transaction.trunk(.home).id).flatMap { pointer -> [String] in
        guard let root = try pointer.pointer.flatMap({ try transaction.root(of: $0) }) else { return [] }
        return try paths(below: root, pointer.name, transaction)
      }.sorted()
    }
  }

  private func paths(below node: Node, _ path: String, _ transaction: CloudTransaction) throws -> [String] {
    try transaction.children(of: node.id).flatMap { child in
      try ["\(path)/\(child.name)"] + paths(below: child, "\(path)/\(child.name)", transaction)
    }
  }
}
