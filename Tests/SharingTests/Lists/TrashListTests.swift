import Sharing
import TestSupport
import Testing
import TodoCore
import Treesystem

/// A list that was removed by mistake is not gone.
@Suite struct TrashListTests {
  @Test func aListInTheTrashIsThereOnAllDevicesAndComesBackWhole() async throws {
    let world = try World(seed: "trash")
    let laptop = try await world.person("alice")
    let list = try laptop.add("Groceries", "Milk")
    try laptop.add("Groceries", "Eggs")
    try await settle(laptop)
    let phone = try await laptop.second("phone", "alice", in: world)
    try await settle(phone, laptop)
    try laptop.add("Groceries", "Bread")
    try laptop.database.write { transaction in try transaction.asAction { try transaction.trashList(list) } }
    try await settle(laptop, phone)
    for device in [laptop, phone] {
      #expect(try device.listNames().isEmpty && device.inTrash() == ["Groceries"])
      #expect(try device.database.read { try $0.briefs(.open).isEmpty && $0.tagsInUse().isEmpty })
      guard case .unknown = try device.database.read({ try $0.findTodo("Milk") }) else {
        Issue.record("a todo of a list in the trash was found")
        return
      }
    }
    let there = try #require(try phone.database.read { try $0.listsInTrash().first })
    _ = try phone.database.write { try $0.restoreList(there) }
    try await settle(phone, laptop)
    for device in [laptop, phone] {
      #expect(try device.inTrash().isEmpty)
      #expect(try device.titles("Groceries").sorted() == ["Bread", "Eggs", "Milk"])
    }
  }

  /// What another device does on it that had not heard of it is seen: the list comes back, whichever of the two syncs first.
  @Test(arguments: [true, false]) func whatIsDoneMeanwhileBringsItBack(_ isRemovedFirst: Bool) async throws {
    let (laptop, phone, list) = try await twoDevices("trash meanwhile")
    try laptop.database.write { try $0.trashList(list) }
    try phone.add("Groceries", "Bread")
    try await settle(isRemovedFirst ? laptop : phone, isRemovedFirst ? phone : laptop)
    try await settle(laptop, phone, laptop)
    for device in [laptop, phone] {
      #expect(try device.inTrash().isEmpty && device.listNames() == ["Groceries"])
      #expect(try device.titles("Groceries").sorted() == ["Bread", "Milk"])
    }
  }

