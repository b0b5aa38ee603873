import CloudAPI
import Foundation
import GRDB
import Lies
import Sharing
import Signing
import TestSupport
import Testing
import TodoCore

@testable import Treesystem

/// A root is made once: whoever is not shown it waits for it, and makes no other one over it.
@Suite struct WithheldRootTests {
  private let world: World
  private let phone: Device
  /// The phone erases it as soon as it sees that another device logged in with it.
  private let root: RootKey

  init() async throws {
    world = try World(seed: "withheld root")
    phone = try await world.person("alice")
    root = try #require(try phone.database.read { try $0.root() })
    try phone.add("Groceries", "Milk")
    try await settle(phone)
  }

  /// Once a device was ended the branch has another epoch, and the server takes a root with other keys.
  @Test(arguments: [false, true])
  func nobodyMakesAnotherRootOverOneThatWasNotShown(_ hasEnded: Bool) async throws {
    if hasEnded { try await endOne() }
    let tablet = try world.device("tablet")
    try withholdHome(from: tablet)
    try await logIn(tablet)
    try await tablet.sync()
    #expect(try tablet.listNames().isEmpty)
    #expect(try tablet.unsent() == 0, "nothing is made of a root that is there")
    #expect(try tablet.quarantine().map(\.reason).contains(.rowMissing))
    tablet.transport.setTamper { _, response in response }
    // By itself, with nothing new in the log.
    try await tablet.sync()
    #expect(try tablet.titles("Groceries") == ["Milk"])
    try await expectAllWell(tablet)
  }

  /// One that was made before its row was held back waits, and whatever hangs below it.
  @Test func aPutWaitsForTheRowOfItsNode() async throws {
    let tablet = try world.device("tablet")
    try withholdHome(from: tablet)
    try await logIn(tablet)
    try tablet.database.write { try $0.queueUpload(of: $0.trunk(.home).id) }
    try tablet.add("Work", "Report")
    let report = try await tablet.sync()
    #expect(report.refused == 0)
    let obstacle = try tablet.database.read { transaction in
      try transaction.operations().first { try $0.node == transaction.trunk(.home).id }.map(transaction.obstacle)
    }
    #expect(obstacle == .contentMissing)
    tablet.transport.setTamper { _, response in response }
    try await settle(tablet, phone)
    #expect(try phone.titles("Work") == ["Report"])
    try await expectAllWell(tablet)
  }

  /// A device of before this rule has changed the name key of home: whoever knew the other one puts the children again.
  @Test func aRootWithAnotherNameKeyLosesNothing() async throws {
    let tablet = try world.device("tablet")
    try await logIn(tablet)
    try changeNameKey(of: .home, on: tablet)
    try await endOne()
    try tablet.database.write { try $0.queueUpload(of: $0.trunk(.home).id) }
    try await tablet.sync()
    try await settle(phone, tablet)
    try await expectAllWell(tablet)
  }

  /// A new epoch has another node key, and the same name key: names of children stay as they are.
  @Test func aNewEpochKeepsTheNameKey() async throws {
    let before = try nameKey(of: .home, on: phone)
    try await endOne()
    try phone.database.write { try $0.queueUpload(of: $0.trunk(.home).id) }
    try await settle(phone)
    #expect(try nameKey(of: .home, on: phone) == before)
  }

  /// Messages have no names: another name key of the inbox is nothing to them.
  @Test func anInboxWithAnotherNameKeyPutsNoMessageAgain() async throws {
    let bob = try await world.person("bob")
    try bob.add("Trip", "Tickets")
    try await bob.sync()
    try await bob.share("Trip", with: "alice")
    try await settle(bob, phone)
    let tablet = try world.device("tablet")
    try await logIn(tablet)
    try changeNameKey(of: .inbox, on: tablet)
    try await endOne()
    try tablet.database.write { try $0.queueUpload(of: $0.trunk(.inbox).id) }
    try await settle(tablet, phone, tablet, phone)
    try await expectAllWell(tablet)
    for device in [phone, tablet] {
      #expect(try device.database.read { try $0.invites().map(\.title) } == ["Trip"])
      #expect(try device.database.read { try $0.operations() }.isEmpty, "nothing is refused")
    }
  }

  /// A message is its sender's: whatever asks for it, it is not put again by whoever got it.
  @Test func aMessageIsNotPutAgain() async throws {
    let bob = try await world.person("bob")
    try bob.add("Trip", "Tickets")
    try await bob.sync()
    try await bob.share("Trip", with: "alice")
    try await settle(bob, phone)
    try phone.database.write { transaction in
      let messages = try transaction.children(of: transaction.trunk(.inbox).id)
      #expect(!messages.isEmpty)
      for message in messages { try transaction.queueUpload(of: message.id) }
    }
    try await settle(phone)
    #expect(try phone.database.read { try $0.operations() }.isEmpty, "nothing is refused")
    #expect(try phone.database.read { try $0.invites().map(\.title) } == ["Trip"])
  }

  private func changeNameKey(of trunk: Trunk, on device: Device) throws {
    try device.database.write { transaction in
      let change = "UPDATE nodes SET name_key = ? WHERE id = ?"
      try transaction.db.cachedStatement(sql: change).execute(
        arguments: [Data(repeating: 7, count: 32), transaction.trunk(trunk).id])
    }
  }

  private func withholdHome(from device: Device) throws {
    let home = Trunk.home.cloudID(of: try phone.database.read { try $0.requireAccount().user })
    device.transport.setTamper { request, response in
      Lie(branch: home).page(response, to: request) { page in
        let lines = page.entries.filter { $0.kind == .header && $0.cloudID == home }.map(\.number)
        page.rows.removeAll { lines.contains($0.line) }
      }
    }
  }

  private func logIn(_ device: Device) async throws {
    try await device.session.logIn(root: root, handle: "alice", server: "test")
    try await device.sync()
  }

  private func endOne() async throws {
    let laptop = try world.device("laptop")
    try await logIn(laptop)
    try await phone.sync()
    try await phone.session.endDevice(try laptop.database.read { try $0.identity().device }, withAdded: false)
    try await phone.sync()
  }

  /// Everybody has everything, whoever comes last too.
  private func expectAllWell(_ tablet: Device) async throws {
    let last = try world.device("last")
    try await logIn(last)
    try await settle(phone, tablet, last)
    for device in [phone, tablet, last] {
      #expect(try device.titles("Groceries") == ["Milk"])
      #expect(try device.quarantine().isEmpty)
      #expect(try device.unsent() == 0)
    }
    #expect(try Set([phone, tablet, last].map { try nameKey(of: .home, on: $0) }).count == 1)
  }

  private func nameKey(of trunk: Trunk, on device: Device) throws -> Data {
    try device.database.read { transaction in
      let statement = try transaction.db.cachedStatement(sql: "SELECT name_key FROM nodes WHERE id = ?")
      return try #require(try Data.fetchOne(statement, arguments: [transaction.trunk(trunk).id]))
    }
  }
}
