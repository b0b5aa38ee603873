import CloudAPI
import CloudServer
import Foundation
import Sealing
import Signing
import SwiftProtobuf
import TestSupport
import Testing
import TodoCore

@testable import Sharing
@testable import TodoCLI
@testable import Treesystem

/// Bad input around sharing, one row each: what people are told and with which exit status, that nothing is lost, and that everything
/// goes on afterwards.
@Suite struct BadInputTests {
  private let world: World
  private let alice: Device
  private let bob: Device

  /// Alice shares Groceries with bob, and has written something that is not sent yet.
  init() async throws {
    (alice, bob, world) = try await sharedList(seed: "bad-input")
    try alice.add("Groceries", "Bread")
  }

  private func user(_ device: Device) throws -> UserID { try device.database.read { try $0.requireAccount().user } }

  private func groceries(_ device: Device) throws -> NodeID {
    try device.database.read { try #require(try $0.lists().first).node }
  }

  /// Two lines and an exit status, as a command says them.
  private func says(
    _ exit: Exit, _ message: String, _ body: () async throws -> Void
  ) async {
    do {
      try await body()
      Issue.record("taken; expected: \(message)")
    } catch {
      let complaint = TodoCLI.Complaint(error)
      #expect(complaint.exit == exit && complaint.message == message)
      #expect(!complaint.hint.isEmpty)
    }
  }

  /// What alice had not sent arrives, both see the same, and the server answers.
  private func goesOn() async throws {
    let health = CloudRequest(method: "GET", authority: "test", path: Route.health.path, headers: [:], body: [])
    #expect(world.cloud.handle(health).status == 200)
    try await settle(alice, bob)
    for device in [alice, bob] {
      #expect(try device.titles("Groceries") == ["Bread", "Milk"])
      #expect(try device.unsent() == 0 && device.quarantine().isEmpty)
    }
  }

  // MARK: Words and codes

  @Test func wrongWords() async throws {
    let root = try #require(try alice.database.read { try $0.root() })
    let words = RecoveryWords(root: root).words
    let laptop = try world.device("laptop")
    await says(.badData, "these are 3 words, not 24") { _ = try RecoveryWords(text: "milk bread eggs") }
    await says(.badData, "word 1 is not one of the words that are used") {
      _ = try RecoveryWords(text: (["xyzzy"] + words.dropFirst()).joined(separator: " "))
    }
    await says(.unknownUser, "the server knows nobody with these words") {
      try await laptop.session.logIn(
        root: RootKey(entropy: SecretBytes(SystemEntropy().bytes(32))), handle: "alice", server: "test")
    }
    await says(.unknownUser, "these words belong to 'alice'") {
      try await laptop.session.logIn(root: root, handle: "bob", server: "test")
    }
    #expect(try laptop.database.read { try $0.account() } == nil)
    try await goesOn()
  }

  /// Bob's new laptop asks, and bob types another code three times: nothing is added, and the next attempt goes through.
  @Test func wrongCodeThreeTimes() async throws {
    let laptop = try world.device("laptop")
    func compare() async throws -> LoginCode {
      _ = try await laptop.session.askToLogIn(handle: "bob", server: "test", name: "laptop")
      _ = try await bob.session.logins()
      guard case .comparing(let code) = try await laptop.session.loginStep() else { throw LogInFailure.loginEnded }
      return code
    }
    let code = try await compare()
    let wrong = try #require(LoginCode(text: code.description == "0000-0000" ? "1111-1111" : "0000-0000"))
    for _ in 1...2 {
      await says(.notVerified, "no device that wants to be added shows this code") {
        _ = try await bob.session.login(showing: wrong)
      }
    }
    await says(.notVerified, "too many wrong codes: nothing is added") {
      _ = try await bob.session.login(showing: wrong)
    }
    await says(.notFound, "no such device wants to be added") { _ = try await bob.session.login(showing: code) }
    await says(.notPermitted, "another device of yours refused to add this one, or was given a wrong code three times")
    {
      _ = try await laptop.session.loginStep()
    }
    let again = try await compare()
    _ = try await bob.session.approve(bob.session.login(showing: again).id, code: again)
    try await goesOn()
  }

  @Test func expiredLoginCode() async throws {
    let laptop = try world.device("laptop")
    _ = try await laptop.session.askToLogIn(handle: "bob", server: "test", name: "laptop")
    _ = try await bob.session.logins()
    guard case .comparing(let code) = try await laptop.session.loginStep() else { throw LogInFailure.loginEnded }
    _ = try await bob.session.logins()
    let before = bob.transport.traffic.with { $0.last { $0.request.path == Route.openLogins.path }?.response }
    world.clock.advance(Limits.loginLife)
    #expect(try await bob.session.logins().isEmpty)
    await says(.notFound, "no such device wants to be added") { _ = try await bob.session.login(showing: code) }
    // Nor where a server does not let it end.
    bob.transport.setStandIn { $0.path == Route.openLogins.path ? before : nil }
    await says(.notFound, "no such device wants to be added") { _ = try await bob.session.login(showing: code) }
    bob.transport.setStandIn { _ in nil }
    laptop.transport.clearTraffic()
    await says(.tryAgain, "it was not approved within ten minutes, or the server was started again") {
      _ = try await laptop.session.loginStep()
    }
    #expect(laptop.transport.traffic.with { $0.isEmpty }, "it knows by itself")
    try await goesOn()
  }

  private func makeCode() throws -> InviteCode {
    try alice.database.write { transaction in
      let list = try transaction.lists()[0]
      return try transaction.makeCode(for: list.node, role: .editor, title: list.title, note: "")
    }
  }

  private func members() throws -> Int { try alice.database.read { try $0.members(of: $0.lists()[0].node).count } }

  @Test func expiredInviteCode() async throws {
    let (code, carol) = (try makeCode(), try await world.person("carol"))
    let inviter = try user(alice)
    try carol.database.write { try $0.claim(code, of: inviter) }
    world.clock.advance(7 * 24 * 3600 * 1000 + 1)
    try await settle(carol, alice, carol)
    #expect(try members() == 2 && carol.listNames().isEmpty)
    #expect(try carol.database.read { try !$0.isAnswered(code) })
    try await goesOn()
  }

  @Test func ownInviteCode() async throws {
    let (code, inviter) = (try makeCode(), try user(alice))
    await says(.usage, "that is you") { try alice.database.write { try $0.claim(code, of: inviter) } }
    try await goesOn()
  }

  @Test func twoPeopleAcceptOneCodeAtOnce() async throws {
    let (code, inviter) = (try makeCode(), try user(alice))
    let (carol, dave) = (try await world.person("carol"), try await world.person("dave"))
    for device in [carol, dave] { try device.database.write { try $0.claim(code, of: inviter) } }
    // Both claims lie there before alice's device answers either.
    for device in [carol, dave] { try await device.sync() }
    try await settle(alice, carol, dave)
    #expect(try members() == 3)
    #expect(try [carol, dave].filter { try !$0.listNames().isEmpty }.count == 1)
    try await goesOn()
  }

  // MARK: People and roles

  @Test func unknownUser() async throws {
    await says(.unknownUser, "no user 'nobody'") { try await alice.share("Groceries", with: "nobody") }
    #expect(try await alice.session.lookUp(handle: "no-such-name") == nil)
    try await goesOn()
  }

  @Test func sharingWithYourself() async throws {
    await says(.usage, "that is you") { try await alice.share("Groceries", with: "alice") }
    try await goesOn()
  }

  @Test func unsharingTheOwner() async throws {
    let owner = try user(alice)
    await says(.notPermitted, "your role does not let you share this list") {
      let list = try groceries(bob)
      try bob.database.write { _ = try $0.unshare(list, with: owner) }
    }
    try await alice.share("Groceries", with: "bob", role: .admin)
    try await settle(alice, bob)
    await says(.notPermitted, "the owner's role cannot be changed") {
      let list = try groceries(bob)
      try bob.database.write { _ = try $0.unshare(list, with: owner) }
    }
    try await goesOn()
  }

  /// Whoever owns a list cannot leave it behind without anybody who may manage it; an admin can go, because the owner stays.
  @Test func lastAdminLeaving() async throws {
    try await alice.share("Groceries", with: "bob", role: .admin)
    try await settle(alice, bob)
    await says(.notPermitted, "the owner's role cannot be changed") {
      let list = try groceries(alice)
      try alice.database.write { _ = try $0.leave(list) }
    }
    let list = try groceries(bob)
    try bob.database.write { _ = try $0.leave(list) }
    try await settle(bob, alice)
    #expect(try bob.listNames().isEmpty && members() == 1)
    try await alice.share("Groceries", with: "bob")
    try await settle(alice, bob)
    try bob.accept()
    try await goesOn()
  }

  /// Of a stranger's thousand messages a hundred arrive, invitations all of them, and the one that counts is there.
  @Test func aThousandInvitationsFromAStranger() async throws {
    let (mallory, carol) = (try await world.person("mallory"), try await world.person("carol"))
    let (victim, stranger) = (try user(carol), try user(mallory))
    let lookedUp = try await mallory.session.lookUp(handle: "carol")
    #expect(lookedUp?.user == victim)
    try mallory.database.write { transaction in
      for number in 1...110 {
        let prize = try transaction.makeList("Prize \(number)")
        try transaction.addTodos([Title("Win it")], to: prize.node)
        try transaction.share(prize.node, with: victim, role: .editor, title: prize.title, note: "")
      }
    }
    // Those of lists that are not there are sent by nobody; what else there is counts the same.
    try mallory.database.write { transaction in
      for _ in 111...1000 {
        var message = SealedMessage()
        message.decline.branch = data(CloudID.random(transaction.entropy).bytes)
        try transaction.sendMessage(message, toRecipients: [victim], withDependencies: [])
      }
    }
    try await mallory.sync()
    let inbox = Trunk.inbox.cloudID(of: victim)
    let taken = try world.storage.read { try $0.messageCount(in: inbox, by: stranger) }
    #expect(taken == 100)
    let waiting = try mallory.database.read { transaction in
      try transaction.operations().count { try transaction.obstacle(to: $0) == .inboxFull }
    }
    #expect(waiting == 900)
    try await alice.share("Groceries", with: "carol")
    try await settle(alice, carol)
    let invites = try carol.invites()
    #expect(invites.count <= 101 && invites.contains { $0.title == "Groceries" })
    #expect(try carol.listNames().isEmpty)
    try carol.database.write { transaction in
      let invite = try #require(try transaction.invites().first { $0.title == "Groceries" })
      try transaction.graftInvite(invite.number)
    }
    try await settle(carol, alice)
    #expect(try carol.titles("Groceries") == ["Bread", "Milk"])
    try await goesOn()
  }

  // MARK: Clocks

  /// A laptop whose clock is a year off writes and reads like any other, and others go on editing what it wrote.
  @Test(arguments: [-365, 365]) func aClockAYearOff(_ days: Int64) async throws {
    let root = try #require(try alice.database.read { try $0.root() })
    let wrong = ManualClock(world.clock.now() + days * 24 * 3600 * 1000)
    let laptop = try Device(
      path: world.folder.appendingPathComponent("laptop.db").path, transport: InProcessTransport(world.cloud),
      clock: wrong, entropy: SeededEntropy("laptop"))
    try await laptop.session.logIn(root: root, handle: "alice", server: "test")
    try await laptop.sync()
    try laptop.add("Groceries", "Wine")
    try await settle(laptop, bob)
    try bob.edit("Wine", to: "Red wine")
    try await settle(bob, laptop)
    #expect(try laptop.titles("Groceries") == ["Milk", "Red wine"])
    try laptop.edit("Red wine", to: "White wine")
    try await settle(laptop, bob, alice)
    for device in [alice, bob, laptop] {
      #expect(try device.titles("Groceries") == ["Bread", "Milk", "White wine"])
      let wine = try device.todo("White wine")
      try device.database.write { try $0.delete(wine.node) }
      try await settle(device, alice, bob, laptop)
      try device.add("Groceries", "White wine")
      try await settle(device, alice, bob, laptop)
    }
    let wine = try alice.todo("White wine")
    try alice.database.write { try $0.delete(wine.node) }
    try await goesOn()
  }
}
