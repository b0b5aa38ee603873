import CloudAPI
import Foundation
import Sharing
import Signing
import SwiftProtobuf
import TestSupport
import Testing
import TodoCore
import Treesystem

/// A todo that goes to another list goes there once, with everything that anybody wrote.
@Suite struct MoveTests {
  @Test func aTodoGoesToAnotherSharedList() async throws {
    let friends = try await Movers()
    try friends.alice.move("Milk", to: "Party")
    #expect(try friends.alice.lists() == ["Party/Milk"])
    try await friends.settle()
    try friends.expectAlike(["Party/Milk"])
    try friends.bob.edit("Milk", to: "Oat milk")
    try await friends.settle()
    try friends.expectAlike(["Party/Oat milk"])
  }

  @Test func anEditThatTheMoverHadNotSeenGoesAlong() async throws {
    let friends = try await Movers()
    try friends.bob.edit("Milk", to: "Oat milk")
    try await friends.bob.sync()
    try friends.alice.move("Milk", to: "Party")
    try await friends.settle()
    try friends.expectAlike(["Party/Oat milk"])
  }

  @Test func anUnsentEditOfAnotherMemberFollows() async throws {
    let friends = try await Movers()
    try friends.bob.edit("Milk", to: "Oat milk")
    try friends.alice.move("Milk", to: "Party")
    try await friends.alice.sync()
    try await friends.settle()
    try friends.expectAlike(["Party/Oat milk"])
  }

  /// What became of the todo is told by the next sync.
  @Test func aDestinationThatCannotBeReadForAMomentIsWaitedFor() async throws {
    let friends = try await Movers()
    let party = try friends.alice.branch("Party")
    try friends.bob.move("Milk", to: "Party")
    try await friends.bob.sync()
    try friends.alice.edit("Milk", to: "Oat milk")
    friends.alice.transport.setTamper { request, response in
      guard request.path == Route.pull.path, let page = try? decode(WirePage.self, response.body),
        Array(page.branch) == party.bytes
      else { return response }
      let problem = WireProblem.with { $0.reason = Refusal.tooMany.rawValue }
      return CloudResponse(status: 429, headers: response.headers, body: encode(problem))
    }
    #expect(try await friends.alice.sync().troubles == [party: .tooMany])
    friends.alice.transport.setTamper { _, response in response }
    try await friends.settle()
    try friends.expectAlike(["Party/Oat milk"])
  }

  @Test func anEditComesAlongFromAListThatTheMoverLeft() async throws {
    let friends = try await Movers()
    try friends.bob.edit("Milk", to: "Oat milk")
    try await friends.bob.sync()
    try friends.alice.move("Milk", to: "Party")
    try friends.alice.letGo("Groceries")
    try await friends.settle()
    #expect(try friends.alice.lists() == ["Party/Oat milk"])
    #expect(try friends.bob.lists() == ["Party/Oat milk"])
    #expect(try friends.alice.quarantine().isEmpty)
  }

  @Test func ofTwoWhoMoveItToDifferentListsTheFirstIsHeard() async throws {
    let friends = try await Movers()
    try friends.alice.move("Milk", to: "Party")
    try friends.bob.move("Milk", to: "Work")
    try await friends.alice.sync()
    try await friends.settle()
    try friends.expectAlike(["Party/Milk"])
  }

  @Test func twoWhoMoveItToTheSameListAgree() async throws {
    let friends = try await Movers()
    try friends.alice.move("Milk", to: "Party")
    try friends.bob.move("Milk", to: "Party")
    try friends.bob.tick("Milk")
    try await friends.settle()
    try friends.expectAlike(["Party/✓ Milk"])
  }

  /// Bob's copy was changed by carol before he learns that alice was first: nothing of either is taken away.
  @Test func aCopyThatOthersChangedStays() async throws {
    let friends = try await Movers()
    let carol = try await friends.join("carol", to: "Work")
    try friends.bob.move("Milk", to: "Work")
    // His copy gets through, his tombstone does not.
    friends.bob.transport.loseTombstones()
    _ = try await friends.bob.isStopped()
    try await carol.sync()
    try carol.edit("Milk", to: "Soy milk")
    try await carol.sync()
    try friends.alice.move("Milk", to: "Party")
    try await friends.alice.sync()
    friends.bob.transport.setFate { _ in .delivered }
    try await settle(friends.bob, friends.alice, carol)
    try friends.expectAlike(["Party/Milk", "Work/Soy milk"])
    #expect(try carol.lists() == ["Work/Soy milk"])
  }

  @Test func aTodoThatGoesOutOfSightIsGoneForTheOthers() async throws {
    let friends = try await Movers()
    try friends.alice.add("Private")
    try friends.alice.move("Milk", to: "Private")
    try await friends.settle()
    #expect(try friends.alice.lists() == ["Private/Milk"])
    #expect(try friends.bob.lists() == [])
    try friends.expectQuiet()
  }

