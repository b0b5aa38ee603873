import CloudAPI
import Foundation
import GRDB
import Sealing
public import Signing

/// A new device that wants to be added to this account.
public struct OpenLogin: Sendable {
  /// How far it is.
  public enum State: Sendable, Equatable {
    /// It has not said yet who it is.
    case waiting
    /// Another device of the account has answered it: only that one can add it.
    case elsewhere(DeviceID)
    /// What it is called, its id, and the code that it shows, unless somebody stands between.
    case comparing(name: String, device: DeviceID, code: LoginCode)
    /// It is not what it was when this device answered, or too many wrong codes were typed.
    case untrusted
  }

  /// Which one.
  public let id: LoginID
  /// Milliseconds since 1970, by the server's clock.
  public let asked: Int64
  /// How far it is.
  public let state: State
  let opening: LoginOpening?

  /// What both devices show, for a person to compare; nil before both have said who they are.
  public var code: LoginCode? { if case .comparing(_, _, let code) = state { code } else { nil } }
}

extension CloudTransaction {
  /// How many logins this device has answered at once: each is one more that a typed code could fit by chance.
  private static let answeredLogins = 3
  /// After so many wrong codes a login is withdrawn.
  static let loginFailures = 3

  /// This device's nonce for a login: drawn once. Nil: it has to wait, or is not to be trusted.
  func nonce(for login: LoginID, _ commitment: Hash32, mayDraw: Bool) throws -> [UInt8]? {
    let oldest = clock.now() - Limits.loginLife
    try db.execute(sql: "DELETE FROM login_answers WHERE made <= ?", arguments: [oldest])
    let known = try Row.fetchOne(
      db, sql: "SELECT commitment, nonce, closed FROM login_answers WHERE login = ?", arguments: [login])
    if let known {
      let isSame = known[0] == commitment || Defence.loginCommitment.isDown
      return isSame && known[2] == 0 ? Array(known[1] as Data) : nil
    }
    let open = try Int.fetchOne(db, sql: "SELECT count(*) FROM login_answers WHERE closed = 0") ?? 0
    guard mayDraw, open < Self.answeredLogins else { return nil }
    let nonce = entropy.bytes(32)
    try db.execute(
      sql: "INSERT INTO login_answers (login, commitment, nonce, made) VALUES (?, ?, ?, ?)",
      arguments: [login, commitment, Data(nonce), clock.now()])
    return nonce
  }

  /// Whether this device knows a login.
  func hasAnswered(_ login: LoginID) throws -> Bool {
    try Int.fetchOne(db, sql: "SELECT 1 FROM login_answers WHERE login = ?", arguments: [login]) != nil
  }

  /// Counts a wrong code against logins. Returns how many more may follow, and those that are closed for it: no code opens them any
  /// more, whether or not the server hears of it.
  func noteWrongCode(_ logins: [LoginID]) throws -> (left: Int, withdrawn: [LoginID]) {
    var (left, withdrawn) = (0, [LoginID]())
    for login in logins {
      try db.execute(sql: "UPDATE login_answers SET failures = failures + 1 WHERE login = ?", arguments: [login])
      let failures =
        try Int.fetchOne(db, sql: "SELECT failures FROM login_answers WHERE login = ?", arguments: [login]) ?? 0
      if failures >= Self.loginFailures {
        try closeLogin(login)
        withdrawn.append(login)
      }
      left = max(left, Self.loginFailures - failures)
    }
    return (left, withdrawn)
  }

  /// Has nothing to do with a login any more.
  func closeLogin(_ login: LoginID) throws {
    try db.execute(sql: "UPDATE login_answers SET closed = 1 WHERE login = ?", arguments: [login])
  }

  /// The keyring entries that add a device; nil if it is there already. A user key that this device cannot open is followed
  /// by one that all can.
  func entries(adding opening: LoginOpening) throws -> [SignedRecord]? {
    let account = try requireAccount()
    guard let keyring = try keyring(account.user) else { throw DeviceFailure.unknown }
    if keyring.device(opening.device) != nil { return nil }
    // It was added and ended before it came up, and an account takes no device twice.
    guard keyring.devices[opening.device] == nil else { throw DeviceFailure.noLogin }
    guard keyring.activeDevices.count < Limits.devices else { throw DeviceFailure.tooManyDevices }
    let identity = try identity()
    let current = try userKey(generation: keyring.generations.last?.number ?? 0)
    var chain = KeyringChain(after: keyring, now: clock.now())
    chain.append(
      .addDevice(
        .init(
          device: opening.device, signKey: opening.signKey, boxKey: opening.boxKey,
          generation: current?.generation ?? 0,
          sealedUserKey: current.map { opening.boxKey.sealBox($0.box.secret, entropy) } ?? [])),
      signedBy: identity.signingKey, signer: identity.device)
    try DeviceFailure.checkingRoom {
      var after = keyring
      try after.append(chain.records)
      guard current == nil else { return }
      chain.append(.rotateUserKey(try newUserKey(for: after)), signedBy: identity.signingKey, signer: identity.device)
      after = keyring
      try after.append(chain.records)
    }
    return chain.records
  }

  /// Every generation of the user key that is here, sealed to a new device.
  func sealUserKeys(to key: PublicKey) throws -> [UInt8] {
    let keys = try Row.fetchAll(db, sql: "SELECT generation, secret FROM user_keys ORDER BY generation").map { row in
      UserKey(generation: UInt32(row[0] as Int64), box: BoxKey(secret: SecretBytes(column: row[1])))
    }
    return key.sealBox(HandedUserKeys.bytes(of: keys), entropy)
  }
}
