import CloudAPI
import CloudServer
import Foundation
import GRDB
import Sealing
import Sharing
import Signing
import SwiftProtobuf
import TestSupport
import Testing
import TodoCore

@testable import Treesystem

/// Bob signs in on a laptop, and his phone adds it.
@Suite struct ApprovalTests {
  private let world: World
  private let phone: Device
  private let laptop: Device

  init() async throws {
    world = try World(seed: "approval")
    phone = try await world.person("bob")
    try phone.add("Groceries", "Milk")
    try await phone.sync()
    laptop = try world.device("laptop")
  }

  private func ask(_ device: Device) async throws -> LoginStep {
    try await device.session.askToLogIn(handle: "bob", server: "test", name: "laptop")
  }

  /// Both come to a code.
  private func compare(_ device: Device) async throws -> LoginCode {
    guard case .asked = try await ask(device) else { throw LogInFailure.loginEnded }
    _ = try await phone.session.logins()
    guard case .comparing(let code) = try await device.session.loginStep() else { throw LogInFailure.loginEnded }
    return code
  }

  private func approve(_ code: LoginCode) async throws -> DeviceID {
    try await phone.session.approve(phone.session.login(showing: code).id, code: code)
  }

  private func devices() throws -> Int {
    try world.storage.read { storage in
      let user = try #require(try storage.user(handle: "bob"))
      return try Keyring(user: user, entries: storage.keyringEntries(of: user, after: 0)).activeDevices.count
    }
  }

  @Test func aNewDeviceIsAddedAndReadsEverything() async throws {
    try laptop.add("Work", "Mail")
    let code = try await compare(laptop)
    let logins = try await phone.session.logins()
    #expect(logins.map(\.code) == [code])
    guard case .comparing(let name, let device, _) = logins[0].state else { throw LogInFailure.loginEnded }
    #expect(name == "laptop")
    #expect(try await approve(code) == device)
    #expect(try await laptop.session.loginStep() == .added(code))
    #expect(laptop.transport.traffic.with { $0 }.allSatisfy { $0.request.path.hasPrefix("/v1/logins") })
    try await laptop.session.finishLogIn(server: "test")
    try await settle(laptop, phone)
    #expect(try laptop.titles("Groceries") == ["Milk"])
    #expect(try phone.titles("Work") == ["Mail"])
    #expect(try laptop.database.read { try $0.keyProblems() }.isEmpty)
    #expect(try laptop.database.read { try $0.devices().map(\.addedBy) } == [nil, try phone.own().device])
    #expect(try laptop.database.read { try $0.root() } == nil)
  }