  @Test func anUnsentEditBringsItBackWhereItsAuthorCannotFollow() async throws {
    let friends = try await Movers()
    try friends.alice.add("Private")
    try friends.bob.edit("Milk", to: "Oat milk")
    try friends.alice.move("Milk", to: "Private")
    try await friends.alice.sync()
    try await friends.settle()
    #expect(try friends.alice.lists() == ["Groceries/Oat milk", "Private/Milk"])
    #expect(try friends.bob.lists() == ["Groceries/Oat milk"])
    try friends.expectQuiet()
  }

  @Test func anUnsentEditBringsItBackWhereItsAuthorMayOnlyRead() async throws {
    let friends = try await Movers()
    try friends.alice.add("Gallery")
    try await friends.alice.share("Gallery", with: "bob", role: .viewer)
    try await friends.settle()
    try friends.bob.accept()
    try await friends.settle()
    try friends.bob.edit("Milk", to: "Oat milk")
    try friends.alice.move("Milk", to: "Gallery")
    try await friends.alice.sync()
    try await friends.settle()
    try friends.expectAlike(["Gallery/Milk", "Groceries/Oat milk"])
  }

  @Test func whoMayOnlyReadAListTakesNothingFromIt() async throws {
    let friends = try await Movers()
    try friends.alice.add("Gallery", "Picture")
    try await friends.alice.share("Gallery", with: "bob", role: .viewer)
    try await friends.settle()
    try friends.bob.accept()
    try await friends.settle()
    #expect(throws: TreeError.notPermitted) { try friends.bob.move("Picture", to: "Party") }
    #expect(throws: TreeError.notPermitted) { try friends.bob.move("Milk", to: "Gallery") }
  }

  @Test func thereAndBackBeforeASyncIsNoMove() async throws {
    let friends = try await Movers()
    try friends.alice.move("Milk", to: "Party")
    try friends.alice.move("Milk", to: "Groceries")
    try await friends.settle()
    try friends.expectAlike(["Groceries/Milk"])
    let kinds = friends.alice.transport.sentOperations.compactMap(\.change).filter {
      if case .delete = $0 { true } else { false }
    }
    #expect(kinds.isEmpty)
  }

  @Test func thereAndBackWithASyncBetween() async throws {
    let friends = try await Movers()
    for list in ["Party", "Groceries", "Party", "Work", "Groceries"] {
      try friends.alice.move("Milk", to: list)
      try await friends.alice.sync()
    }
    try await friends.settle()
    try friends.expectAlike(["Groceries/Milk"])
    for list in ["Party", "Work"] {
      try friends.alice.move("Milk", to: list)
      try friends.bob.edit("Milk", to: "Milk")
      try await friends.settle()
    }
    try friends.expectAlike(["Work/Milk"])
  }

  @Test func aTodoThatWasNeverSentJustGoes() async throws {
    let friends = try await Movers()
    try friends.alice.add("Groceries", "Eggs")
    try friends.alice.move("Eggs", to: "Party")
    try await friends.settle()
    try friends.expectAlike(["Groceries/Milk", "Party/Eggs"])
  }

  @Test func aDeletionInTheOldListLeavesTheCopy() async throws {
    let friends = try await Movers()
    try friends.alice.move("Milk", to: "Party")
    try friends.bob.deleteForGood("Milk")
    try await friends.bob.sync()
    try await friends.settle()
    try friends.expectAlike(["Party/Milk"])
  }

  @Test func aDeletionOfTheCopyBringsTheOriginalBack() async throws {
    let friends = try await Movers()
    try friends.alice.move("Milk", to: "Party")
    friends.alice.transport.loseTombstones()
    _ = try await friends.alice.isStopped()
    try await friends.bob.sync()
    #expect(try friends.bob.lists() == ["Groceries/Milk", "Party/Milk"])
    try friends.bob.deleteForGood("Milk", in: "Party")
    try await friends.bob.sync()
    friends.alice.transport.setFate { _ in .delivered }
    try await friends.settle()
    try friends.expectAlike(["Groceries/Milk"])
  }

  @Test func aDeletionAfterAMoveDeletesBoth() async throws {
    let friends = try await Movers()
    try friends.alice.move("Milk", to: "Party")
    try friends.alice.deleteForGood("Milk")
    try await friends.settle()
    try friends.expectAlike([])
  }

  @Test func twoSyncsApartTheMoverMeetsEverythingThatIsWritten() async throws {
    let friends = try await Movers()
    try friends.alice.move("Milk", to: "Party")
    friends.alice.transport.loseTombstones()
    _ = try await friends.alice.isStopped()
    // Both copies are to be seen now, and bob writes on both.
    try await friends.bob.sync()
    try friends.bob.edit("Milk", in: "Groceries", to: "Oat milk")
    try friends.bob.tick("Milk", in: "Party")
    try await friends.bob.sync()
    friends.alice.transport.setFate { _ in .delivered }
    try await friends.settle()
    try friends.expectAlike(["Party/✓ Oat milk"])
  }

