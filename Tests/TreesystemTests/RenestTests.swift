import CloudAPI
import CloudServer
import Foundation
import Sharing
import Signing
import TestSupport
import Testing

@testable import Treesystem

/// A branch that is nested in alice's and bob's list goes to another list of theirs, and stays what it is.
@Suite struct RenestTests: Nesting {
  let rooms: Rooms

  init() async throws { rooms = try await Rooms() }

  private var other: CloudID { rooms.branches["other"] ?? .random(SystemEntropy()) }

  /// Nests a shed with a saw below a node of the list.
  private func nest(below path: String) throws -> CloudID {
    try alice.database.write { transaction in
      let parts = path.split(separator: "/").dropFirst().map(String.init)
      let whole = try [pointer(list, transaction).name] + parts + ["shed"]
      let nested = try transaction.createBranch(withPath: Treepath(.home, whole))
      let tool = try transaction.createNode(named: "tool", in: nested.id)
      try Notes().set(["saw"], tool, transaction)
      guard let cloudID = nested.cloudID else { throw TreeError.noSuchNode }
      return cloudID
    }
  }

  private func write(_ device: Device, _ word: String, in branch: CloudID) throws {
    try device.database.write { transaction in
      let tool = try transaction.child(named: "tool", of: self.root(branch, transaction).id)
      let node = try #require(tool)
      try Notes().set(try Notes().words(of: node, transaction).union([word]), node, transaction)
      try transaction.queueDataUpload(forNodeID: node.id)
    }
  }

  private func moveShed(_ device: Device, _ shed: CloudID, to list: CloudID) throws {
    try device.database.write { transaction in
      _ = try transaction.move(pointer(shed, transaction).id, to: self.root(list, transaction).id)
    }
  }

  /// Where a branch hangs for a device: the branch around it.
  private func place(_ device: Device, _ branch: CloudID) throws -> CloudID? {
    try device.database.read { transaction in
      guard let id = try transaction.branch(branch), let root = try transaction.root(of: id),
        let pointer = try transaction.pointer(to: root.id)
      else { return nil }
      return try transaction.cloudID(of: pointer.branch)
    }
  }