  /// What the server carries has no name in it, and no secret.
  @Test func theServerLearnsNoName() async throws {
    _ = try await approve(compare(laptop))
    let bodies = (laptop.transport.traffic.with { $0 } + phone.transport.traffic.with { $0 }).map(\.request.body)
    #expect(bodies.contains { $0.count > 100 })
    for body in bodies { #expect(Data(body).firstRange(of: Data("laptop".utf8)) == nil) }
  }

  /// A broken chain of older keys, as a thief leaves one, keeps no generation from the new device.
  @Test func everyGenerationIsHandedOver() async throws {
    let tablet = try await phone.second("tablet", "bob", in: world)
    try await phone.session.endDevice(tablet.own().device, withAdded: false)
    try phone.database.write { transaction in
      try transaction.db.execute(sql: "DELETE FROM user_keys WHERE generation = 2")
    }
    let code = try await compare(laptop)
    _ = try await approve(code)
    _ = try await laptop.session.loginStep()
    try await laptop.session.finishLogIn(server: "test")
    let generations = try laptop.database.read {
      try Int.fetchAll($0.db, sql: "SELECT generation FROM user_keys ORDER BY generation")
    }
    #expect(generations.contains(1) && generations.contains(3), "one that all can open was drawn")
    try await settle(laptop, phone)
    #expect(try laptop.titles("Groceries") == ["Milk"])
  }

  @Test func anInterruptionAtAnyPointIsGoneOnWith() async throws {
    guard case .asked = try await ask(laptop) else { throw LogInFailure.loginEnded }
    let again = try world.device("laptop")
    guard case .asked = try await ask(again) else { throw LogInFailure.loginEnded }
    #expect(try await phone.session.logins().count == 1, "the same wish")
    guard case .comparing(let code) = try await ask(again) else { throw LogInFailure.loginEnded }
    let third = try world.device("laptop")
    #expect(try await ask(third) == .comparing(code))
    // The answer that says so is lost with the server's memory: it finds itself in the account.
    phone.transport.setFate { $0.path == Route.loginAnswer.path ? .lost : .delivered }
    _ = try await approve(code)
    #expect(try await third.session.loginStep() == .comparing(code))
    world.clock.advance(Limits.loginLife - 1000)
    third.transport.setTamper { request, response in
      guard request.path == Route.loginPoll.path else { return response }
      var response = response
      response.status = 404
      response.body = encode(WireProblem.with { $0.reason = "not-found" })
      return response
    }
    #expect(try await third.session.loginStep() == .added(code))
    third.transport.setTamper { _, response in response }
    try await third.session.finishLogIn(server: "test")
    try await third.sync()
    #expect(try third.titles("Groceries") == ["Milk"])
  }

  /// Whose adding got no answer, and who was ended before they came up, asks again under another id.
  @Test func whatWasEndedBeforeItCameUpAsksAgain() async throws {
    let code = try await compare(laptop)
    phone.transport.setFate { $0.path == Route.keyringAppend.path ? .replyLost : .delivered }
    await #expect(throws: CloudFailure.unreachable) { try await approve(code) }
    phone.transport.setFate { _ in .delivered }
    try await phone.sync()
    let added = try #require(try phone.database.read { try $0.devices() }.first { !$0.isThisOne })
    try await phone.session.endDevice(added.id, withAdded: false)
    await #expect(throws: DeviceFailure.noLogin) { try await approve(code) }
    await #expect(throws: LogInFailure.denied) { try await laptop.session.loginStep() }
    _ = try await approve(compare(laptop))
    #expect(try devices() == 2)
  }

  @Test func threeWrongCodesWithdrawIt() async throws {
    let code = try await compare(laptop)
    let wrong = try #require(LoginCode(text: code.description == "0000-0000" ? "1111-1111" : "0000-0000"))
    for left in [2, 1] {
      await #expect(throws: DeviceFailure.wrongCode(left: left)) { try await phone.session.login(showing: wrong) }
    }
    await #expect(throws: DeviceFailure.withdrawn) { try await phone.session.login(showing: wrong) }
    await #expect(throws: DeviceFailure.noLogin) { try await phone.session.login(showing: code) }
    await #expect(throws: LogInFailure.denied) { try await laptop.session.loginStep() }
    await #expect(throws: LogInFailure.loginEnded) { try await laptop.session.finishLogIn(server: "test") }
    #expect(try devices() == 1)
    #expect(phone.transport.traffic.with { $0 }.allSatisfy { $0.request.path != Route.keyringAppend.path })
    // The next attempt starts with new keys, and goes through.
    let second = try await compare(laptop)
    #expect(second != code)
    _ = try await approve(second)
    #expect(try devices() == 2)
  }

  /// The network, or the program, ends while three are withdrawn: none of them may be tried any more.
  @Test func anInterruptedWithdrawalGivesNoMoreTries() async throws {
    var codes: [LoginCode] = []
    for name in ["laptop", "tablet", "desktop"] { codes.append(try await compare(world.device(name))) }
    let wrong = try #require(
      ["0000-0000", "1111-1111", "2222-2222", "3333-3333"].compactMap { LoginCode(text: $0) }
        .first { !codes.contains($0) })
    for left in [2, 1] {
      await #expect(throws: DeviceFailure.wrongCode(left: left)) { try await phone.session.login(showing: wrong) }
    }
    phone.transport.setFate { $0.path == Route.loginAnswer.path ? .lost : .delivered }
    await #expect(throws: DeviceFailure.withdrawn) { try await phone.session.login(showing: wrong) }
    phone.transport.setFate { _ in .delivered }
    for code in codes {
      await #expect(throws: DeviceFailure.noLogin) { try await phone.session.login(showing: code) }
    }
    #expect(try await phone.session.logins().map(\.state) == [.untrusted, .untrusted, .untrusted])
    // As far as the database knows, also where nothing was sent at all.
    let left = try phone.database.read {
      try Int.fetchOne($0.db, sql: "SELECT count(*) FROM login_answers WHERE closed = 0")
    }
    #expect(left == 0)
  }

  /// The program ends between counting the third wrong code and telling anybody.
  @Test func theThirdWrongCodeClosesAtOnce() async throws {
    let code = try await compare(laptop)
    let login = try await phone.session.login(showing: code).id
    for count in 1...3 {
      let (left, withdrawn) = try phone.database.write { try $0.noteWrongCode([login]) }
      #expect(left == 3 - count && withdrawn == (count == 3 ? [login] : []))
    }
    await #expect(throws: DeviceFailure.noLogin) { try await phone.session.login(showing: code) }
    await #expect(throws: DeviceFailure.untrusted) { try await phone.session.approve(login, code: code) }
  }

  @Test func aDenialIsHeard() async throws {
    _ = try await compare(laptop)
    let login = try #require(try await phone.session.logins().first)
    try await phone.session.deny(login.id)
    await #expect(throws: LogInFailure.denied) { try await laptop.session.loginStep() }
    #expect(try await phone.session.logins().isEmpty)
  }

