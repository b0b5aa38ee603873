import CloudAPI
import CloudServer
import Foundation
import GRDB
import Sharing
import Signing
import Testing
import TreeSupport

@testable import Treesystem

/// In alice's and bob's list hang a: apple, a/b: bread and a/b/c: cheese. Somebody makes a branch of a, and nothing is lost.
@Suite struct MakeBranchTests: Nesting {
  let rooms: Rooms

  init() async throws { rooms = try await Rooms() }

  private static let whole = ["list/a/b/c: cheese", "list/a/b: bread", "list/a: apple"]

  @discardableResult
  private func makeBranch(_ device: Device, _ path: String = "list/a") throws -> CloudID {
    let root = try device.database.write { try $0.makeBranch(rooms.find(path, $0).id) }
    return try #require(root.cloudID)
  }

  /// Everything in the list with its words, through the branches that hang there.
  private func tree(_ device: Device, _ list: String = "list") throws -> [String] {
    try device.database.read { transaction in
      func lines(_ node: Node, _ path: String) throws -> [String] {
        try transaction.children(of: node.id).flatMap { child -> [String] in
          let target = try child.pointer.flatMap { try transaction.root(of: $0) } ?? child
          let words = try Notes().words(of: target, transaction).sorted().joined(separator: " ")
          return try ["\(path)/\(child.name): \(words)"] + lines(target, "\(path)/\(child.name)")
        }
      }
      return try lines(rooms.find(list, transaction), list).sorted()
    }
  }

  private func write(_ device: Device, _ word: String, on node: CloudID, in branch: CloudID) throws {
    try device.database.write { transaction in
      guard let id = try transaction.branch(branch), let node = try transaction.node(node, in: id) else {
        throw TreeError.noSuchNode
      }
      try Notes().set(try Notes().words(of: node, transaction).union([word]), node, transaction)
      try transaction.queueDataUpload(forNodeID: node.id)
    }
  }

  /// What lives on the server of the list itself, without its root.
  private func living() throws -> Int {
    try rooms.world.storage.read { storage in
      let lines = try storage.lines(of: list, after: 0, limit: 100_000).filter { $0.kind != .permissions }
      return Set(
        try lines.map(\.cloudID).filter { try $0 != list && storage.node($0, in: list)?.isLive ?? false }
      ).count
    }
  }

  /// Both see this, the list itself has so many nodes, and nobody has anything left to say.
  private func expectOneTree(
    _ expected: [String] = whole, living: Int = 1, at location: SourceLocation = #_sourceLocation
  ) throws {
    for device in [alice, bob] {
      #expect(try tree(device) == expected.sorted(), sourceLocation: location)
      #expect(try device.unsent() == 0, sourceLocation: location)
      #expect(try device.database.read { try $0.quarantined().map(\.reason) } == [], sourceLocation: location)
      #expect(try device.database.read { try $0.troubles().map(\.reason) } == [], sourceLocation: location)
    }
    #expect(try self.living() == living, sourceLocation: location)
  }

  @Test(arguments: [true, false]) func aNodeWithItsChildrenIsMadeABranchInPlace(_ byOwner: Bool) async throws {
    let device = byOwner ? alice : bob
    let before = try device.database.read { try rooms.find("list/a", $0).id }
    let branch = try makeBranch(device)
    // Whoever holds the node holds it still.
    #expect(try device.database.read { try $0.node(before)?.isBranchRoot } == true)
    #expect(try tree(device) == Self.whole.sorted())
    try await settle()
    try expectOneTree()
    try expectSamePeople(branch, as: list)
    #expect(try record(branch).enclosing?.branch == list)
    #expect(try record(branch).owner == user(alice))
  }

  @Test func whatWasMadeABranchHasAKeyOfItsOwn() async throws {
    let branch = try makeBranch(alice)
    try await settle()
    let carol = try await carol()
    try share(branch, with: user(carol))
    try await settle(carol)
    try accept(carol)
    try await settle(carol)
    #expect(try words(carol, branch) == ["b: bread"])
    #expect(try words(carol, list) == nil)
    try expectCalm(alice, bob, carol)
  }

  @Test func aNodeThatWasNeverSentIsMadeABranch() async throws {
    try rooms.make(alice, "list/new", "nut")
    try rooms.make(alice, "list/new/box", "cake")
    try makeBranch(alice, "list/new")
    try await settle()
    try expectOneTree(Self.whole + ["list/new: nut", "list/new/box: cake"], living: 4)
  }

