import CloudAPI
import Sharing
import TestSupport
import Testing
import TodoCore
import Treesystem

/// A list that one device takes off its person's tree, while with what another device of that person did nobody else could
/// bring it back.
@Suite struct StrandedTests {
  private let world: World
  private let alice: Device
  private let laptop: Device
  private let bob: Device

  init() async throws {
    (alice, bob, world) = try await sharedList(seed: "stranded")
    laptop = try await alice.second("laptop", "alice", in: world)
    try await settle()
  }

  private func settle() async throws {
    for _ in 0..<3 { for device in [alice, laptop, bob] { try await device.sync() } }
  }

  private func unshareBob(_ device: Device) throws {
    try device.database.write { transaction in
      let list = try transaction.lists()[0]
      let bob = try #require(try transaction.members(of: list.node).first { $0.name == "bob" })
      try transaction.unshare(list.node, with: bob.user)
    }
  }

  private func removeList(_ device: Device) throws {
    try device.database.write { try $0.removeList(try $0.lists()[0]) }
  }

  @Test(arguments: [true, false])
  func comesBackWithWhatWasAdded(_ removalFirst: Bool) async throws {
    try unshareBob(alice)
    try alice.add("Groceries", "Champagne")
    try laptop.letGo("Groceries")
    for device in removalFirst ? [laptop, alice] : [alice, laptop] { try await device.sync() }
    try await settle()
    for device in [alice, laptop] {
      #expect(try device.titles("Groceries") == ["Champagne", "Milk"])
      #expect(try device.unsent() == 0)
      #expect(try device.quarantine().isEmpty)
    }
  }

