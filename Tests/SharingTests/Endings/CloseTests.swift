import CloudAPI
import CloudServer
import Foundation
import Lies
import Sharing
import Signing
import TestSupport
import Testing
import TodoCore

@testable import Treesystem

/// The owner deletes a list that others share: it goes from everybody's list of things to do, and from nobody's memory.
@Suite struct CloseTests {
  private let world: World
  private let alice: Device
  private let bob: Device
  private let branch: CloudID

  init() async throws {
    (alice, bob, world) = try await sharedList(seed: "close")
    branch = try alice.branch("Groceries")
  }

  private func close() throws {
    try alice.database.write { _ = try $0.close($0.lists()[0].node) }
  }

  private func isClosed(_ device: Device) throws -> Bool {
    try device.database.read { transaction in
      try transaction.branch(branch).map { try transaction.isClosed($0) } ?? false
    }
  }

  /// How far a device has read every branch.
  private func heads(_ device: Device) throws -> [LogHead?] {
    try device.database.read { transaction in
      try transaction.followedBranches().map { try transaction.cursor(of: $0.id) }
    }
  }

  private func keep(_ device: Device) throws {
    try device.database.write { transaction in _ = try transaction.keepList(transaction.lists()[0]) }
  }

  @Test func itGoesFromTheOwnerAndStaysReadableForTheOthers() async throws {
    try close()
    #expect(try alice.listNames() == ["Groceries"], "until the server has confirmed it")
    try await alice.sync()
    #expect(try alice.listNames() == [])
    try await settle(bob, alice)
    #expect(try bob.titles("Groceries") == ["Milk"])
    #expect(try isClosed(bob))
    #expect(try alice.unsent() == 0 && bob.unsent() == 0)
    #expect(try bob.database.read { try !$0.mayWrite($0.lists()[0].node) })
  }

