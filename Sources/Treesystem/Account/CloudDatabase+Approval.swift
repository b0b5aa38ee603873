public import CloudAPI
import Foundation
import GRDB
import Sealing
import Signing
import SwiftProtobuf

/// How far a login by approval is.
public enum LoginStep: Equatable, Sendable {
  /// No device of the account has answered yet.
  case asked
  /// This device and that which answered have this code.
  case comparing(LoginCode)
  /// The other says that it has added this one.
  case added(LoginCode)
}

/// Signing in by approval from another device of the account, on the new device's side (spec §2.6).
extension CloudDatabase {
  /// Asks the account's devices to add this one, or goes on with that. `name` is what they are to call it.
  public func askToLogIn(
    handle: String, server: String, name: String, over transport: any CloudTransport, authority: String
  ) async throws -> LoginStep {
    guard try read({ try $0.account() }) == nil else { throw TreeError.alreadySignedIn }
    let request = try write { try $0.loginRequest(handle: handle, server: server, name: name) }
    guard request.answer == nil else { return try await loginStep(over: transport, authority: authority) }
    let opening = request.opening
    let start = WireLoginStart.with {
      $0.handle = handle
      $0.login = data(request.login.bytes)
      $0.commitment = data(digest(.loginCommitment, request.login.bytes + opening).bytes)
    }
    do {
      let connection = connection(as: nil, over: transport, authority)
      return try await take(connection.call(.logins, start, answer: WireLoginState.self), connection)
    } catch CloudFailure.refused(let refusal) {
      try write { try $0.forgetLoginRequest() }
      switch refusal {
      case .notFound: throw LogInFailure.unknownHandle(handle)
      case .accountDeleted: throw LogInFailure.accountDeleted(handle)
      case .tooMany: throw LogInFailure.tooManyLogins
      default: throw CloudFailure.refused(refusal)
      }
    }
  }

  /// Looks how far it is, and does what this side has to.
  public func loginStep(over transport: any CloudTransport, authority: String) async throws -> LoginStep {
    guard let request = try read({ try $0.loginRequest() }) else { throw LogInFailure.loginEnded }
    if request.isAdded, let code = request.code { return .added(code) }
    guard clock.now() < request.made + Limits.loginLife else {
      try write { try $0.forgetLoginRequest() }
      throw LogInFailure.loginEnded
    }
    let connection = connection(as: nil, over: transport, authority)
    do {
      let poll = WireLoginPoll.with { $0.login = data(request.login.bytes) }
      return try await take(connection.call(.loginPoll, poll, answer: WireLoginState.self), connection)
    } catch CloudFailure.refused(.notFound) {
      // The server has forgotten it, but perhaps the other device was quick enough.
      if let code = request.code, try await ownKeyring(of: request, over: transport, authority) != nil {
        try write { try $0.setAdded(userKeys: []) }
        return .added(code)
      }
      try write { try $0.forgetLoginRequest() }
      throw LogInFailure.loginEnded
    }
  }

  private func take(_ state: WireLoginState, _ connection: CloudConnection) async throws -> LoginStep {
    guard !state.denied else {
      try write { try $0.forgetLoginRequest() }
      throw LogInFailure.denied
    }
    if !state.device.isEmpty {
      let (signKey, boxKey): (PublicKey, PublicKey) = (try fixed(state.signKey), try fixed(state.boxKey))
      let device = data(DeviceID(signKey: signKey, boxKey: boxKey).bytes)
      guard state.nonce.count == 32, device == state.device || Defence.loginAnswerer.isDown else {
        throw CloudFailure.nonsense
      }
      let answer = LoginRequest.Answer(
        user: try fixed(state.user), device: try fixed(state.device), boxKey: boxKey, nonce: Array(state.nonce))
      try write { try $0.setAnswer(answer) }
    }
    guard let request = try read({ try $0.loginRequest() }) else { throw LogInFailure.loginEnded }
    guard let answer = request.answer, let code = request.code else { return .asked }
    if state.added {
      try write { try $0.setAdded(userKeys: Array(state.userKeys)) }
      return .added(code)
    }
    let poll = WireLoginPoll.with {
      $0.login = data(request.login.bytes)
      $0.opening = data(answer.boxKey.sealBox(SecretBytes(request.opening), entropy))
    }
    _ = try await connection.call(.loginPoll, poll, answer: WireLoginState.self)
    return .comparing(code)
  }

