import Foundation
import GRDB
import Sharing
import Signing
import Testing
import TreeSupport
import Treesystem

@testable import TodoCore

/// A device vouches with its user's signature for what it passes on as theirs: it does so only where it knows that they wrote it.
@Suite struct SecondDeviceDeedTests {
  /// Mallory writes under the replica of bob's phone. His tablet, which cannot tell, passes it on.
  @Test func aTabletSaysNothingInItsPhonesName() async throws {
    let (alice, bob, world) = try await sharedList(seed: "tablet")
    let tablet = try await bob.second("tablet", "bob", in: world)
    try bob.tagFirst("phone")
    try await settle(alice, bob, tablet)
    let phone = try #require(try bob.database.read { try $0.knownReplica() })
    // Here alice's device is the one that lies, to bob's and to one that knows nothing yet.
    try write("pay alice 900", as: phone, on: alice, at: world)
    try await settle(alice)
    try tablet.tagFirst("due")
    try await settle(tablet)
    let fresh = try await alice.second("fresh", "alice", in: world)
    try await settle(fresh, bob, tablet)
    for device in [fresh, bob, tablet] {
      #expect(try device.titleWriter() == (device === tablet ? "somebody, as alice says" : "somebody, as bob says"))
    }
  }

  /// Who had seen that bob's phone wrote it still says so, whatever his tablet could not know.
  @Test func whoSawThePhoneWriteItStillSaysSo() async throws {
    let (alice, bob, world) = try await sharedList(seed: "phone")
    let tablet = try await bob.second("tablet", "bob", in: world)
    try await settle(alice, bob, tablet)
    tablet.transport.setCloud(nil)
    try bob.retitleFirst("sweep the floor")
    try await settle(bob, alice)
    try alice.tagFirst("hers")
    try await settle(alice)
    tablet.transport.setCloud(world.cloud)
    try await settle(tablet)
    try tablet.tagFirst("his")
    try await settle(tablet, alice, bob)
    #expect(try alice.titleWriter() == "bob")
    #expect(try bob.titleWriter() == "bob")
    #expect(try tablet.titleWriter() == "somebody, as alice says")
    let fresh = try await alice.second("fresh", "alice", in: world)
    try await settle(fresh)
    #expect(try fresh.titleWriter() == "somebody, as bob says")
    #expect(try alice.unsent() == 0)
  }

  /// Two devices that pass the same on write the same: a note does not stand there twice.
  @Test func twoTabletsPassOnOneNote() async throws {
    let (alice, bob, world) = try await sharedList(seed: "two tablets")
    let tablets = [
      try await bob.second("tablet", "bob", in: world), try await bob.second("laptop", "bob", in: world),
    ]
    try await settle(alice, bob, tablets[0], tablets[1])
    for tablet in tablets { tablet.transport.setCloud(nil) }
    try bob.tagFirst("phone")
    try await settle(bob, alice)
    try alice.retitleFirst("sweep")
    try await settle(alice)
    for tablet in tablets {
      tablet.transport.setCloud(world.cloud)
      try await tablet.sync()
      tablet.transport.setCloud(nil)
      try tablet.tagFirst(tablet === tablets[0] ? "first" : "second")
    }
    for tablet in tablets { tablet.transport.setCloud(world.cloud) }
    try await settle(tablets[0], tablets[1], alice, bob)
    for device in tablets + [alice, bob] {
      let tags = try device.database.read { try $0.onlyDocument().elements.map(\.value) }
      #expect(tags.map { String(decoding: $0, as: UTF8.self) }.sorted() == ["first", "phone", "second"])
    }
  }

  private func write(_ title: String, as replica: Replica, on device: Device, at world: World) throws {
    try device.database.write { transaction in
      let todo = try transaction.onlyTodo()
      var content = VersionedDocument(try transaction.onlyDocument())
      try content.change { document in
        try document.write(.title, Array(title.utf8), now: world.clock.now() + 1, replica: replica)
      }
      try transaction.store(content, of: todo.id, node: todo.node, list: todo.list)
      try transaction.queueDataUpload(forNodeID: todo.node)
    }
  }
}

extension CloudTransaction {
  fileprivate func onlyTodo() throws -> Todo {
    let node = try #require(try NodeID.fetchOne(db, sql: "SELECT node FROM todos LIMIT 1"))
    return try #require(try todo(node))
  }

  fileprivate func onlyDocument() throws -> Document {
    try #require(try document(of: onlyTodo().node, in: .todos)).document
  }
}

extension Device {
  fileprivate func tagFirst(_ tag: String) throws { try database.write { try $0.addTag(Tag(tag), to: $0.onlyTodo()) } }

  fileprivate func retitleFirst(_ title: String) throws {
    try database.write { try $0.setTitle(try Title(title), of: $0.onlyTodo()) }
  }

  fileprivate func titleWriter() throws -> String {
    try database.read { transaction in
      let write = try #require(try transaction.onlyDocument()[Field.title.rawValue])
      let deed = try transaction.deed(of: write, at: transaction.onlyTodo().node)
      let who = try deed.user.map { try transaction.displayName(of: $0) } ?? "somebody"
      return try who + (deed.via.map { ", as \(try transaction.displayName(of: $0)) says" } ?? "")
    }
  }
}