  /// It would go with the list, unread by anybody.
  @Test func nothingIsWrittenThereAnyMore() async throws {
    let other = try alice.database.write { transaction in
      guard case .list(let list) = try transaction.addList(ListName("Other")) else { throw TreeError.noSuchNode }
      return try transaction.addTodos([Title("Soap")], to: list.node)[0]
    }
    try close()
    let groceries = try alice.database.read { try $0.lists().first { $0.name == "Groceries" } }
    let list = try #require(groceries)
    #expect(try alice.database.read { try !$0.mayWrite(list.node) })
    #expect(throws: TreeError.notPermitted) { try alice.database.write { try $0.moveTodo(other, to: list.node) } }
    let member = try bob.database.read { try $0.requireAccount().user }
    #expect(throws: ShareError.closing) {
      try alice.database.write {
        try $0.share(list.node, with: member, role: .editor, title: "Groceries", note: "")
      }
    }
    #expect(throws: ShareError.closing) {
      try alice.database.write { _ = try $0.makeCode(for: list.node, role: .editor, title: "Groceries", note: "") }
    }
    #expect(throws: ShareError.closing) {
      try alice.database.write { try $0.offerOwnership(of: list.node, to: member, title: "Groceries") }
    }
    try alice.database.write { transaction in
      for operation in try transaction.operations() where operation.closes {
        try transaction.discardOperation(operation.sequence)
      }
    }
    #expect(try alice.database.read { try $0.mayWrite(list.node) }, "whoever thinks better of it goes on")
    try await settle(alice, bob)
    #expect(try !isClosed(bob))
  }

  @Test(arguments: [InProcessTransport.Fate.lost, .replyLost])
  func aLostAnswerLosesNothing(_ fate: InProcessTransport.Fate) async throws {
    try close()
    alice.transport.setFate { $0.path == Route.batch.path ? fate : .delivered }
    await #expect(throws: CloudFailure.unreachable) { try await alice.sync() }
    alice.transport.setFate { _ in .delivered }
    try await settle(alice, bob)
    #expect(try alice.listNames() == [])
    #expect(try alice.unsent() == 0)
    #expect(try isClosed(bob))
  }

  @Test func itGoesFromTheOwnersOtherDevicesToo() async throws {
    let phone = try await alice.second("phone", "alice", in: world)
    #expect(try phone.listNames() == ["Groceries"])
    try close()
    try await settle(alice, phone)
    #expect(try phone.listNames() == [])
    #expect(try phone.unsent() == 0)
  }

  /// What the owner's other device had not sent stays with it, on the list that it was written on.
  @Test func whatTheOwnersOtherDeviceHadNotSentIsKept() async throws {
    let phone = try await alice.second("phone", "alice", in: world)
    try phone.add("Groceries", "Bread")
    try close()
    try await settle(alice, phone, alice, phone)
    #expect(try phone.titles("Groceries").contains("Bread"))
    #expect(try isClosed(phone))
    // The one does not put its pointer again and again, for the other to delete.
    for device in [alice, phone, alice, phone] { #expect(try await device.sync().sent == 0) }
    #expect(try phone.listNames() == ["Groceries"] && alice.listNames() == [])
    try keep(phone)
    try await settle(phone, alice)
    #expect(try alice.titles("Groceries").sorted() == ["Bread", "Milk"])
    #expect(try alice.unsent() == 0 && phone.unsent() == 0)
  }

  /// Its place on the tree is nothing to be put back and taken away in turn at every sync: it is on one device, until that user decides.
  @Test(arguments: [true, false])
  func whatIsKeptOnOneDeviceComesToRest(_ isKept: Bool) async throws {
    let phone = try await alice.second("phone", "alice", in: world)
    try phone.add("Groceries", "Bread")
    try close()
    for _ in 0..<3 { try await settle(alice, phone) }
    let lines = try heads(alice)
    for _ in 0..<2 { try await settle(phone, alice) }
    #expect(try heads(alice) == lines, "nothing more is said to the server")
    #expect(try phone.titles("Groceries").contains("Bread"))
    #expect(try alice.listNames() == [])
    if isKept {
      try keep(phone)
    } else {
      try phone.database.write { transaction in
        for operation in try transaction.operations() where operation.state == .refused {
          try transaction.discardOperation(operation.sequence)
        }
      }
    }
    try await settle(phone, alice, phone)
    #expect(try phone.unsent() == 0)
    #expect(try phone.listNames() == alice.listNames())
    #expect(try alice.listNames() == (isKept ? ["Groceries"] : []))
  }

  /// Nobody deletes what they wrote themselves elsewhere and have not seen here. What others write does not keep a list.
  @Test func whatTheOwnersOtherDeviceHasSentKeepsTheList() async throws {
    let phone = try await alice.second("phone", "alice", in: world)
    try phone.add("Groceries", "Bread")
    try await phone.sync()
    try close()
    try await settle(alice, bob, phone)
    for device in [alice, bob, phone] {
      #expect(try device.titles("Groceries").contains("Bread"))
      #expect(try !isClosed(device) && device.unsent() == 0)
    }
    try bob.add("Groceries", "Cheese")
    try await bob.sync()
    try close()
    try await settle(alice, bob, phone)
    #expect(try isClosed(bob))
    #expect(try alice.listNames() == [] && phone.listNames() == [])
  }

  /// Both of the owner's devices delete it; the second finds it done.
  @Test func twoDevicesDeleteItAtOnce() async throws {
    let phone = try await alice.second("phone", "alice", in: world)
    try close()
    try phone.database.write { _ = try $0.close($0.lists()[0].node) }
    try await settle(alice, phone)
    for device in [alice, phone] {
      #expect(try device.listNames() == [])
      #expect(try device.unsent() == 0)
    }
  }

  /// What was not sent in time is refused, is kept, and goes along to a list of one's own.
  @Test func whatWasNotSentIsKept() async throws {
    try bob.add("Groceries", "Bread")
    try bob.tick("Milk")
    try close()
    try await alice.sync()
    try await bob.sync()
    #expect(try bob.titles("Groceries") == ["Bread", "✓ Milk"])
    let reasons = try bob.database.read { try $0.operations().map(\.reason) }
    #expect(!reasons.isEmpty && reasons.allSatisfy { $0 == .branchClosed })
    try await settle(bob, alice)
    #expect(try bob.titles("Groceries") == ["Bread", "✓ Milk"], "nothing tries it again for ever")
    try keep(bob)
    try await settle(bob, alice)
    #expect(try bob.unsent() == 0)
    #expect(try bob.titles("Groceries") == ["Bread", "✓ Milk"])
    #expect(try bob.branch("Groceries") != branch)
    #expect(try alice.listNames() == [])
  }

  /// A list of one's own, like any other: it reaches one's other devices, and can be shared with the one who deleted it.
  @Test func aKeptListIsOnesOwn() async throws {
    let phone = try await bob.second("phone", "bob", in: world)
    try close()
    try await settle(alice, bob, phone)
    try keep(bob)
    try await settle(bob, phone)
    #expect(try phone.titles("Groceries") == ["Milk"])
    #expect(try phone.listNames() == ["Groceries"])
    try phone.tick("Milk")
    try await bob.share("Groceries", with: "alice")
    try await settle(phone, bob, alice)
    try alice.accept()
    try await settle(alice, bob)
    #expect(try alice.titles("Groceries") == ["✓ Milk"])
    #expect(try bob.quarantine().isEmpty && phone.quarantine().isEmpty)
  }

  @Test func whoComesInTimeReadsEverything() async throws {
    try alice.add("Groceries", "Eggs")
    try await alice.sync()
    try close()
    try await alice.sync()
    let phone = try await bob.second("phone", "bob", in: world)
    #expect(try phone.titles("Groceries") == ["Eggs", "Milk"])
    try await bob.sync()
    #expect(try bob.titles("Groceries") == ["Eggs", "Milk"])
  }

  @Test func whoComesTooLateIsToldOfNoLie() async throws {
    try close()
    try await settle(alice, bob)
    world.clock.advance(Limits.closedLife + 2 * 3600 * 1000)
    try alice.add("Other", "Tea")
    try await alice.sync()
    let phone = try await bob.second("phone", "bob", in: world)
    #expect(try phone.titles("Groceries") == [])
    #expect(try phone.quarantine().isEmpty)
    #expect(try phone.database.read { try $0.troubles().isEmpty })
    try await bob.sync()
    #expect(try bob.titles("Groceries") == ["Milk"], "who had read it has it")
  }

  /// A server that does not send what it still has to keep has not dropped it: it is asked again.
  @Test func whatIsWithheldTooEarlyIsAskedForAgain() async throws {
    try alice.add("Groceries", "Eggs")
    try await alice.sync()
    try close()
    try await alice.sync()
    let lie = Lie(branch: branch)
    bob.transport.setTamper { request, response in
      lie.page(response, to: request) { page in
        for index in page.rows.indices { page.rows[index].contents = [] }
      }
    }
    try await bob.sync()
    #expect(try bob.titles("Groceries") == ["Eggs", "Milk"])
    #expect(try bob.quarantine().isEmpty)
  }

  /// The server has already taken off whom the list was offered to, and did not say so: its end is given up, and the list goes.
  @Test func aListWhoseEndIsUnderWayCanBeRemoved() async throws {
    let carol = try await world.person("carol")
    try alice.add("Other", "Tea")
    try await alice.share("Other", with: "carol")
    try await alice.sync()
    let other = try #require(try alice.database.read { try $0.lists().first { $0.name == "Other" } })
    try alice.database.write { _ = try $0.close(other.node) }
    for fate in [InProcessTransport.Fate.replyLost, .lost] {
      alice.transport.setFate { $0.path == Route.batch.path ? fate : .delivered }
      await #expect(throws: CloudFailure.unreachable) { try await alice.sync() }
    }
    try alice.database.write { try $0.removeList(other) }
    alice.transport.setFate { _ in .delivered }
    try await settle(alice, carol)
    #expect(try alice.listNames() == ["Groceries"] && alice.unsent() == 0)
    try carol.accept()
    await #expect(throws: Never.self) { try await carol.sync() }
    #expect(try carol.listNames() == [])
  }

  @Test func nobodyIsLetInAfterwards() async throws {
    try await alice.share("Groceries", with: "bob", role: .admin)
    try await settle(alice, bob)
    let carol = try await world.person("carol")
    try await bob.share("Groceries", with: "carol")
    try close()
    try await alice.sync()
    try await bob.sync()
    let change = try #require(try bob.database.read { try $0.operations().first { $0.kind == .permit } })
    #expect(change.reason == .branchClosed)
    try await carol.sync()
    #expect(try carol.invites().isEmpty)
    await #expect(throws: ShareError.closed) { try await bob.share("Groceries", with: "carol", role: .viewer) }
  }

  /// Nobody's keys are renewed in what has ended, and nothing waits for that.
  @Test func endingADeviceLeavesItAlone() async throws {
    let phone = try await bob.second("phone", "bob", in: world)
    try close()
    try await settle(alice, bob, phone)
    let id = try phone.database.read { try $0.account() }.map(\.device)
    try await bob.session.endDevice(try #require(id), withAdded: false)
    try await settle(bob, alice)
    #expect(try bob.unsent() == 0)
    #expect(try bob.titles("Groceries") == ["Milk"])
  }

  @Test func onlyItsOwnerDeletesIt() throws {
    #expect(throws: ShareError.notOwner) {
      try bob.database.write { _ = try $0.close($0.lists()[0].node) }
    }
  }

  @Test func whoeverLeavesADeletedListJustLetsGo() async throws {
    try close()
    try await settle(alice, bob)
    try bob.database.write { try $0.leave(try $0.lists()[0].node) }
    try await settle(bob)
    #expect(try bob.listNames() == [] && bob.unsent() == 0)
  }

  /// What still waits there goes under a new key, and then the list ends: neither waits for the other.
  @Test func somebodyWhoLeftMeanwhileKeepsNothingWaiting() async throws {
    try close()
    try alice.edit("Milk", to: "Oat milk")
    try bob.database.write { _ = try $0.leave($0.lists()[0].node) }
    try await bob.sync()
    try await alice.sync()
    #expect(try alice.unsent() == 0 && alice.listNames() == [])
    let record = try #require(try world.storage.read { try $0.permissions(of: branch) })
    let body = try PermissionsBody(decoding: record.body)
    #expect(body.isClosed && body.epoch == 2)
  }

  /// The end was on its way: what comes too late for it stays, until its author has decided.
  @Test func whatIsWrittenWhenTheEndWasSentStays() async throws {
    try close()
    alice.transport.setFate { $0.path == Route.batch.path ? .lost : .delivered }
    await #expect(throws: CloudFailure.unreachable) { try await alice.sync() }
    alice.transport.setFate { _ in .delivered }
    try alice.add("Groceries", "Bread")
    try await settle(alice, bob)
    #expect(try isClosed(bob) && bob.titles("Groceries") == ["Milk"])
    #expect(try alice.titles("Groceries") == ["Bread", "Milk"])
    #expect(try alice.database.read { try $0.operations().map(\.reason) } == [.branchClosed])
    try alice.database.write { try $0.discardOperation($0.operations()[0].sequence) }
    try await settle(alice)
    #expect(try alice.listNames() == [] && alice.unsent() == 0)
  }
}