  /// When those have gone with whom it was shared, it does not go out of sight.
  @Test func whoLeavesPutsNothingIntoTheTrash() async throws {
    let world = try World(seed: "trash and leave")
    let (laptop, bob) = (try await world.person("alice"), try await world.person("bob"))
    let list = try laptop.add("Groceries", "Milk")
    try await settle(laptop, bob)
    let phone = try await laptop.second("phone", "alice", in: world)
    try await settle(phone, laptop)
    try await phone.share("Groceries", with: "bob")
    try laptop.database.write { try $0.trashList(list) }
    try await settle(phone, laptop, bob, phone, laptop)
    let friend = try bob.user()
    try phone.database.write { _ = try $0.unshare($0.lists()[0].node, with: friend) }
    try await settle(phone, laptop, phone)
    for device in [laptop, phone] { #expect(try device.listNames() == ["Groceries"] && device.inTrash().isEmpty) }
  }

  @Test func undoTakesItOutAndPutsItBack() async throws {
    let world = try World(seed: "undo trash")
    let alice = try await world.person("alice")
    let list = try alice.add("Groceries", "Milk")
    try alice.database.write { transaction in try transaction.asAction { try transaction.trashList(list) } }
    #expect(try alice.database.write { try $0.undo() }?.steps.map(\.did) == [["removed"]])
    #expect(try alice.listNames() == ["Groceries"])
    try alice.database.write { transaction in try transaction.asAction { try transaction.trashList(list) } }
    let there = try #require(try alice.database.read { try $0.listsInTrash().first })
    _ = try alice.database.write { transaction in try transaction.asAction { try transaction.restoreList(there) } }
    #expect(try alice.database.write { try $0.undo() }?.steps.map(\.did) == [["restored"]])
    #expect(try alice.inTrash() == ["Groceries"])
  }

  /// Its name is free for others, and nothing is added to it by chance.
  @Test func aListInTheTrashTakesNoNameAndIsNotTheDefaultOne() async throws {
    let world = try World(seed: "trash names")
    let alice = try await world.person("alice")
    let list = try alice.add("Todo", "Milk")
    try alice.database.write { transaction in
      try transaction.setDefaultList(list)
      try transaction.trashList(list)
    }
    guard case .none = try alice.database.read({ try $0.defaultList() }) else {
      Issue.record("a list in the trash is the default one")
      return
    }
    try alice.add("Todo", "Tea")
    #expect(try alice.inTrash() == ["Todo"])
    let there = try #require(try alice.database.read { try $0.listsInTrash().first })
    #expect(try alice.database.write { try $0.restoreList(there).name } == "Todo (2)")
    #expect(try alice.titles("Todo") == ["Tea"] && alice.titles("Todo (2)") == ["Milk"])
  }

  /// What others may write to cannot be put out of sight, also where two devices did both at once.
  @Test func aListThatOthersReadIsShown() async throws {
    let world = try World(seed: "shared trash")
    let (laptop, bob) = (try await world.person("alice"), try await world.person("bob"))
    let list = try laptop.add("Groceries", "Milk")
    try await settle(laptop, bob)
    let phone = try await laptop.second("phone", "alice", in: world)
    try await settle(phone, laptop)
    try await phone.share("Groceries", with: "bob")
    try laptop.database.write { try $0.trashList(list) }
    try await settle(phone, laptop, bob, phone)
    for device in [laptop, phone] { #expect(try device.listNames() == ["Groceries"] && device.inTrash().isEmpty) }
    #expect(throws: ShareError.ownerStays) {
      try laptop.database.write { try $0.trashList(#require(try $0.lists().first)) }
    }
  }

  /// Whoever deletes a list for everybody has a copy that can be restored, with nobody on it.
  @Test func aCopyOfAListThatWasDeletedForEverybodyIsInTheTrash() async throws {
    let world = try World(seed: "deleted for all")
    let (alice, bob) = (try await world.person("alice"), try await world.person("bob"))
    let list = try alice.add("Groceries", "Milk")
    try await alice.share("Groceries", with: "bob")
    try await settle(alice, bob)
    try bob.accept()
    try await settle(bob, alice)
    try alice.database.write { transaction in
      try transaction.asAction {
        try transaction.keepInTrash(#require(try transaction.list(list.node)))
        try transaction.close(list.node)
      }
    }
    // What came before is not taken back in its place.
    #expect(throws: ActionEnd.listRemoved) { try alice.database.write { try $0.undo() } }
    try await settle(alice, bob, alice)
    #expect(try alice.listNames().isEmpty && alice.inTrash() == ["Groceries"])
    let copy = try #require(try alice.database.read { try $0.listsInTrash().first })
    let back = try alice.database.write { try $0.restoreList(copy) }
    try await settle(alice)
    #expect(try !back.isShared && alice.titles("Groceries") == ["Milk"])
  }

  @Test func whatIsDeletedForGoodIsOnNoDevice() async throws {
    let (laptop, phone, list) = try await twoDevices("empty trash")
    try laptop.database.write { try $0.trashList(list) }
    try await settle(laptop, phone)
    let there = try phone.database.read { try $0.listsInTrash() }
    // One that was taken out meanwhile stays.
    _ = try phone.database.write { try $0.restoreList(there[0]) }
    try phone.database.write { try $0.deleteForGood(there) }
    #expect(try phone.listNames() == ["Groceries"])
    try phone.database.write { transaction in
      try transaction.trashList(#require(try transaction.lists().first))
      try transaction.deleteForGood(transaction.listsInTrash())
    }
    try await settle(phone, laptop)
    for device in [laptop, phone] { #expect(try device.listNames().isEmpty && device.inTrash().isEmpty) }
  }

  /// Two devices of alice's with a list on them.
  private func twoDevices(_ seed: String) async throws -> (laptop: Device, phone: Device, list: TodoList) {
    let world = try World(seed: seed)
    let laptop = try await world.person("alice")
    let list = try laptop.add("Groceries", "Milk")
    try await settle(laptop)
    let phone = try await laptop.second("phone", "alice", in: world)
    try await settle(phone, laptop)
    return (laptop, phone, list)
  }
}
