import CloudAPI
import CloudServer
import Foundation
import GRDB
import Sharing
import Signing
import SwiftProtobuf
import TestSupport
import Testing
import TodoCore
import Treesystem

/// Coming and going: what is on the device stays there unless its owner says otherwise.
@Suite struct AccountTests {
  @Test func aSignUpWhoseReplyWasLostIsResumedWithTheSameIdentity() async throws {
    for fate in [InProcessTransport.Fate.lost, .replyLost] {
      let world = try World()
      let alice = try world.device("alice")
      try alice.addList("Groceries", "milk")
      alice.transport.setFate { _ in fate }
      await #expect(throws: CloudFailure.unreachable) {
        try await alice.session.signUp(handle: "alice", server: "test")
      }
      #expect(try !alice.isSignedIn())
      #expect(try alice.titles() == ["Groceries/milk"])
      alice.transport.setFate { _ in .delivered }
      try await alice.session.signUp(handle: "alice", server: "test")
      let sent = alice.bodies(.accounts)
      #expect(sent.count == 2)
      #expect(sent[0] == sent[1])
      try await alice.sync()
      #expect(try alice.unsent() == 0)
      await #expect(throws: TreeError.alreadySignedIn) {
        try await alice.session.signUp(handle: "alice", server: "test")
      }
    }
  }

  @Test func aSignUpThatIsRefusedLeavesTheListsAsTheyWere() async throws {
    let closed = try World(policy: .closed)
    try await refuse(closed, .signUpClosed)
    let taken = try World()
    _ = try await taken.person("alice")
    try await refuse(taken, .handleTaken)
    let token = try World(policy: .token(SecretBytes(Array("swordfish".utf8))))
    let device = try await refuse(token, .tokenWrong)
    try await device.session.signUp(handle: "alice", server: "test", token: "swordfish")
    try await device.sync()
    #expect(try device.unsent() == 0)
    #expect(try device.titles() == ["Groceries/milk"])
  }

  @discardableResult
  private func refuse(_ world: World, _ reason: Refusal) async throws -> Device {
    let device = try world.device("newcomer")
    try device.addList("Groceries", "milk")
    let unsent = try device.unsent()
    await #expect(throws: CloudFailure.refused(reason)) {
      try await device.session.signUp(handle: "alice", server: "test")
    }
    #expect(try !device.isSignedIn())
    #expect(try device.titles() == ["Groceries/milk"])
    #expect(try device.unsent() == unsent)
    #expect(try device.database.read { try $0.root() } == nil)
    try device.rename("milk", to: "oat milk")
    try device.rename("oat milk", to: "milk")
    return device
  }

  @Test func aRefusedHandleCanBeFollowedByAnother() async throws {
    let world = try World()
    _ = try await world.person("alice")
    let device = try await refuse(world, .handleTaken)
    try await device.session.signUp(handle: "alicia", server: "test")
    try await device.sync()
    #expect(try device.unsent() == 0)
    let root = try #require(try device.database.read { try $0.root() })
    let laptop = try world.device("laptop")
    try await laptop.session.logIn(root: root, handle: "alicia", server: "test")
    try await laptop.sync()
    #expect(try laptop.titles() == ["Groceries/milk"])
  }

  @Test func logInWithUnknownWordsOrAnotherHandleStoresNothing() async throws {
    let world = try World()
    let alice = try await world.person("alice")
    let root = try #require(try alice.database.read { try $0.root() })
    let laptop = try world.device("laptop")
    try laptop.addList("Groceries", "milk")
    await #expect(throws: LogInFailure.unknownWords) {
      let stranger = RootKey(entropy: SecretBytes(SystemEntropy().bytes(32)))
      try await laptop.session.logIn(root: stranger, handle: "alice", server: "test")
    }
    await #expect(throws: LogInFailure.otherHandle("alice")) {
      try await laptop.session.logIn(root: root, handle: "bob", server: "test")
    }
    laptop.transport.setCloud(nil)
    await #expect(throws: CloudFailure.unreachable) {
      try await laptop.session.logIn(root: root, handle: "alice", server: "test")
    }
    laptop.transport.setCloud(world.cloud)
    #expect(laptop.bodies(.keyringAppend).isEmpty)
    #expect(try !laptop.isSignedIn())
    #expect(try laptop.database.read { try $0.root() } == nil)
    #expect(try laptop.titles() == ["Groceries/milk"])
    await #expect(throws: TreeError.notSignedIn) { try await laptop.sync() }
    try await laptop.session.logIn(root: root, handle: "alice", server: "test")
    try await laptop.sync()
    #expect(try laptop.unsent() == 0)
  }

  /// It is told of the keyring as it was before its first attempt, whose answer was lost.
  @Test func logInGoesOnWithAKeyringThatHasGrownMeanwhile() async throws {
    let world = try World()
    let alice = try await world.person("alice")
    let root = try #require(try alice.database.read { try $0.root() })
    let laptop = try world.device("laptop")
    let answers = Locked<[CloudResponse]>([])
    laptop.transport.setTamper { request, response in
      guard request.path == Route.keyrings.path else { return response }
      return answers.with { answers in
        answers.append(response)
        return answers.count == 2 ? answers[0] : response
      }
    }
    laptop.transport.setFate { $0.path == Route.keyringAppend.path ? .replyLost : .delivered }
    await #expect(throws: CloudFailure.unreachable) {
      try await laptop.session.logIn(root: root, handle: "alice", server: "test")
    }
    laptop.transport.setFate { _ in .delivered }
    try await laptop.session.logIn(root: root, handle: "alice", server: "test")
    #expect(laptop.bodies(.keyringAppend).count == 3)
    try laptop.addList("Groceries", "milk")
    try await laptop.sync()
    #expect(try laptop.unsent() == 0)
  }

  @Test func logOutTakesEverythingOfTheAccountOffTheDevice() async throws {
    let world = try World()
    let (alice, bob) = (try await world.person("alice"), try await world.person("bob"))
    try alice.addList("Groceries", "milk")
    let root = try #require(try alice.database.read { try $0.root() })
    try await bob.share(bob.addList("Party"), with: "alice")
    try await bob.sync()
    try await alice.sync()
    #expect(try alice.database.read { try $0.invites().count } == 1)
    try alice.database.write { try $0.logOut() }
    #expect(try !alice.isSignedIn())
    #expect(try alice.titles().isEmpty)
    #expect(try alice.unsent() == 0)
    #expect(try alice.database.read { try $0.invites() }.isEmpty)
    #expect(try alice.database.read { try $0.people() }.isEmpty)
    try expectNoKeys(alice)
    try await alice.session.logIn(root: root, handle: "alice", server: "test")
    try await alice.sync()
    #expect(try alice.titles() == ["Groceries/milk"])
    #expect(try alice.database.read { try $0.invites().map(\.senderName) } == ["bob"])
    try await alice.share(alice.addList("Picnic", "cake"), with: "bob")
    #expect(try await alice.sync().unsent == 0)
    try await bob.sync()
    #expect(try bob.database.read { try $0.invites().map(\.title) } == ["Picnic"])
  }

  @Test func logOutWithUnsentChangesLosesExactlyThose() async throws {
    let world = try World()
    let alice = try await world.person("alice")
    try alice.addList("Groceries", "milk")
    try await alice.sync()
    let root = try #require(try alice.database.read { try $0.root() })
    try alice.addList("Secret", "diary")
    try alice.rename("milk", to: "oat milk")
    #expect(try alice.unsent() > 0, "what callers ask about first")
    try alice.database.write { try $0.logOut() }
    #expect(try alice.unsent() == 0)
    #expect(try alice.titles().isEmpty)
    try expectNoKeys(alice)
    try alice.addList("Local", "bread")
    try await alice.session.logIn(root: root, handle: "alice", server: "test")
    try await alice.sync()
    #expect(try alice.titles() == ["Groceries/milk", "Local/bread"])
    #expect(try alice.unsent() == 0)
  }

  @Test func anotherPersonOnThisDeviceFindsNothingOfTheOneBefore() async throws {
    let world = try World()
    let alice = try await world.person("alice")
    try alice.addList("Groceries", "milk")
    try await alice.sync()
    try alice.database.write { try $0.logOut() }
    try await alice.session.signUp(handle: "carol", server: "test")
    try await alice.sync()
    #expect(try alice.titles().isEmpty)
    #expect(try alice.database.read { try $0.lists() }.isEmpty)
    try alice.addList("Work", "mail")
    #expect(try await alice.sync().unsent == 0)
  }

  private func expectNoKeys(_ device: Device) throws {
    try device.database.read { transaction in
      for table in ["account", "user_keys", "keyrings", "branch_keys", "lines", "permissions", "node_states"] {
        #expect(try Int.fetchOne(transaction.db, sql: "SELECT count(*) FROM \(table)") == 0, "\(table)")
      }
      let keys = try Int.fetchOne(
        transaction.db, sql: "SELECT count(*) FROM nodes WHERE node_key IS NOT NULL OR name_key IS NOT NULL")
      #expect(keys == 0)
    }
  }
}

extension Device {
  fileprivate func share(_ list: TodoList, with handle: String) async throws {
    let person = try #require(try await session.lookUp(handle: handle))
    try database.write { transaction in
      try transaction.share(list.node, with: person.user, role: .editor, title: list.title, note: "")
    }
  }
}