  private func enclosing(_ branch: CloudID) throws -> CloudID? {
    try alice.database.read { try $0.namedEnclosing(of: #require(try $0.branch(branch))) }
  }

  @Test(arguments: [true, false]) func aSubtreeTakesWhatIsNestedInItAlong(_ byOwner: Bool) async throws {
    let shed = try nest(below: "list/a/b")
    try await settle()
    let device = byOwner ? alice : bob
    try rooms.move(device, "list/a", to: "other")
    try await settle()
    for device in [alice, bob] {
      #expect(
        try rooms.tree(device)
          == ["other/a/b/c: cheese", "other/a/b/shed: ", "other/a/b: bread", "other/a: apple"].sorted())
      #expect(try words(device, shed) == ["tool: saw"])
      #expect(try place(device, shed) == other)
    }
    #expect(try enclosing(shed) == other)
    // One record: nothing of its content was written again.
    #expect(try record(shed).version == 2)
    #expect(try record(shed).epoch == 1)
    try expectCalm(alice, bob)
  }

  @Test(arguments: [true, false]) func anEditThatWasNotSeenStaysWhereItIs(_ isSent: Bool) async throws {
    let shed = try nest(below: "list")
    try await settle()
    try write(bob, "axe", in: shed)
    if isSent { try await bob.sync() }
    try moveShed(alice, shed, to: other)
    try await alice.sync()
    try await settle()
    for device in [alice, bob] {
      #expect(try words(device, shed) == ["tool: axe saw"])
      #expect(try place(device, shed) == other)
    }
    try expectCalm(alice, bob)
  }

  /// Carol is on the list and not on the other one, dora the other way round, and erin was let in on her own.
  @Test func peopleComeAndGoWithThePlace() async throws {
    let shed = try nest(below: "list")
    try await settle()
    var people: [String: Device] = [:]
    for (name, branches) in [("carol", [list]), ("dora", [other]), ("erin", [shed])] {
      let device = try rooms.world.notebook(name)
      try await device.session.signUp(handle: name, server: "test")
      try await device.sync()
      _ = try await alice.session.lookUp(handle: name)
      for branch in branches { try share(branch, with: user(device)) }
      try await settle(device)
      try accept(device)
      try await settle(device)
      people[name] = device
    }
    let (carol, dora, erin) = try (#require(people["carol"]), #require(people["dora"]), #require(people["erin"]))
    #expect(try words(carol, shed) == ["tool: saw"])
    #expect(try words(dora, shed) == nil)
    try moveShed(alice, shed, to: other)
    try await settle(carol, dora, erin)
    try write(alice, "axe", in: shed)
    try await settle(carol, dora, erin)
    #expect(try members(shed) == Set([alice, bob, dora, erin].map { try user($0) }))
    #expect(try record(shed).epoch > 1)
    #expect(try words(carol, shed) == nil)
    for device in [alice, bob, dora, erin] { #expect(try words(device, shed) == ["tool: axe saw"]) }
    try expectCalm(alice, bob, carol, dora, erin)
  }

  @Test(arguments: [true, false]) func twoWhoMoveItAgree(_ aliceFirst: Bool) async throws {
    let third = try await thirdList()
    let shed = try nest(below: "list")
    try await settle()
    try moveShed(alice, shed, to: other)
    try moveShed(bob, shed, to: third)
    for device in aliceFirst ? [alice, bob] : [bob, alice] { try await device.sync() }
    try await settle()
    try await settle()
    let places = try [alice, bob].map { try place($0, shed) }
    #expect(places[0] == places[1])
    #expect(try enclosing(shed) == places[0])
    for device in [alice, bob] { #expect(try words(device, shed) == ["tool: saw"]) }
    try expectCalm(alice, bob)
  }

  private func thirdList() async throws -> CloudID {
    let friend = try user(bob)
    let made = try alice.database.write { transaction in
      let root = try transaction.createBranch(withPath: Treepath(.home, "third"))
      try transaction.share(root.id, with: friend, role: .admin, title: "third", note: "")
      return root.cloudID
    }
    try await alice.sync()
    try await bob.sync()
    try accept(bob)
    try await settle()
    return try #require(made)
  }

  @Test func somethingNewNestedMeanwhileGoesAlong() async throws {
    let crate = try bob.database.write { transaction in
      let path = try [pointer(list, transaction).name, "a", "crate"]
      return try transaction.createBranch(withPath: Treepath(.home, path)).cloudID
    }
    let nested = try #require(crate)
    try await bob.sync()
    try rooms.move(alice, "list/a", to: "other")
    try await settle()
    try await settle()
    for device in [alice, bob] { #expect(try place(device, nested) == other) }
    #expect(try enclosing(nested) == other)
    try expectCalm(alice, bob)
  }

  @Test func somethingWithABranchInItIsMadeABranch() async throws {
    let shed = try nest(below: "list/a/b")
    try await settle()
    let made = try alice.database.write { try $0.makeBranch(rooms.find("list/a", $0).id).cloudID }
    let branch = try #require(made)
    try await settle()
    for device in [alice, bob] {
      #expect(try words(device, branch) == ["b: bread"])
      #expect(try words(device, shed) == ["tool: saw"])
      #expect(try place(device, shed) == branch)
    }
    #expect(try enclosing(shed) == branch)
    try expectCalm(alice, bob)
  }

  @Test func nothingIsNestedBelowItself() async throws {
    let shed = try nest(below: "list/a")
    try await settle()
    try alice.database.write { transaction in
      let inner = try self.root(shed, transaction)
      #expect(throws: TreeError.parentInvalid) { try transaction.move(pointer(shed, transaction).id, to: inner.id) }
      #expect(throws: TreeError.parentInvalid) {
        try transaction.move(rooms.find("list/a", transaction).id, to: inner.id)
      }
      #expect(throws: TreeError.notMovable) {
        try transaction.move(pointer(shed, transaction).id, to: transaction.trunk(.home).id)
      }
    }
  }

  @Test func aMoveThatIsGivenUpLeavesEverythingWhereItWas() async throws {
    let shed = try nest(below: "list")
    try await settle()
    try moveShed(alice, shed, to: other)
    try alice.database.write { transaction in
      let waiting = try transaction.operations().first { $0.kind == .permit }
      try transaction.discardOperation(#require(waiting).sequence)
    }
    try await settle()
    for device in [alice, bob] { #expect(try place(device, shed) == list) }
    #expect(try enclosing(shed) == list)
    try expectCalm(alice, bob)
  }
}