  @Test func aNodeOfHomeIsMadeABranch() async throws {
    let folder = try alice.database.write { try $0.createNode(withPath: Treepath(.home, "folder")) }
    try alice.database.write {
      let child = try $0.createNode(named: "letters", in: folder.id)
      try Notes().set(["dear"], child, $0)
    }
    try await settle()
    let branch = try #require(try alice.database.write { try $0.makeBranch(folder.id).cloudID })
    try await settle()
    let laptop = try rooms.world.notebook("laptop")
    try await laptop.session.logIn(
      root: try #require(try alice.database.read { try $0.root() }), handle: "alice", server: "test")
    for _ in 0..<3 { try await laptop.sync() }
    for device in [alice, laptop] {
      #expect(try words(device, branch) == ["letters: dear"])
      let found = try device.database.read { try $0.node(withPath: Treepath(.home, "folder", "letters")) }
      #expect(found != nil)
    }
    #expect(try record(branch).enclosing == nil)
    try expectCalm(alice, laptop)
  }

  @Test(arguments: [true, false]) func anEditOfSomebodyElseFollows(_ isSent: Bool) async throws {
    try rooms.write(bob, "pear", on: "list/a")
    try rooms.write(bob, "stilton", on: "list/a/b/c")
    try rooms.make(bob, "list/a/new", "nut")
    if isSent { try await bob.sync() }
    try makeBranch(alice)
    try await alice.sync()
    try await settle()
    try expectOneTree(
      ["list/a: apple pear", "list/a/b: bread", "list/a/b/c: cheese stilton", "list/a/new: nut"])
  }

  /// Bob's edit comes between what alice copied and her tombstone.
  @Test func anEditThatComesBetweenIsJoined() async throws {
    try makeBranch(alice)
    alice.transport.loseTombstones()
    await #expect(throws: CloudFailure.unreachable) { try await alice.sync() }
    try rooms.write(bob, "pear", on: "list/a")
    try rooms.make(bob, "list/a/new", "nut")
    try await bob.sync()
    alice.transport.setFate { _ in .delivered }
    try await settle()
    try expectOneTree(["list/a: apple pear", "list/a/b: bread", "list/a/b/c: cheese", "list/a/new: nut"])
  }

  /// Until the last moment the others see the node, from then on the branch: never both, never neither.
  @Test func nobodySeesItTwiceOrNotAtAll() async throws {
    try makeBranch(alice)
    alice.transport.loseTombstones()
    await #expect(throws: CloudFailure.unreachable) { try await alice.sync() }
    try await bob.sync()
    #expect(try tree(bob) == Self.whole.sorted())
    #expect(try living() == 3)
    alice.transport.setFate { _ in .delivered }
    try await alice.sync()
    #expect(try living() == 1)
    try await bob.sync()
    #expect(try tree(bob) == Self.whole.sorted())
    try await settle()
    try expectOneTree()
  }

  @Test(arguments: [true, false]) func twoWhoMakeABranchOfOneNodeMakeOne(_ aliceFirst: Bool) async throws {
    try rooms.write(alice, "pear", on: "list/a")
    try rooms.write(bob, "plum", on: "list/a")
    let branches = try [makeBranch(alice), makeBranch(bob)]
    #expect(branches[0] == branches[1])
    for device in aliceFirst ? [alice, bob] : [bob, alice] { try await device.sync() }
    try await settle()
    try expectOneTree(["list/a: apple pear plum", "list/a/b: bread", "list/a/b/c: cheese"])
    try expectSamePeople(branches[0], as: list)
  }

  @Test(arguments: [true, false]) func oneMakesItABranchAndOneMovesItAway(_ madeFirst: Bool) async throws {
    try makeBranch(alice)
    try rooms.move(bob, "list/a", to: "other")
    for device in madeFirst ? [alice, bob] : [bob, alice] { try await device.sync() }
    try await settle()
    let moved = ["other/a: apple", "other/a/b: bread", "other/a/b/c: cheese"]
    for device in [alice, bob] {
      #expect(try tree(device) == (madeFirst ? Self.whole.sorted() : []))
      #expect(try tree(device, "other") == (madeFirst ? [] : moved.sorted()))
    }
    try expectCalm(alice, bob)
  }

  @Test(arguments: [true, false]) func oneMakesItABranchAndOneDeletesIt(_ madeFirst: Bool) async throws {
    try makeBranch(alice)
    try rooms.remove(bob, "list/a")
    for device in madeFirst ? [alice, bob] : [bob, alice] { try await device.sync() }
    try await settle()
    // A deletion takes one of the two: what was made a branch stays.
    try expectOneTree()
  }

  @Test func oneMakesItABranchAndOneRenamesIt() async throws {
    try makeBranch(alice)
    try bob.database.write { transaction in
      let node = try rooms.find("list/a", transaction)
      _ = try transaction.move(node.id, to: rooms.find("list", transaction).id, named: "shed")
    }
    try await bob.sync()
    try await settle()
    try expectOneTree(["list/shed: apple", "list/shed/b: bread", "list/shed/b/c: cheese"])
  }

  @Test func itGoesOnBeingWrittenByBoth() async throws {
    let branch = try makeBranch(alice)
    try await settle()
    try write(bob, "pear", on: branch, in: branch)
    try write(alice, "plum", on: branch, in: branch)
    try await settle()
    try expectOneTree(["list/a: apple pear plum", "list/a/b: bread", "list/a/b/c: cheese"])
  }

  /// Gives a branch that was not sent yet an id of somebody else's.
  private func rename(_ root: Node, to cloudID: CloudID, _ transaction: CloudTransaction) throws {
    let old = try #require(root.cloudID)
    for table in ["branches", "nodes", "operations"] {
      let arguments: StatementArguments = [cloudID, old]
      let update = try transaction.db.makeStatement(sql: "UPDATE \(table) SET cloud_id = ? WHERE cloud_id = ?")
      try update.execute(arguments: arguments)
    }
  }

  /// Somebody took its id on the server before: the node is there again, with all that was written, also where a member gave the list's root
  /// another name key meanwhile.
  @Test(arguments: [false, true]) func whatTheServerDoesNotTakeIsGivenUpWithoutLoss(_ isRekeyed: Bool) async throws {
    let mallory = try rooms.world.notebook("mallory")
    try await mallory.session.signUp(handle: "mallory", server: "test")
    try await mallory.sync()
    let taken = try #require(try alice.database.read { try rooms.find("list/a", $0).cloudID })
    try mallory.database.write { transaction in
      let root = try transaction.createBranch(withPath: Treepath(.home, "mine"))
      try rename(root, to: taken, transaction)
    }
    try await mallory.sync()
    try makeBranch(alice)
    try rooms.write(bob, "pear", on: "list/a")
    try await settle()
    let refused = try alice.database.read { try $0.operations().filter { $0.state == .refused } }
    #expect(refused.map(\.reason) == [.firstRecordWrong])
    try alice.database.write { transaction in
      if isRekeyed {
        try transaction.db.cachedStatement(sql: "UPDATE nodes SET name_key = ? WHERE id = ?").execute(
          arguments: [Data(repeating: 7, count: 32), rooms.find("list", transaction).id])
      }
      try transaction.discardOperation(refused[0].sequence)
    }
    #expect(try tree(alice) == ["list/a: apple pear", "list/a/b: bread", "list/a/b/c: cheese"].sorted())
    if isRekeyed { return }
    try await settle()
    try expectOneTree(["list/a: apple pear", "list/a/b: bread", "list/a/b/c: cheese"], living: 3)
  }

  /// The server shows alice a branch of mallory's in the place of the one that she makes.
  @Test func nobodyElseMakesABranchOfOnesOwn() async throws {
    let mallory = try rooms.world.notebook("mallory")
    try await mallory.session.signUp(handle: "mallory", server: "test")
    try await mallory.sync()
    _ = try await mallory.session.lookUp(handle: "alice")
    _ = try await alice.session.lookUp(handle: "mallory")
    let made = try alice.database.write { transaction in
      let root = try transaction.createBranch(withPath: Treepath(.home, "diary"))
      try Notes().set(["secret"], transaction.createNode(named: "day", in: root.id), transaction)
      return root.cloudID
    }
    let taken = try #require(made)
    let victim = try user(alice)
    try mallory.database.write { transaction in
      let root = try transaction.createBranch(withPath: Treepath(.home, "trap"))
      try rename(root, to: taken, transaction)
      _ = try transaction.recursiveAddShareItem(ShareItem(role: .editor), forUserID: victim, nodeID: root.id)
    }
    try await mallory.sync()
    for _ in 0..<3 { try await alice.sync() }
    let eve = try rooms.world.storage.read { try $0.lines(of: taken, after: 0, limit: 100) }
    #expect(eve.allSatisfy { $0.kind == .permissions || $0.cloudID == taken })
    #expect(try alice.database.read { try $0.troubles().map(\.reason) } == [.firstRecordWrong])
    #expect(try alice.unsent() > 0)
  }

  @Test func whatIsNoNodeOfItsOwnIsMadeNoBranch() async throws {
    try await settle()
    try alice.database.write { transaction in
      let list = try rooms.find("list", transaction)
      #expect(throws: TreeError.notMovable) { try transaction.makeBranch(list.id) }
      let pointer = try #require(try transaction.pointer(to: list.id))
      #expect(throws: TreeError.notMovable) { try transaction.makeBranch(pointer.id) }
      #expect(throws: TreeError.notMovable) { try transaction.makeBranch(transaction.trunk(.home).id) }
    }
    try alice.database.write { transaction in
      _ = try transaction.recursiveAddShareItem(
        ShareItem(role: .editor), forUserID: try user(bob), nodeID: rooms.find("list", transaction).id)
    }
    try await settle()
    #expect(throws: TreeError.notPermitted) { try makeBranch(bob) }
  }
}
