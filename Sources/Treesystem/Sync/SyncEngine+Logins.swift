import CloudAPI
import Foundation
import GRDB
import Sealing
public import Signing
import SwiftProtobuf

/// Adding a new device by approval, on the side of a device of the account (spec §2.6).
extension SyncEngine {
  /// More than a server of ours has open for one account.
  private static let loginsRead = 16
  static let appendAttempts = 4

  /// The devices that want to be added. Each that nobody has answered is answered: so both sides come to a code.
  public func logins() async throws -> [OpenLogin] {
    let connection = try connection()
    let answer = try await connection.call(.openLogins, answer: WireLogins.self)
    var logins: [OpenLogin] = []
    for login in answer.logins.prefix(Self.loginsRead) { logins.append(try await look(at: login, connection)) }
    return logins
  }

  private func look(at wire: WireLogin, _ connection: CloudConnection) async throws -> OpenLogin {
    let (id, commitment): (LoginID, Hash32) = (try fixed(wire.login), try fixed(wire.commitment))
    let answerer: DeviceID? = try optional(wire.device)
    let account = try database.read { try $0.requireAccount() }
    func login(_ state: OpenLogin.State, _ opening: LoginOpening? = nil) -> OpenLogin {
      OpenLogin(id: id, asked: Int64(clamping: wire.asked), state: state, opening: opening)
    }
    if let answerer, answerer != account.device { return login(.elsewhere(answerer)) }
    let nonce = try database.write { try $0.nonce(for: id, commitment, mayDraw: answerer == nil) }
    guard let nonce else {
      let isKnown = try database.read { try $0.hasAnswered(id) }
      return login(isKnown || answerer != nil ? .untrusted : .waiting)
    }
    if answerer == nil {
      let message = WireLoginAnswer.with {
        $0.login = wire.login
        $0.nonce = data(nonce)
      }
      _ = try await connection.call(.loginAnswer, message, answer: WireLogin.self)
    }
    guard !wire.opening.isEmpty else { return login(.waiting) }
    let box = BoxKey(secret: try database.read { try $0.identity() }.boxSecret)
    guard let bytes = box.open(sealedBox: Array(wire.opening)),
      let opening = try? LoginOpening(bytes: bytes.copied(), of: id, commitment: commitment)
    else { return login(.untrusted) }
    let code = LoginCode(user: account.user, device: account.device, login: id, nonce: nonce, opening: opening.bytes)
    return login(.comparing(name: opening.name, device: opening.device, code: code), opening)
  }

  /// The new device that shows a code. A wrong one counts against all that wait, and the third withdraws them.
  public func login(showing code: LoginCode) async throws -> OpenLogin {
    let logins = try await logins()
    let found = logins.filter { $0.code == code }
    if found.count == 1 { return found[0] }
    let comparing = logins.filter { $0.code != nil }.map(\.id)
    guard !comparing.isEmpty else { throw DeviceFailure.noLogin }
    let (left, withdrawn) = try database.write { try $0.noteWrongCode(comparing) }
    // Where this does not arrive, the new device waits until its time is over.
    for login in withdrawn { try? await deny(login) }
    throw withdrawn.isEmpty ? DeviceFailure.wrongCode(left: left) : DeviceFailure.withdrawn
  }

  /// Adds a new device whose code was compared. Nothing is signed unless it still has that code. `added` hears of the device, and
  /// what it calls itself, as soon as it is in the account.
  public func approve(
    _ id: LoginID, code: LoginCode, added: (CloudTransaction, DeviceID, String) throws -> Void = { _, _, _ in }
  ) async throws -> DeviceID {
    try await database.syncing {
      let connection = try connection()
      let login = try await logins().first { $0.id == id }
      guard let login else { throw DeviceFailure.noLogin }
      guard login.code == code || Defence.loginCode.isDown, let opening = login.opening else {
        throw DeviceFailure.untrusted
      }
      do { try await append(connection) { try $0.entries(adding: opening) } } catch DeviceFailure.noLogin {
        // It asks again, under another id.
        try await deny(id)
        throw DeviceFailure.noLogin
      }
      try database.write { try added($0, opening.device, opening.name) }
      let userKeys = try database.read { try $0.sealUserKeys(to: opening.boxKey) }
      let message = WireLoginAnswer.with {
        $0.login = data(id.bytes)
        $0.added = true
        $0.userKeys = data(userKeys)
      }
      // The device is in the account: if this does not arrive, it finds itself there.
      _ = try? await connection.call(.loginAnswer, message, answer: WireLogin.self)
      try database.write { try $0.closeLogin(id) }
      return opening.device
    }
  }

  /// Lets a new device know that it is not added.
  public func deny(_ id: LoginID) async throws {
    try database.write { try $0.closeLogin(id) }
    let message = WireLoginAnswer.with {
      $0.login = data(id.bytes)
      $0.denied = true
    }
    do {
      _ = try await connection().call(.loginAnswer, message, answer: WireLogin.self)
    } catch CloudFailure.refused(.notFound) {
      return
    }
  }

  /// Appends entries to this account's keyring, made anew where that has grown meanwhile. None: that is done already.
  func append(
    _ connection: CloudConnection, _ entries: (CloudTransaction) throws -> [SignedRecord]?
  ) async throws {
    let user = try database.read { try $0.requireAccount().user }
    for attempt in 1... {
      try await fetchKeyrings([user], connection)
      guard let entries = try database.read(entries) else { return }
      let append = WireKeyringAppend.with {
        $0.user = data(user.bytes)
        $0.entries = entries.map(\.wire)
      }
      do {
        try await connection.call(.keyringAppend, append)
        return try database.write { _ = try $0.extendKeyring(user, with: entries) }
      } catch CloudFailure.refused(.chainBroken) where attempt < Self.appendAttempts {
        // The keyring has grown meanwhile.
      } catch CloudFailure.refused(.tooMany) {
        throw DeviceFailure.tooOften
      } catch CloudFailure.refused(.limitExceeded) {
        throw DeviceFailure.noRoom
      }
    }
  }
}