  @Test func comesBackAlsoAfterWhatWasAddedWasSent() async throws {
    try laptop.letGo("Groceries")
    try unshareBob(alice)
    try await alice.sync()
    try alice.add("Groceries", "Champagne")
    try await alice.sync()
    try await settle()
    for device in [alice, laptop] { #expect(try device.titles("Groceries") == ["Champagne", "Milk"]) }
  }

  /// What was under way when the list was left is answered by what the next sync reads.
  @Test func aListThatWasLeftIsForgottenWhenItsLastDeletionIsRead() async throws {
    let milk = try bob.todo("Milk")
    let branch = try bob.branch("Groceries")
    try bob.add("Groceries", "Champagne")
    try await bob.sync()
    try bob.database.write { try $0.delete(milk.node) }
    bob.transport.setFate { $0.path == Route.batch.path ? .replyLost : .delivered }
    await #expect(throws: CloudFailure.unreachable) { try await bob.sync() }
    try removeList(bob)
    bob.transport.setFate { _ in .delivered }
    try alice.add("Groceries", "Bread")
    try await alice.sync()
    try await settle()
    #expect(try bob.quarantine().isEmpty)
    #expect(try bob.database.read { try $0.branch(branch) } == nil)
    #expect(try alice.titles("Groceries") == ["Bread", "Champagne"])
  }

  /// Nothing is on it that the device which removed it had not seen, and it is deleted, not left.
  @Test func aListOfOneselfAloneGoesFromEveryDevice() async throws {
    try unshareBob(alice)
    try alice.add("Groceries", "Champagne")
    try await settle()
    try removeList(laptop)
    try await settle()
    for device in [alice, laptop] {
      #expect(try device.database.read { try $0.lists() }.isEmpty)
      #expect(try device.unsent() == 0)
      #expect(try device.quarantine().isEmpty)
    }
  }

  /// One device has deleted the list and not yet taken it off the tree; another adds to what still hangs there.
  @Test func whatIsAddedToADeletedListBringsItBack() async throws {
    try unshareBob(alice)
    try await settle()
    try removeList(alice)
    let batches = alice.transport.setFate(.lost, ofRequest: 2) { $0.path == Route.batch.path }
    await #expect(throws: CloudFailure.unreachable) { try await alice.sync() }
    #expect(batches.with { $0 } == 2)
    alice.transport.setFate { _ in .lost }
    try await laptop.sync()
    #expect(try laptop.titles("Groceries").isEmpty)
    try laptop.add("Groceries", "Champagne")
    try await laptop.sync()
    #expect(try laptop.unsent() == 0)
    alice.transport.setFate { _ in .delivered }
    try await settle()
    for device in [alice, laptop] {
      #expect(try device.titles("Groceries") == ["Champagne"])
      #expect(try device.unsent() == 0)
      #expect(try device.quarantine().isEmpty)
    }
  }

  /// Its pointer was read as deleted, and the sync ended before the list was read.
  @Test func whatIsAddedBetweenTheTwoBringsItBackToo() async throws {
    try unshareBob(alice)
    try await settle()
    try removeList(alice)
    try await alice.sync()
    let pulls = laptop.transport.setFate(.lost, ofRequest: 2) { $0.path.hasPrefix(Route.heads.path) }
    await #expect(throws: CloudFailure.unreachable) { try await laptop.sync() }
    #expect(pulls.with { $0 } == 2)
    laptop.transport.setFate { _ in .delivered }
    try laptop.add("Groceries", "Champagne")
    try await settle()
    for device in [alice, laptop] { #expect(try device.titles("Groceries") == ["Champagne"]) }
  }

  /// What was to bring it back is given up before it was sent: its pointer alone leads nowhere.
  @Test func aPointerThatLeadsNowhereGoesFromEveryDevice() async throws {
    try unshareBob(alice)
    try await settle()
    try removeList(alice)
    try await alice.sync()
    try laptop.add("Groceries", "Champagne")
    let pulls = laptop.transport.setFate(.lost, ofRequest: 2) { $0.path == Route.pull.path }
    await #expect(throws: CloudFailure.unreachable) { try await laptop.sync() }
    #expect(pulls.with { $0 } == 2)
    laptop.transport.setFate { _ in .delivered }
    try laptop.database.write { transaction in
      let branch = try transaction.lists()[0].branch
      for operation in try transaction.operations() where operation.branch == branch {
        try transaction.discardOperation(operation.sequence)
      }
    }
    try await settle()
    for device in [alice, laptop] {
      let lists = try device.database.read { try $0.lists().map(\.name) }
      #expect(try lists == alice.database.read { try $0.lists().map(\.name) })
      #expect(try device.unsent() == 0)
    }
  }

  /// Whoever left the list has no place for it here, and deletes nothing that they had not seen all the same.
  @Test func whatWasDeletedBeforeLeavingStaysWithAnUnseenEdit() async throws {
    let milk = try bob.todo("Milk")
    try bob.database.write { try $0.delete(milk.node) }
    try removeList(bob)
    try alice.edit("Milk", to: "Oat milk")
    try await alice.sync()
    try await settle()
    #expect(try alice.titles("Groceries") == ["Oat milk"])
    #expect(try bob.unsent() == 0)
    #expect(try bob.quarantine().isEmpty)
  }

  /// A deletion in it that was refused kept the branch when its nodes went: it is read again, and the deletion stands as it did.
  @Test func aListThatWasLeftWithARefusedDeletionComesBackWhole() async throws {
    let phone = try await bob.second("phone", "bob", in: world)
    try alice.add("Groceries", "Bread")
    try await settle()
    try await phone.sync()
    let milk = try bob.todo("Milk")
    try bob.database.write { try $0.delete(milk.node) }
    try phone.edit("Milk", to: "Oat milk")
    try alice.database.write { transaction in
      let list = try transaction.lists()[0]
      try transaction.recursiveAddShareItem(ShareItem(role: .viewer), forUserID: bob.user(), nodeID: list.node)
    }
    try await alice.sync()
    try await bob.sync()
    try removeList(bob)
    try await bob.sync()
    #expect(try bob.database.read { try $0.lists() }.isEmpty)
    try await phone.sync()
    #expect(try phone.titles("Groceries") == ["Bread", "Oat milk"])
    try await alice.share("Groceries", with: "bob", role: .viewer)
    try await alice.sync()
    try await bob.sync()
    try bob.accept()
    try await settle()
    #expect(try bob.titles("Groceries") == ["Bread"])
    #expect(try bob.quarantine().isEmpty)
    // Given up, it takes nothing away.
    try bob.database.write { transaction in
      for operation in try transaction.operations() { try transaction.discardOperation(operation.sequence) }
    }
    #expect(try bob.titles("Groceries") == ["Bread", "Milk"])
  }

  @Test func anothersListIsLeft() async throws {
    try removeList(bob)
    try await settle()
    #expect(try bob.database.read { try $0.lists() }.isEmpty)
    #expect(try alice.titles("Groceries") == ["Milk"])
  }

  @Test func onesOwnStaysWhileOthersShareIt() throws {
    #expect(throws: ShareError.ownerStays) { try removeList(alice) }
    #expect(try alice.titles("Groceries") == ["Milk"])
    #expect(try alice.unsent() == 0)
  }

  /// Who shares it may leave it later, and then nobody would find again what is on it.
  @Test func onesOwnComesBackIfADeviceLetsGoOfIt() async throws {
    try laptop.add("Groceries", "Champagne")
    try alice.letGo("Groceries")
    try await alice.sync()
    try await settle()
    let list = try bob.database.read { try $0.lists()[0].node }
    try bob.database.write { _ = try $0.leave(list) }
    try await settle()
    for device in [alice, laptop] {
      #expect(try device.titles("Groceries") == ["Champagne", "Milk"])
      #expect(try device.unsent() == 0)
    }
    #expect(try bob.database.read { try $0.lists() }.isEmpty)
  }

  /// It is given to bob on one of his devices, while another takes it off his tree as somebody else's.
  @Test func whatBecomesOnesOwnMeanwhileComesBack() async throws {
    let phone = try await bob.second("phone", "bob", in: world)
    try await settle()
    try await phone.sync()
    let friend = try bob.user()
    try alice.database.write { transaction in
      let list = try transaction.lists()[0]
      try transaction.offerOwnership(of: list.node, to: friend, title: list.title)
    }
    try await settle()
    try bob.accept()
    try removeList(phone)
    try await bob.sync()
    try await phone.sync()
    try await settle()
    try await phone.sync()
    for device in [bob, phone] {
      #expect(try device.titles("Groceries") == ["Milk"])
      #expect(try device.unsent() == 0)
    }
    #expect(try bob.database.read { try $0.permissions(of: $0.lists()[0].branch)?.body.owner } == friend)
  }

  /// It is given away and left on one device; another has read neither, and reads that its pointer went.
  @Test func whatWasGivenAwayAndLeftGoesFromEveryDevice() async throws {
    let friend = try bob.user()
    try alice.database.write { transaction in
      let list = try transaction.lists()[0]
      try transaction.offerOwnership(of: list.node, to: friend, title: list.title)
    }
    for device in [alice, bob] { try await device.sync() }
    try bob.accept()
    for device in [bob, alice, bob] { try await device.sync() }
    try alice.database.write { _ = try $0.leave($0.lists()[0].node) }
    try await alice.sync()
    try await settle()
    for device in [alice, laptop] {
      #expect(try device.database.read { try $0.lists() }.isEmpty)
      #expect(try device.database.read { try $0.troubles() }.isEmpty)
    }
    #expect(try bob.titles("Groceries") == ["Milk"])
  }
}