  @Test func aListThatIsRemovedAfterItsTodosLeftTakesNothingWithIt() async throws {
    let friends = try await Movers()
    try friends.alice.add("Private", "Bread")
    try await friends.settle()
    try friends.alice.move("Bread", to: "Party")
    try friends.alice.database.write { transaction in
      try transaction.removeList(
        try transaction.lists().first { $0.name == "Private" } ?? { throw TreeError.noParent }())
    }
    try await friends.settle()
    try friends.expectAlike(["Groceries/Milk", "Party/Bread"])
  }

  @Test func anotherDeviceOfTheMoverSeesTheSame() async throws {
    let friends = try await Movers()
    let tablet = try await friends.alice.second("tablet", "alice", in: friends.world)
    try tablet.edit("Milk", to: "Oat milk")
    try friends.alice.move("Milk", to: "Party")
    try await friends.alice.sync()
    try await settle(tablet, friends.alice, friends.bob)
    try friends.expectAlike(["Party/Oat milk"])
    #expect(try tablet.lists() == ["Party/Oat milk"])
  }
}

/// Alice and bob, who share the lists Groceries, with Milk on it, Party and Work.
struct Movers: @unchecked Sendable {
  let world: World
  let alice: Device
  let bob: Device

  private static let template = Task { try await Movers(making: World(seed: "movers")) }

  /// A copy of friends who were introduced once.
  init() async throws {
    let template = try await Self.template.value
    world = try World(copying: template.world, seed: Base32.encode(SystemEntropy().bytes(10)))
    alice = try world.device("alice")
    bob = try world.device("bob")
  }

  private init(making world: World) async throws {
    self.world = world
    alice = try await world.person("alice")
    bob = try await world.person("bob")
    try alice.add("Groceries", "Milk")
    for list in ["Groceries", "Party", "Work"] {
      try alice.add(list)
      try await alice.share(list, with: "bob")
      try await alice.sync()
      try await bob.sync()
      try bob.accept()
    }
    try await bob.sync()
  }

  /// Somebody else who gets one of the lists.
  func join(_ handle: String, to list: String) async throws -> Device {
    let device = try await world.person(handle)
    try await alice.share(list, with: handle)
    try await alice.sync()
    try await device.sync()
    try device.accept()
    try await device.sync()
    return device
  }

  func settle() async throws {
    try await SharingTests.settle(bob, alice)
    try await SharingTests.settle(alice, bob)
  }

  /// Both see exactly this, and nobody has anything left to say.
  func expectAlike(_ todos: [String], _ comment: Comment? = nil) throws {
    #expect(try alice.lists() == todos, comment)
    #expect(try bob.lists() == todos, comment)
    try expectQuiet(comment)
  }

  func expectQuiet(_ comment: Comment? = nil) throws {
    for device in [alice, bob] {
      #expect(try device.unsent() == 0, comment)
      #expect(try device.quarantine().isEmpty, comment)
      #expect(try device.database.read { try $0.troubles() }.isEmpty, comment)
    }
  }
}

extension Device {
  /// Everything on every list.
  func lists() throws -> [String] {
    try database.read { transaction in
      try transaction.lists().flatMap { list in
        let open = try transaction.todos(in: list.node, .open).map { "\(list.name)/\($0.title)" }
        return try open + transaction.todos(in: list.node, .done).map { "\(list.name)/✓ \($0.title)" }
      }.sorted()
    }
  }

  func todo(_ title: String, in name: String?) throws -> Todo {
    try database.read { transaction in
      for list in try transaction.lists() where name == nil || list.name == name {
        let todos = try transaction.todos(in: list.node, .open) + transaction.todos(in: list.node, .done)
        if let todo = todos.first(where: { $0.title == title }) { return todo }
      }
      throw TreeError.noSuchNode
    }
  }

  func move(_ title: String, in list: String? = nil, to name: String) throws {
    let todo = try todo(title, in: list)
    try database.write { transaction in
      guard let list = try transaction.lists().first(where: { $0.name == name }) else { throw TreeError.noParent }
      try transaction.moveTodo(todo, to: list.node)
    }
  }

  func edit(_ title: String, in list: String, to new: String) throws {
    let todo = try todo(title, in: list)
    try database.write { try $0.setTitle(try Title(new), of: todo) }
  }

  func tick(_ title: String, in list: String) throws {
    let todo = try todo(title, in: list)
    try database.write { try $0.setDone(true, todo) }
  }

  func deleteForGood(_ title: String, in list: String? = nil) throws {
    let todo = try todo(title, in: list)
    try database.write { try $0.delete(todo.node) }
  }
}

extension InProcessTransport {
  /// Batches that hold a tombstone do not arrive.
  func loseTombstones() {
    setFate { request in
      let batch = request.path == Route.batch.path ? try? decode(WireBatch.self, request.body) : nil
      let deletes = batch?.operations.contains { if case .delete = $0.change { true } else { false } } ?? false
      return deletes ? .lost : .delivered
    }
  }
}
