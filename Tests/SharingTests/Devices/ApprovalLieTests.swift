import CloudAPI
import Foundation
import Sealing
import Signing
import SwiftProtobuf
import TestSupport
import Testing
import TodoCore

@testable import Sharing
@testable import Treesystem

/// A server that stands between a new device and the account.
@Suite struct ApprovalLieTests {
  private let world: World
  private let phone: Device
  private let laptop: Device

  init() async throws {
    world = try World(seed: "approval-lies")
    phone = try await world.person("bob")
    laptop = try world.device("laptop")
  }

  private func ask() async throws -> LoginStep {
    try await laptop.session.askToLogIn(handle: "bob", server: "test", name: "laptop")
  }

  /// The phone is shown a login with keys of the server's own: its code is another.
  @Test func swappedKeysMakeAnotherCode() async throws {
    _ = try await ask()
    let swapped = Locked<LoginOpening?>(nil)
    let box = BoxKey(SeededEntropy("server"))
    let (signing, entropy) = (SigningKey(SeededEntropy("server key")), SeededEntropy("lie"))
    let phoneKey = try #require(
      try phone.database.read { transaction in try transaction.keyring(transaction.requireAccount().user) }?
        .activeDevices.first?.boxKey)
    phone.transport.setTamper { request, response in
      guard request.path == Route.openLogins.path, var logins = try? WireLogins(serializedBytes: response.body),
        !logins.logins.isEmpty
      else { return response }
      let login = LoginID(exactly: Array(logins.logins[0].login))
      let opening = swapped.with { opening in
        opening = opening ?? LoginOpening(signKey: signing.publicKey, boxKey: box.publicKey, name: "laptop", entropy)
        return opening
      }
      guard let opening else { return response }
      logins.logins[0].commitment = data(opening.commitment(for: login).bytes)
      if !logins.logins[0].opening.isEmpty {
        logins.logins[0].opening = data(phoneKey.sealBox(SecretBytes(opening.bytes.map(\.self)), entropy))
      }
      var response = response
      response.body = encode(logins)
      return response
    }
    _ = try await phone.session.logins()
    guard case .comparing(let code) = try await laptop.session.loginStep() else { throw LogInFailure.loginEnded }
    let shown = try #require(try await phone.session.logins().first?.code)
    #expect(shown != code)
    await #expect(throws: DeviceFailure.wrongCode(left: 2)) { try await phone.session.login(showing: code) }
  }

  /// What is opened is not what was committed to, or the commitment is another than before.
  @Test(arguments: [true, false]) func anotherOpeningIsNotCompared(_ changesCommitment: Bool) async throws {
    _ = try await ask()
    _ = try await phone.session.logins()
    guard case .comparing(let code) = try await laptop.session.loginStep() else { throw LogInFailure.loginEnded }
    let other = LoginOpening(
      signKey: SigningKey(SeededEntropy("a")).publicKey, boxKey: BoxKey(SeededEntropy("b")).publicKey, name: "laptop",
      SeededEntropy("c"))
    let phoneKey = try #require(
      try phone.database.read { transaction in try transaction.keyring(transaction.requireAccount().user) }?
        .activeDevices.first?.boxKey)
    phone.transport.setTamper { request, response in
      guard request.path == Route.openLogins.path, var logins = try? WireLogins(serializedBytes: response.body) else {
        return response
      }
      let login = LoginID(exactly: Array(logins.logins[0].login))
      logins.logins[0].opening = data(phoneKey.sealBox(SecretBytes(other.bytes), SeededEntropy("d")))
      if changesCommitment { logins.logins[0].commitment = data(other.commitment(for: login).bytes) }
      var response = response
      response.body = encode(logins)
      return response
    }
    let login = try #require(try await phone.session.logins().first)
    #expect(login.state == .untrusted)
    await #expect(throws: DeviceFailure.untrusted) { try await phone.session.approve(login.id, code: code) }
    #expect(phone.transport.traffic.with { $0 }.allSatisfy { $0.request.path != Route.keyringAppend.path })
  }

  /// The server answers for a device whose keys are not those of its id.
  @Test func anAnswerOfAnotherKeyIsRefused() async throws {
    _ = try await ask()
    _ = try await phone.session.logins()
    laptop.transport.setTamper { request, response in
      guard request.path == Route.loginPoll.path, var state = try? WireLoginState(serializedBytes: response.body) else {
        return response
      }
      state.boxKey = data(BoxKey(SeededEntropy("server")).publicKey.bytes)
      var response = response
      response.body = encode(state)
      return response
    }
    await #expect(throws: CloudFailure.nonsense) { try await laptop.session.loginStep() }
    #expect(try laptop.database.read { try $0.loginRequest() }?.answer == nil)
  }

  /// It says that the laptop was added, which nobody has done: nothing is believed, and nothing sent.
  @Test func aPretendedApprovalIsNotBelieved() async throws {
    try laptop.add("Diary", "secret")
    _ = try await ask()
    _ = try await phone.session.logins()
    _ = try await laptop.session.loginStep()
    laptop.transport.setTamper { request, response in
      guard request.path == Route.loginPoll.path, var state = try? WireLoginState(serializedBytes: response.body) else {
        return response
      }
      state.added = true
      var response = response
      response.body = encode(state)
      return response
    }
    guard case .added = try await laptop.session.loginStep() else { throw LogInFailure.loginEnded }
    await #expect(throws: LogInFailure.notAdded) { try await laptop.session.finishLogIn(server: "test") }
    #expect(try laptop.database.read { try $0.account() } == nil)
    #expect(laptop.transport.sentOperations.isEmpty)
  }

  /// Another device than the one whose code was compared has put it there.
  @Test func addedByAnotherDeviceIsNotBelieved() async throws {
    let tablet = try await phone.second("tablet", "bob", in: world)
    _ = try await ask()
    _ = try await phone.session.logins()
    guard case .comparing(let code) = try await laptop.session.loginStep() else { throw LogInFailure.loginEnded }
    let opening = try #require(try laptop.database.read { try $0.loginRequest() })
    let message = try LoginOpening(
      bytes: opening.opening, of: opening.login,
      commitment: digest(.loginCommitment, opening.login.bytes + opening.opening))
    let entries = try #require(try tablet.database.read { try $0.entries(adding: message) })
    let append = WireKeyringAppend.with {
      $0.user = data(opening.answer?.user.bytes ?? [])
      $0.entries = entries.map(\.wire)
    }
    try await tablet.session.connection().call(.keyringAppend, append)
    #expect(try await laptop.session.loginStep() == .comparing(code))
    await #expect(throws: LogInFailure.notAdded) { try await laptop.session.finishLogIn(server: "test") }
    #expect(try laptop.database.read { try $0.account() } == nil)
  }

  /// Only the first answer counts, whatever the server says afterwards.
  @Test func aSecondAnswerChangesNothing() async throws {
    _ = try await ask()
    _ = try await phone.session.logins()
    guard case .comparing(let code) = try await laptop.session.loginStep() else { throw LogInFailure.loginEnded }
    laptop.transport.setTamper { request, response in
      guard request.path == Route.loginPoll.path, var state = try? WireLoginState(serializedBytes: response.body) else {
        return response
      }
      state.nonce = data([UInt8](repeating: 1, count: 32))
      var response = response
      response.body = encode(state)
      return response
    }
    #expect(try await laptop.session.loginStep() == .comparing(code))
  }

  @Test func codesAreReadAsTheyAreWritten() throws {
    let code = try #require(LoginCode(text: "0012-3456"))
    #expect(code.description == "0012-3456")
    #expect(LoginCode(text: "00123456") == code && LoginCode(text: " 0012 3456 ") == code)
    for text in ["", "1234567", "123456789", "1234-567a", "١٢٣٤٥٦٧٨"] { #expect(LoginCode(text: text) == nil) }
  }
}
