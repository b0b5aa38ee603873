import CloudAPI
import CloudServer
import Foundation
import Sharing
import Signing
import Testing
import TreeSupport

@testable import Treesystem

/// Alice and bob on two branches, list and other, with a, a/b and a/b/c in list; everything sent. Paths begin with the branch.
struct Rooms: @unchecked Sendable {
  let world: World
  let alice: Device
  let bob: Device
  let branches: [String: CloudID]

  private static let template = Task { try await Rooms(making: World(seed: "rooms")) }

  /// A copy of what is made once.
  init() async throws {
    let template = try await Self.template.value
    world = try World(copying: template.world, seed: "rooms")
    alice = try world.notebook("alice", openings: 2)
    bob = try world.notebook("bob", openings: 2)
    branches = template.branches
  }

  private init(making world: World) async throws {
    self.world = world
    alice = try world.notebook("alice")
    bob = try world.notebook("bob")
    for (device, name) in [(alice, "alice"), (bob, "bob")] {
      try await device.session.signUp(handle: name, server: "test")
      try await device.sync()
    }
    let friend = try #require(try await alice.session.lookUp(handle: "bob"))
    var branches: [String: CloudID] = [:]
    for name in ["list", "other"] {
      branches[name] = try alice.database.write { transaction in
        let root = try transaction.createBranch(withPath: Treepath(.home, name))
        try transaction.share(root.id, with: friend.user, role: .admin, title: name, note: "")
        return root.cloudID
      }
      try await alice.sync()
      try await bob.sync()
      try bob.database.write { _ = try $0.graftInvite(try $0.invites()[0].number) }
    }
    self.branches = branches
    try make(alice, "list/a", "apple")
    try make(alice, "list/a/b", "bread")
    try make(alice, "list/a/b/c", "cheese")
    try await settle()
  }

  func find(_ path: String, _ transaction: CloudTransaction) throws -> Node {
    let parts = path.split(separator: "/").map(String.init)
    guard let branch = try branches[parts[0]].flatMap({ try transaction.branch($0) }),
      let root = try transaction.root(of: branch)
    else { throw TreeError.noSuchNode }
    return try parts.dropFirst().reduce(root) { node, name in
      guard let child = try transaction.child(named: name, of: node.id) else { throw TreeError.noSuchNode }
      return child
    }
  }

  func make(_ device: Device, _ path: String, _ word: String) throws {
    try device.database.write { transaction in
      var parts = path.split(separator: "/").map(String.init)
      let name = parts.removeLast()
      let node = try transaction.createNode(named: name, in: find(parts.joined(separator: "/"), transaction).id)
      try Notes().set([word], node, transaction)
    }
  }

  func write(_ device: Device, _ word: String, on path: String) throws {
    try device.database.write { transaction in
      let node = try find(path, transaction)
      try Notes().set(try Notes().words(of: node, transaction).union([word]), node, transaction)
      try transaction.queueDataUpload(forNodeID: node.id)
    }
  }

  func move(_ device: Device, _ path: String, to parent: String) throws {
    try device.database.write { _ = try $0.move(find(path, $0).id, to: find(parent, $0).id) }
  }

  func remove(_ device: Device, _ path: String) throws {
    try device.database.write { try $0.delete(find(path, $0).id) }
  }

  /// Everything in both branches, with its words.
  func tree(_ device: Device) throws -> [String] {
    try device.database.read { transaction in
      func lines(_ node: Node, _ path: String) throws -> [String] {
        try transaction.children(of: node.id).flatMap { child -> [String] in
          let words = try Notes().words(of: child, transaction).sorted().joined(separator: " ")
          return try ["\(path)/\(child.name): \(words)"] + lines(child, "\(path)/\(child.name)")
        }
      }
      return try branches.keys.sorted().flatMap { try lines(find($0, transaction), $0) }.sorted()
    }
  }

  func settle() async throws {
    for _ in 0..<3 { for device in [bob, alice] { try await device.sync() } }
  }

  /// Both see this, nobody has anything left to say, and the server has nothing besides.
  func expectOneTree(_ tree: [String], _ comment: Comment? = nil, at location: SourceLocation = #_sourceLocation) throws
  {
    for device in [alice, bob] {
      #expect(try self.tree(device) == tree.sorted(), comment, sourceLocation: location)
      #expect(try device.unsent() == 0, comment, sourceLocation: location)
      #expect(try device.database.read { try $0.quarantined().map(\.reason) } == [], comment, sourceLocation: location)
      #expect(try device.database.read { try $0.troubles().map(\.reason) } == [], comment, sourceLocation: location)
    }
    #expect(try liveNodes() == tree.count, comment, sourceLocation: location)
  }

  /// How many nodes live on the server in both branches, without the roots.
  private func liveNodes() throws -> Int {
    try world.storage.read { storage in
      try branches.values.map { branch in
        let lines = try storage.lines(of: branch, after: 0, limit: 100_000).filter { $0.kind != .permissions }
        return Set(
          try lines.map(\.cloudID).filter { try $0 != branch && storage.node($0, in: branch)?.isLive ?? false }
        ).count
      }.reduce(0, +)
    }
  }
}