  @Test func aLoginExpires() async throws {
    let code = try await compare(laptop)
    world.clock.advance(Limits.loginLife)
    #expect(try await phone.session.logins().isEmpty)
    await #expect(throws: DeviceFailure.noLogin) { try await phone.session.login(showing: code) }
    await #expect(throws: LogInFailure.loginEnded) { try await laptop.session.loginStep() }
    #expect(try devices() == 1)
  }

  @Test func twoAtOnceHaveCodesOfTheirOwn() async throws {
    let tablet = try world.device("tablet")
    let (first, second) = (try await compare(laptop), try await compare(tablet))
    #expect(first != second)
    #expect(try await Set(phone.session.logins().map(\.code)) == [first, second])
    _ = try await approve(second)
    #expect(try await laptop.session.loginStep() == .comparing(first))
    #expect(try await tablet.session.loginStep() == .added(second))
    _ = try await approve(first)
    for device in [laptop, tablet] {
      _ = try await device.session.loginStep()
      try await device.session.finishLogIn(server: "test")
      try await device.sync()
      #expect(try device.titles("Groceries") == ["Milk"])
    }
    #expect(try devices() == 3)
  }

  @Test func onlyOneDeviceAnswers() async throws {
    let tablet = try await phone.second("tablet", "bob", in: world)
    _ = try await compare(laptop)
    let seen = try await tablet.session.logins()
    #expect(seen.map(\.state) == [.elsewhere(try phone.own().device)])
    await #expect(throws: DeviceFailure.untrusted) {
      try await tablet.session.approve(seen[0].id, code: #require(LoginCode(text: "12345678")))
    }
  }

  @Test func anEndedDeviceApprovesNothing() async throws {
    let tablet = try await phone.second("tablet", "bob", in: world)
    guard case .asked = try await ask(laptop) else { throw LogInFailure.loginEnded }
    _ = try await tablet.session.logins()
    guard case .comparing(let code) = try await laptop.session.loginStep() else { throw LogInFailure.loginEnded }
    let login = try #require(try await tablet.session.logins().first)
    try await phone.session.endDevice(tablet.own().device, withAdded: false)
    await #expect(throws: CloudFailure.refused(.deviceUnknown)) {
      try await tablet.session.approve(login.id, code: code)
    }
    await #expect(throws: CloudFailure.refused(.deviceUnknown)) { try await tablet.session.logins() }
    #expect(try await laptop.session.loginStep() == .comparing(code))
    #expect(try devices() == 1)
  }

  @Test func nobodyOfThatName() async throws {
    await #expect(throws: LogInFailure.unknownHandle("zoe")) {
      try await laptop.session.askToLogIn(handle: "zoe", server: "test", name: "laptop")
    }
  }

  /// Strangers fill neither an account's desk nor the server's.
  @Test func onlySoManyWait() async throws {
    for number in 0..<3 { _ = try await ask(world.device("stranger\(number)")) }
    await #expect(throws: LogInFailure.tooManyLogins) { try await ask(laptop) }
    for login in try await phone.session.logins() { try await phone.session.deny(login.id) }
    // What was denied still counts against where it came from.
    _ = try await ask(laptop)
    _ = try await ask(world.device("stranger4"))
    await #expect(throws: LogInFailure.tooManyLogins) { try await ask(world.device("stranger5")) }
    world.clock.advance(Limits.loginLife)
    _ = try await ask(world.device("stranger6"))
  }

  /// A device that crashes once it is in the account has its name there all the same.
  @Test func whatNeverFinishesHasItsName() async throws {
    _ = try await ask(laptop)
    _ = try await phone.session.logins()
    guard case .comparing(let code) = try await laptop.session.loginStep() else { throw LogInFailure.loginEnded }
    let login = try #require(try await phone.session.logins().first)
    let added = try await phone.session.approve(login.id, code: code)
    #expect(try phone.database.read { try $0.name(of: added) } == "laptop")
    _ = try await phone.session.sync()
    // One that finishes says the same, which is no conflict.
    guard case .added = try await laptop.session.loginStep() else { throw LogInFailure.loginEnded }
    try await laptop.session.finishLogIn(server: "test")
    try laptop.database.write { try $0.setName("laptop", of: added) }
    for device in [laptop, phone, laptop] { _ = try await device.session.sync() }
    #expect(try phone.database.read { try $0.name(of: added) } == "laptop")
    #expect(try laptop.database.read { try $0.operations().isEmpty && $0.name(of: added) == "laptop" })
  }

  /// A device that was added waits no longer, and keeps nobody else out.
  @Test func whatWasApprovedMakesRoom() async throws {
    for number in 0..<7 {
      let device = try world.device("device\(number)")
      _ = try await ask(device)
      _ = try await phone.session.logins()
      guard case .comparing(let code) = try await device.session.loginStep() else { throw LogInFailure.loginEnded }
      let login = try #require(try await phone.session.logins().first)
      _ = try await phone.session.approve(login.id, code: code)
    }
    #expect(try devices() == 8)
  }
}

extension Device {
  func own() throws -> Account { try database.read { try $0.requireAccount() } }
}
