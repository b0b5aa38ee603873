import CloudAPI
import Foundation
import GRDB
import Sealing
import Signing

/// The login that this device has asked for.
struct LoginRequest {
  let handle: String
  let login: LoginID
  let signingKey: SigningKey
  let box: BoxKey
  let opening: [UInt8]
  let made: Int64
  /// The answer that counts.
  let answer: Answer?
  let isAdded: Bool
  let userKeys: [UInt8]

  struct Answer {
    let user: UserID
    let device: DeviceID
    let boxKey: PublicKey
    let nonce: [UInt8]
  }

  var device: DeviceID { DeviceID(signKey: signingKey.publicKey, boxKey: box.publicKey) }

  var code: LoginCode? {
    answer.map {
      LoginCode(user: $0.user, device: $0.device, login: login, nonce: $0.nonce, opening: opening)
    }
  }
}

extension CloudTransaction {
  /// Whether a login that waits here has had a code to show.
  public func hasLoginCode() throws -> Bool {
    try Int.fetchOne(db, sql: "SELECT 1 FROM login_request WHERE nonce IS NOT NULL") != nil
  }

  /// The login that this device has asked for, and not ended.
  func loginRequest() throws -> LoginRequest? {
    guard let row = try Row.fetchOne(db, sql: "SELECT * FROM login_request") else { return nil }
    var answer: LoginRequest.Answer?
    if let user = row["user"] as UserID?, let nonce = row["nonce"] as Data?, let key = row["box_key"] as Data?,
      let boxKey = PublicKey(bytes: key)
    {
      answer = .init(user: user, device: row["device"], boxKey: boxKey, nonce: Array(nonce))
    }
    return LoginRequest(
      handle: row["handle"], login: row["login"],
      signingKey: SigningKey(seed: SecretBytes(column: row["sign_seed"])),
      box: BoxKey(secret: SecretBytes(column: row["box_secret"])), opening: Array(row["opening"] as Data),
      made: row["made"], answer: answer, isAdded: row["added"],
      userKeys: (row["user_keys"] as Data?).map { Array($0) } ?? [])
  }

  /// Goes on with what was asked for at this server, or asks anew.
  func loginRequest(handle: String, server: String, name: String) throws -> LoginRequest {
    let known = try Int.fetchOne(
      db,
      sql: "SELECT 1 FROM login_request WHERE handle = ? AND server = ? AND (added = 1 OR (made <= ? AND made > ?))",
      arguments: [handle, server, clock.now(), clock.now() - Limits.loginLife])
    if known == nil {
      let (signingKey, box) = (SigningKey(entropy), BoxKey(entropy))
      let opening = LoginOpening(signKey: signingKey.publicKey, boxKey: box.publicKey, name: name, entropy)
      try db.execute(
        sql: """
          INSERT OR REPLACE INTO login_request (id, handle, server, login, sign_seed, box_secret, opening, made)
          VALUES (1, ?, ?, ?, ?, ?, ?, ?)
          """,
        arguments: [
          handle, server, LoginID.random(entropy), signingKey.seed.column, box.secret.column, Data(opening.bytes),
          clock.now(),
        ])
    }
    guard let request = try loginRequest() else { throw LogInFailure.loginEnded }
    return request
  }

  /// Keeps the first answer.
  func setAnswer(_ answer: LoginRequest.Answer) throws {
    try db.execute(
      sql: "UPDATE login_request SET user = ?, device = ?, box_key = ?, nonce = ? WHERE nonce IS NULL OR ?",
      arguments: [
        answer.user, answer.device, Data(answer.boxKey.bytes), Data(answer.nonce), Defence.loginFirstAnswer.isDown,
      ])
  }

  func setAdded(userKeys: [UInt8]) throws {
    try db.execute(
      sql: "UPDATE login_request SET added = 1, user_keys = coalesce(user_keys, ?)",
      arguments: [userKeys.isEmpty ? nil : Data(userKeys)])
  }

  /// Gives up what this device has asked for.
  public func forgetLoginRequest() throws { try db.execute(sql: "DELETE FROM login_request") }
}
