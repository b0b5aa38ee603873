import CloudAPI
import GRDB
import Lies
import Signing
import TestSupport
import Testing
import TodoCore
import Treesystem

@testable import Sharing

/// A code that lets nobody in any more says why, to whoever proves that they have it, and to nobody else.
@Suite struct DeadCodeTests {
  private let world: World
  private let alice: Device
  private let bob: Device

  init() async throws {
    world = try World(seed: "dead codes")
    alice = try await world.person("alice")
    bob = try await world.person("bob")
    try alice.add("Groceries", "Milk")
    try alice.add("Home", "Door")
    try await alice.sync()
  }

  private func makeCode(_ name: String = "Groceries") throws -> InviteCode {
    try alice.database.write { transaction in
      let lists = try transaction.lists()
      let list = try #require(lists.first { $0.name == name })
      return try transaction.makeCode(for: list.node, role: .editor, title: list.title, note: "")
    }
  }

  private func claim(_ code: InviteCode, _ device: Device) async throws {
    let inviter = try #require(try await device.session.lookUp(handle: code.handle))
    try device.database.write { try $0.claim(code, of: inviter.user) }
    try await device.sync()
  }

  private func dead(_ device: Device) throws -> [DeadCode?] {
    try device.database.read { try $0.openClaims().map(\.dead) }
  }

  private func guess(_ code: InviteCode, _ device: Device) async throws {
    let user = try alice.database.read { try $0.requireAccount().user }
    try device.database.write { transaction in
      var message = SealedMessage()
      message.claim.code = data(code.id)
      message.claim.proof = data([UInt8](repeating: 1, count: 32))
      try transaction.sendMessage(message, toRecipients: [user], withDependencies: [])
    }
    try await device.sync()
  }

  @Test(arguments: [DeadCode.withdrawn, .expired, .used, .guessed, .notShared])
  func whoHasItHearsWhy(reason: DeadCode) async throws {
    let code = try makeCode()
    let mallory = try await world.person("mallory")
    switch reason {
    case .withdrawn:
      let branch = try alice.branch("Groceries")
      #expect(try alice.database.write { try $0.withdrawCodes(for: branch) } == 1)
    // By the clock of the device that made it; it is not late for whoever types it now.
    case .expired: world.clock.advance(7 * 24 * 3600 * 1000 + 1)
    case .used:
      try await claim(code, mallory)
      try await alice.sync()
    case .guessed: for _ in 0..<3 { try await guess(code, mallory) }
    default:
      try alice.letGo("Groceries")
    }
    try await claim(code, bob)
    #expect(try dead(bob) == [nil])
    try await settle(alice, bob)
    #expect(try dead(bob) == [reason])
    #expect(try bob.listNames().isEmpty && bob.invites().isEmpty)
    // It is asked no second time, and can be forgotten.
    try await claim(code, bob)
    #expect(try dead(bob) == [reason] && bob.unsent() == 0)
    try bob.database.write { transaction in
      for claim in try transaction.openClaims() { try transaction.dismiss(claim) }
    }
    #expect(try dead(bob).isEmpty)
    #expect(try alice.quarantine().isEmpty && bob.quarantine().isEmpty)
  }

  /// Whoever is kept out reads what everybody reads who gets no answer, and so learns nothing of it; and they do not wait for ever.
  @Test func whoIsKeptOutReadsWhatAllReadWhoGetNoAnswer() async throws {
    let carol = try await world.person("carol")
    let dave = try await world.person("dave")
    try dave.add("Home", "Window")
    try await dave.sync()
    let asleep = try dave.database.write { transaction in
      try transaction.makeCode(for: transaction.lists()[0].node, role: .editor, title: "Home", note: "")
    }
    let code = try makeCode()
    _ = try await alice.session.lookUp(handle: "bob")
    let kept = try bob.user()
    try alice.database.write { try $0.setBlocked(kept) }
    try await claim(code, bob)
    try await claim(asleep, carol)
    var said: [[String]] = []
    for days: Int64 in [0, 1, 6] {
      world.clock.advance(days * 24 * 3600 * 1000 + 1)
      try await settle(alice, bob, carol)
      let claims = try [bob, carol].map { try $0.database.read { try $0.openClaims() } }
      #expect(claims.allSatisfy { $0.count == 1 })
      let words = claims.joined().map { "\($0.isLate) \($0.dead?.rawValue ?? "waits")" }
      #expect(Set(words).count == 1)
      said.append(Array(Set(words)))
    }
    #expect(said == [["false waits"], ["true waits"], ["true unanswered"]])
  }

  /// The device that made it is none any more: nobody answers. Another one that came later never had it.
  @Test func aCodeEndsWithTheDeviceThatMadeIt() async throws {
    let root = try #require(try alice.database.read { try $0.root() })
    try await claim(makeCode(), bob)
    #expect(try dead(bob) == [nil])
    try await alice.session.endThisDevice()
    world.clock.advance(1000)
    let phone = try world.device("phone")
    try await phone.session.logIn(root: root, handle: "alice", server: "test")
    try await settle(phone, bob)
    #expect(try dead(bob) == [.deviceEnded])
  }

