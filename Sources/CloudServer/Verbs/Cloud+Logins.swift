import CloudAPI
import Signing
import SwiftProtobuf

/// A new device and one of the account meet here (spec §2.6). The server carries what they say and judges none of it.
extension Cloud {
  /// Takes a new device's wish. Whoever asks is a stranger.
  func startLogin(_ request: CloudRequest) throws -> CloudResponse {
    let message = try decode(WireLoginStart.self, request.body)
    let (id, commitment): (LoginID, Hash32) = (try fixed(message.login), try fixed(message.commitment))
    guard isValidHandle(message.handle) else { throw Refusal.malformed }
    return try storage.read { storage in
      guard let user = try storage.user(handle: message.handle) else { throw Refusal.notFound }
      guard try !storage.isDeleted(user) else { throw Refusal.accountDeleted }
      let login = try desk.start(id, for: user, commitment, from: request.origin, now: clock.now())
      return answer(try Self.state(of: login, in: storage))
    }
  }

  /// How far it is; takes what the new device says of itself, once.
  func pollLogin(_ request: CloudRequest) throws -> CloudResponse {
    let message = try decode(WireLoginPoll.self, request.body)
    guard message.opening.count <= Limits.openingBytes else { throw Refusal.limitExceeded }
    let login = try desk.change(try fixed(message.login), now: clock.now()) { login in
      if login.answer != nil, login.opening.isEmpty { login.opening = Array(message.opening) }
    }
    return answer(try storage.read { try Self.state(of: login, in: $0) })
  }

  /// What waits for a decision of the caller's.
  func openLogins(_ request: CloudRequest) throws -> CloudResponse {
    let caller = try authenticate(request)
    let logins = desk.open(of: caller.user, now: clock.now())
    return answer(WireLogins.with { $0.logins = logins.map(\.wire) })
  }

  /// Takes a device's nonce, or what its user has decided. The first nonce counts, and only its device adds.
  func answerLogin(_ request: CloudRequest) throws -> CloudResponse {
    let caller = try authenticate(request)
    guard let device = caller.device else { throw Refusal.deviceUnknown }
    let message = try decode(WireLoginAnswer.self, request.body)
    guard message.nonce.isEmpty || message.nonce.count == 32 else { throw Refusal.malformed }
    guard message.userKeys.count <= Limits.sealedUserKeysBytes else { throw Refusal.limitExceeded }
    let id: LoginID = try fixed(message.login)
    let login = try desk.change(id, now: clock.now()) { login in
      guard login.user == caller.user, login.verdict == nil else { return }
      if login.answer == nil, !message.nonce.isEmpty {
        login.answer = .init(device: device, nonce: Array(message.nonce))
      }
      if message.denied {
        login.verdict = .denied
      } else if message.added, login.answer?.device == device {
        login.verdict = .added(Array(message.userKeys))
      }
    }
    guard login.user == caller.user else { throw Refusal.notFound }
    return answer(login.wire)
  }

  private static func state(of login: Login, in storage: any CloudStorageReader) throws -> WireLoginState {
    let device = try login.answer.flatMap { try storage.signer($0.device, of: login.user) }
    return .with {
      $0.user = data(login.user.bytes)
      if let answer = login.answer, let device {
        $0.device = data(answer.device.bytes)
        $0.signKey = data(device.signKey.bytes)
        $0.boxKey = data(device.boxKey.bytes)
        $0.nonce = data(answer.nonce)
      }
      switch login.verdict {
      case .denied: $0.denied = true
      case .added(let keys):
        $0.added = true
        $0.userKeys = data(keys)
      case nil: break
      }
    }
  }
}

extension Login {
  fileprivate var wire: WireLogin {
    .with {
      $0.login = data(id.bytes)
      $0.commitment = data(commitment.bytes)
      $0.asked = UInt64(clamping: asked)
      $0.device = data(answer?.device.bytes ?? [])
      $0.opening = data(opening)
    }
  }
}
