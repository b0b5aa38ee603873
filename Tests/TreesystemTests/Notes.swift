import CloudAPI
import CloudServer
import Foundation
import Sharing
import Signing
import Testing
import TreeSupport

@testable import Treesystem

/// An app whose content is a set of words: two of them join to all words of both, so that a lost one shows.
struct Notes: TreesystemDelegate {
  func content(of node: Node, in transaction: CloudTransaction) throws -> NodeData {
    NodeData(data: try transaction.tag(forNodeID: node.id, withIdentifier: "words") ?? [])
  }

  func receive(_ discovery: Discovery, in transaction: CloudTransaction) throws -> Merge {
    switch discovery {
    case .put(let node, let content):
      let here = try words(of: node, transaction)
      let there = Set(String(decoding: content.data, as: UTF8.self).split(separator: " ").map(String.init))
      try set(here.union(there), node, transaction)
      return here.isSubset(of: there) ? .settled : .differs
    case .reset(let node, let content):
      try transaction.setTag(content.data, forNodeID: node.id, withIdentifier: "words")
    case .moved, .deleted, .pushed, .discarded, .permitted, .denied: break
    }
    return .settled
  }

  func words(of node: Node, _ transaction: CloudTransaction) throws -> Set<String> {
    Set(
      String(decoding: try content(of: node, in: transaction).data, as: UTF8.self).split(separator: " ").map(
        String.init))
  }

  func set(_ words: Set<String>, _ node: Node, _ transaction: CloudTransaction) throws {
    try transaction.setTag(
      Array(words.sorted().joined(separator: " ").utf8), forNodeID: node.id, withIdentifier: "words")
  }
}

extension World {
  /// A world whose devices run `Notes`.
  convenience init(seed: String = "world") throws { try self.init(running: Notes(), seed: seed) }

  /// A device whose app is `Notes`, or the one of this name again.
  func notebook(_ name: String, openings: Int = 1) throws -> Device {
    try Device(
      path: folder.appendingPathComponent("\(name).db").path, transport: InProcessTransport(cloud), clock: clock,
      entropy: SeededEntropy("\(folder.lastPathComponent)/\(name)/\(openings)"), app: Notes())
  }
}

/// Paths lead into the one shared branch of a test.
extension Device {
  func root(_ transaction: CloudTransaction) throws -> Node {
    let home = try transaction.trunk(.home)
    guard let pointer = try transaction.children(of: home.id).first, let branch = pointer.pointer,
      let root = try transaction.root(of: branch)
    else { throw TreeError.noSuchNode }
    return root
  }

  func find(_ path: String, _ transaction: CloudTransaction) throws -> Node {
    try path.split(separator: "/").reduce(root(transaction)) { node, name in
      guard let child = try transaction.child(named: String(name), of: node.id) else { throw TreeError.noSuchNode }
      return child
    }
  }

  func make(_ path: String, _ words: String...) throws {
    try database.write { transaction in
      var parts = path.split(separator: "/").map(String.init)
      let name = parts.removeLast()
      let parent = try find(parts.joined(separator: "/"), transaction)
      let node = try transaction.createNode(named: name, in: parent.id)
      try Notes().set(Set(words), node, transaction)
    }
  }

  func write(_ word: String, on path: String) throws {
    try database.write { transaction in
      let node = try find(path, transaction)
      try Notes().set(try Notes().words(of: node, transaction).union([word]), node, transaction)
      try transaction.queueDataUpload(forNodeID: node.id)
    }
  }

  func remove(_ path: String) throws {
    try database.write { try $0.delete(find(path, $0).id) }
  }

  /// Every node below the root with its words, by path.
  func tree() throws -> [String] {
    try database.read { transaction in
      func lines(_ node: Node, _ path: String) throws -> [String] {
        try transaction.children(of: node.id).flatMap { child -> [String] in
          let here = path + child.name
          let words = try Notes().words(of: child, transaction).sorted().joined(separator: " ")
          return try ["\(here): \(words)"] + lines(child, here + "/")
        }
      }
      return try lines(root(transaction), "").sorted()
    }
  }

  /// The cloudIDs of the branch's nodes here.
  func nodes() throws -> Set<CloudID> {
    try database.read { transaction in
      Set(try transaction.subtree(of: root(transaction)).compactMap(\.cloudID))
    }
  }
}

/// Three devices on one branch: alice's, her laptop, and bob's.
struct Trio: @unchecked Sendable {
  let world: World
  let alice: Device
  let laptop: Device
  let bob: Device
  let branch: CloudID

  var all: [Device] { [alice, laptop, bob] }

  private static let template = Task { try await Trio(making: World()) }

  /// Copies of devices that met once, with these nodes.
  init(_ paths: String...) async throws {
    let template = try await Self.template.value
    try self.init(in: World(copying: template.world, seed: "trio"), template.branch)
    if paths.isEmpty { return }
    for path in paths { try alice.make(path, "first") }
    try await settle()
  }

  private init(in world: World, _ branch: CloudID) throws {
    self.world = world
    self.branch = branch
    alice = try world.notebook("alice")
    bob = try world.notebook("bob")
    laptop = try world.notebook("laptop")
  }

  private init(making world: World) async throws {
    self.world = world
    alice = try world.notebook("alice")
    bob = try world.notebook("bob")
    laptop = try world.notebook("laptop")
    for (device, name) in [(alice, "alice"), (bob, "bob")] {
      try await device.session.signUp(handle: name, server: "test")
      try await device.sync()
    }
    let root = try alice.database.write { try $0.createBranch(withPath: Treepath(.home, "list")) }
    branch = try #require(root.cloudID)
    let friend = try #require(try await alice.session.lookUp(handle: "bob"))
    try alice.database.write { try $0.share(root.id, with: friend.user, role: .admin, title: "list", note: "") }
    try await alice.sync()
    try await bob.sync()
    try bob.database.write { _ = try $0.graftInvite(try $0.invites()[0].number) }
    try await bob.sync()
    try await laptop.session.logIn(
      root: try #require(try alice.database.read { try $0.root() }), handle: "alice", server: "test")
    try await settle()
  }

  /// Everybody syncs until nothing moves any more.
  func settle() async throws {
    for _ in 0..<5 {
      var moved = false
      for device in all {
        let report = try await device.sync()
        moved = moved || report.received + report.sent > 0
      }
      if !moved { return }
    }
  }

  /// Everybody has the same, nobody has anything left to send, and the server has what they have.
  func expectOneTree(_ tree: [String]? = nil, _ comment: Comment? = nil, at location: SourceLocation = #_sourceLocation)
    throws
  {
    let expected = try tree ?? alice.tree()
    let live = try liveNodes()
    for device in all {
      #expect(try device.tree() == expected, comment, sourceLocation: location)
      #expect(try device.unsent() == 0, comment, sourceLocation: location)
      #expect(try device.database.read { try $0.quarantined().map(\.reason) } == [], comment, sourceLocation: location)
      #expect(try device.nodes() == live, comment, sourceLocation: location)
    }
  }

  /// What lives on the server.
  func liveNodes() throws -> Set<CloudID> {
    try world.storage.read { storage in
      let lines = try storage.lines(of: branch, after: 0, limit: 100_000).filter { $0.kind != .permissions }
      return Set(try lines.map(\.cloudID).filter { try storage.node($0, in: branch)?.isLive ?? false })
    }
  }
}