  /// While any device that was there is left, it may be the one.
  @Test func aCodeWaitsForEachDeviceThatCouldHaveMadeIt() async throws {
    let phone = try await alice.second("phone", "alice", in: world)
    try await claim(makeCode(), bob)
    try await phone.session.endDevice(alice.own().device, withAdded: false)
    try await settle(phone, bob)
    #expect(try dead(bob) == [nil])
  }

  /// Who made it has lost the letter that lets somebody in.
  @Test func whoMayShareNoMoreLetsNobodyIn() async throws {
    try await alice.share("Groceries", with: "bob", role: .admin)
    try await settle(alice, bob)
    try bob.accept()
    try await settle(bob, alice)
    let code = try bob.database.write { transaction in
      let list = try transaction.lists()[0]
      return try transaction.makeCode(for: list.node, role: .editor, title: list.title, note: "")
    }
    try await alice.share("Groceries", with: "bob", role: .editor)
    try await settle(alice, bob)
    let carol = try await world.person("carol")
    try await claim(code, carol)
    try await settle(bob, carol)
    #expect(try dead(carol) == [.notShared])
    #expect(try carol.listNames().isEmpty && carol.invites().isEmpty && bob.quarantine().isEmpty)
  }

  /// The server refuses whom a code is to let in, and whoever made it may give that up.
  @Test(arguments: [false, true]) func whoIsNotLetInAfterAllHearsIt(isGivenUp: Bool) async throws {
    try await claim(makeCode(), bob)
    alice.transport.setStandIn { request in RefusalLie.refuse(request, .letterMissing).map { .told($0) } }
    try await alice.sync()
    #expect(try alice.database.read { try $0.operations() }.count { $0.state == .refused } == 1)
    if isGivenUp {
      try alice.database.write { transaction in
        for operation in try transaction.operations() where operation.state == .refused {
          try transaction.discardOperation(operation.sequence)
        }
      }
      alice.transport.setStandIn { _ in nil }
    }
    for _ in 0..<2 { try await settle(alice, bob) }
    #expect(try dead(bob) == [.notShared])
    #expect(try bob.listNames().isEmpty && bob.invites().isEmpty)
  }

  @Test func whoGuessesLearnsNothing() async throws {
    let code = try makeCode()
    let branch = try alice.branch("Groceries")
    try alice.database.write { _ = try $0.withdrawCodes(for: branch) }
    try bob.database.write { transaction in
      try transaction.db.execute(
        sql: "INSERT INTO claims (id, secret, inviter, made) VALUES (?, ?, ?, 0)",
        arguments: [data(code.id), data([UInt8](repeating: 2, count: 20)), try alice.own().user])
    }
    try await guess(code, bob)
    try await settle(alice, bob)
    #expect(try bob.database.read { try String.fetchOne($0.db, sql: "SELECT refusal FROM claims") } == nil)
  }

  /// Only the inviter can say so: else anybody who has seen the code's id would keep its owner from using it.
  @Test func aStrangersWordIsNothing() async throws {
    let code = try makeCode()
    try await claim(code, bob)
    let mallory = try await world.person("mallory")
    let user = try bob.own().user
    try mallory.database.write { transaction in
      var message = SealedMessage()
      message.refusal.code = data(code.id)
      message.refusal.reason = .used
      try transaction.sendMessage(message, toRecipients: [user], withDependencies: [])
    }
    try await settle(mallory, bob)
    #expect(try dead(bob) == [nil])
    try await settle(alice, bob)
    #expect(try bob.titles("Groceries") == ["Milk"])
  }

  @Test func aCodeKnowsItsList() async throws {
    let (first, second) = (try makeCode("Groceries"), try makeCode("Home"))
    try await claim(first, bob)
    try await settle(alice, bob)
    try await claim(second, bob)
    try await settle(alice, bob)
    let (groceries, home) = (try alice.branch("Groceries"), try alice.branch("Home"))
    #expect(try bob.database.read { try $0.branch(answering: first) } == groceries)
    #expect(try bob.database.read { try $0.branch(answering: second) } == home)
  }

  /// One that was forgotten while it waited brings an invitation like any other.
  @Test func anAnswerToWhatWasForgottenWaits() async throws {
    let code = try makeCode()
    try await claim(code, bob)
    try bob.database.write { try $0.dismiss($0.openClaims()[0]) }
    try await settle(alice, bob)
    #expect(try bob.listNames().isEmpty)
    #expect(try bob.invites().map(\.title) == ["Groceries"])
  }

  @Test func halfACodeIsKnownForOne() throws {
    let text = try makeCode().text
    #expect(InviteCode.isBare(String(text.prefix(29))))
    #expect(!InviteCode.isBare(String(text.prefix(28))) && !InviteCode.isBare("Groceries-and-other-things"))
    #expect(!InviteCode.isBare(String(text.prefix(29)).replacing("-", with: "")))
  }
}