  /// Takes the account, of which the user has said that the other device has added this one. Nothing was sent there before.
  public func finishLogIn(server: String, over transport: any CloudTransport, authority: String) async throws {
    guard let request = try read({ try $0.loginRequest() }), let answer = request.answer else {
      throw LogInFailure.loginEnded
    }
    guard let keyring = try await ownKeyring(of: request, over: transport, authority) else {
      throw LogInFailure.notAdded
    }
    guard keyring.handle == request.handle else { throw LogInFailure.notAdded }
    let device = keyring.device(request.device)
    let isAdded = device?.signKey == request.signingKey.publicKey && device?.boxKey == request.box.publicKey
    guard isAdded && device?.addedBy == answer.device || Defence.loginAdder.isDown else { throw LogInFailure.notAdded }
    let keys = request.userKeys(of: keyring)
    guard keys.first?.generation == keyring.generations.last?.number else { throw Refusal.keyMismatch }
    try write { transaction in
      try transaction.abandonAccount()
      try transaction.store(
        answer.user, handle: request.handle, server: server, device: request.device, request.signingKey, request.box,
        userKey: keys, keyring: keyring, added: [])
      try transaction.forgetLoginRequest()
    }
  }

  /// The account's keyring, which the server gives to this device once it is in it. Nil: it is not.
  private func ownKeyring(
    of request: LoginRequest, over transport: any CloudTransport, _ authority: String
  ) async throws -> Keyring? {
    guard let user = request.answer?.user else { return nil }
    let signer = CloudConnection.Signer(
      caller: Caller(user: user, device: request.device), key: request.signingKey)
    let message = WireKeyringsRequest.with { $0.users = [.with { $0.user = data(user.bytes) }] }
    do {
      let answer = try await connection(as: signer, over: transport, authority)
        .call(.keyrings, message, answer: WireKeyrings.self)
      guard let found = answer.keyrings.first else { return nil }
      return try Keyring(user: user, entries: found.entries.map { try SignedRecord($0) })
    } catch CloudFailure.refused(.deviceUnknown) {
      return nil
    }
  }

  private func connection(
    as signer: CloudConnection.Signer?, over transport: any CloudTransport, _ authority: String
  ) -> CloudConnection {
    CloudConnection(transport: transport, authority: authority, signer: signer, clock: clock, entropy: entropy)
  }
}

extension LoginRequest {
  /// The generations of the user key that were handed over or stand in the keyring, the newest first. Each fits its public key.
  fileprivate func userKeys(of keyring: Keyring) -> [UserKey] {
    let handed = box.open(sealedBox: userKeys).map(HandedUserKeys.read) ?? []
    let added = keyring.userKeySealed(toNew: device)
    var keys: [UserKey] = []
    for (index, generation) in keyring.generations.enumerated().reversed() {
      let above = keys.last.flatMap { key in
        key.generation == generation.number + 1
          ? key.open(older: keyring.generations[index + 1].older, of: keyring.user) : nil
      }
      let sealed = [
        added.flatMap { $0.generation == generation.number ? $0.sealed : nil },
        generation.sealed.first { $0.device == device }?.sealed,
      ]
      let opened = sealed.compactMap { $0 }.compactMap { box.open(sealedBox: $0) }.filter { $0.count == 32 }
        .map { UserKey(generation: generation.number, box: BoxKey(secret: $0)) }
      let all = handed.filter { $0.generation == generation.number } + opened + [above].compactMap { $0 }
      if let key = all.first(where: { $0.box.publicKey == generation.publicKey }) { keys.append(key) }
    }
    return keys
  }
}
