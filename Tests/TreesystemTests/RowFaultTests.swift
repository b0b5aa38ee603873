import CloudAPI
import Foundation
import GRDB
import Signing
import Testing
import TreeSupport

@testable import Treesystem

/// What a branch's rows cause is that branch's trouble: the sync goes on with all others.
@Suite struct RowFaultTests {
  /// What a member does, and where this device's app stumbles over it.
  enum Fault: String, CaseIterable {
    case written, deleted, renamed, movedAway, joinedElsewhere
  }

  @Test(arguments: Fault.allCases)
  func oneRowEndsNobodysSync(_ fault: Fault) async throws {
    let rooms = try await Rooms()
    let alice = try Device(
      path: rooms.alice.path, transport: InProcessTransport(rooms.world.cloud), clock: rooms.world.clock,
      entropy: SeededEntropy("stumbling"), app: Stumbling())
    if fault == .joinedElsewhere { try rooms.move(alice, "list/a/b/c", to: "other") }
    try Self.change(fault, rooms)
    try await rooms.bob.sync()
    try rooms.make(rooms.bob, "other/d", "dates")
    try await rooms.bob.sync()
    for _ in 0..<2 {
      _ = try await alice.sync()
      #expect(try rooms.tree(alice).contains("other/d: dates"), "what others wrote elsewhere arrives")
    }
    let (rows, troubles) = try alice.database.read { (try $0.quarantined(), try $0.troubles()) }
    #expect(Set(rows.map(\.reason)) == [.malformed], "it is kept, with its reason")
    #expect(troubles.isEmpty)
  }

  private static func change(_ fault: Fault, _ rooms: Rooms) throws {
    switch fault {
    case .written, .joinedElsewhere: try rooms.write(rooms.bob, "brie", on: "list/a/b/c")
    case .deleted: try rooms.remove(rooms.bob, "list/a/b/c")
    case .renamed:
      try rooms.bob.database.write { transaction in
        let node = try rooms.find("list/a/b/c", transaction)
        _ = try transaction.move(node.id, to: rooms.find("list/a/b", transaction).id, named: "cc")
      }
    case .movedAway: try rooms.move(rooms.bob, "list/a/b/c", to: "list")
    }
    if fault == .movedAway { try rooms.move(rooms.bob, "list/c", to: "other") }
  }
}

/// An app that stumbles over the node that held cheese, as one does whose own rule was broken.
private struct Stumbling: TreesystemDelegate {
  func content(of node: Node, in transaction: CloudTransaction) throws -> NodeData {
    if node.name == "c", node.branch != (try transaction.node(withPath: Treepath(.home, "list"))?.pointer) {
      throw TreeError.noSuchNode
    }
    return try Notes().content(of: node, in: transaction)
  }

  func receive(_ discovery: Discovery, in transaction: CloudTransaction) throws -> Merge {
    switch discovery {
    case .put(let node, _), .reset(let node, _), .deleted(let node), .moved(let node, _):
      if node.name.hasPrefix("c") { throw TreeError.noParent }
    default: break
    }
    return try Notes().receive(discovery, in: transaction)
  }
}
