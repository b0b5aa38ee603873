public import CloudAPI
import Foundation
import GRDB
import Sealing
public import Signing
import SwiftProtobuf

/// Why signing in on another device fails, before anything is sent there.
public enum LogInFailure: Error, Equatable, Sendable {
  /// The words belong to nobody on this server.
  case unknownWords
  /// The words belong to somebody else.
  case otherHandle(String)
  /// Nobody has this handle.
  case unknownHandle(String)
  /// The account was deleted.
  case accountDeleted(String)
  /// As many devices as the server allows wait for approval.
  case tooManyLogins
  /// A device of the account has refused to add this one.
  case denied
  /// It was not approved in time, or the server has forgotten it.
  case loginEnded
  /// The account does not have this device, or another has put it there than the one that the code is about.
  case notAdded
}

extension CloudDatabase {
  /// Adds this device to an account, with the root from the 24 words. The root is not kept here.
  public func logIn(
    root: RootKey, handle: String, server: String, over transport: any CloudTransport, authority: String
  ) async throws {
    guard try read({ try $0.account() }) == nil else { throw TreeError.alreadySignedIn }
    let signer = CloudConnection.Signer(caller: Caller(user: root.userID, device: nil), key: root.signing)
    let connection = CloudConnection(
      transport: transport, authority: authority, signer: signer, clock: clock, entropy: entropy)
    for attempt in 1... {
      do {
        return try await addDevice(to: ownKeyring(root, connection), root, handle, server, connection)
      } catch CloudFailure.refused(.chainBroken) where attempt < Self.logInAttempts {
        // The keyring has grown meanwhile: by another device, or by an earlier attempt whose answer was lost.
      }
    }
  }

  private static let logInAttempts = 4

  private func addDevice(
    to keyring: Keyring, _ root: RootKey, _ handle: String, _ server: String, _ connection: CloudConnection
  ) async throws {
    guard keyring.handle == handle else { throw LogInFailure.otherHandle(keyring.handle) }
    guard keyring.deleted == nil else { throw LogInFailure.accountDeleted(handle) }
    var userKey = try open(keyring, root)
    let isNewest = userKey[0].generation == keyring.generations.last?.number
    let signingKey = SigningKey(entropy)
    let box = BoxKey(entropy)
    let device = DeviceID(signKey: signingKey.publicKey, boxKey: box.publicKey)
    var chain = KeyringChain(after: keyring, now: clock.now())
    chain.append(
      .addDevice(
        .init(
          device: device, signKey: signingKey.publicKey, boxKey: box.publicKey,
          generation: isNewest ? userKey[0].generation : 0,
          sealedUserKey: isNewest ? box.publicKey.sealBox(userKey[0].box.secret, entropy) : [])), signedBy: root.signing
    )
    if !isNewest { userKey.insert(try rotate(&chain, after: keyring, root), at: 0) }
    let append = WireKeyringAppend.with {
      $0.user = data(root.userID.bytes)
      $0.entries = chain.records.map(\.wire)
    }
    try await connection.call(.keyringAppend, append)
    try write { transaction in
      try transaction.abandonAccount()
      try transaction.store(
        root.userID, handle: handle, server: server, device: device, signingKey, box, userKey: userKey,
        keyring: keyring, added: chain.records)
    }
  }

  private func ownKeyring(_ root: RootKey, _ connection: CloudConnection) async throws -> Keyring {
    let request = WireKeyringsRequest.with {
      $0.users = [.with { $0.user = data(root.userID.bytes) }]
    }
    let answer: WireKeyrings
    do {
      answer = try await connection.call(.keyrings, request, answer: WireKeyrings.self)
    } catch CloudFailure.refused(.deviceUnknown), CloudFailure.refused(.notFound) {
      throw LogInFailure.unknownWords
    }
    guard let found = answer.keyrings.first, !found.entries.isEmpty else { throw LogInFailure.unknownWords }
    return try Keyring(user: root.userID, entries: found.entries.map { try SignedRecord($0) })
  }

  /// Opens the generations of the user key, the newest first. One that somebody drew who is no friend opens for nobody else.
  private func open(_ keyring: Keyring, _ root: RootKey) throws -> [UserKey] {
    let box = BoxKey(root: root)
    var keys: [UserKey] = []
    for (index, generation) in keyring.generations.enumerated().reversed() {
      let above = keys.last.flatMap { key in
        key.generation == generation.number + 1
          ? key.open(older: keyring.generations[index + 1].older, of: keyring.user) : nil
      }
      let sealed = generation.sealed.first { $0.device == nil }.flatMap { box.open(sealedBox: $0.sealed) }
      let own = sealed.flatMap { secret in
        secret.count == 32 ? UserKey(generation: generation.number, box: BoxKey(secret: secret)) : nil
      }
      let key = [above, own].compactMap { $0 }.first { $0.box.publicKey == generation.publicKey }
      if let key { keys.append(key) }
    }
    guard !keys.isEmpty else { throw Refusal.keyMismatch }
    return keys
  }

  /// Draws a generation that all devices can open, where the newest is one that the root cannot.
  private func rotate(_ chain: inout KeyringChain, after keyring: Keyring, _ root: RootKey) throws -> UserKey {
    var after = keyring
    try after.append(chain.records)
    let key = UserKey(generation: (after.generations.last?.number ?? 0) + 1, box: BoxKey(entropy))
    chain.append(.rotateUserKey(.init(key, over: nil, of: after, entropy)), signedBy: root.signing)
    return key
  }
}

extension CloudTransaction {
  func store(
    _ user: UserID, handle: String, server: String, device: DeviceID, _ signingKey: SigningKey, _ box: BoxKey,
    userKey: [UserKey], keyring: Keyring, added: [SignedRecord]
  ) throws {
    try db.execute(
      sql: """
        INSERT INTO account (id, user, handle, server, device, sign_seed, box_secret) VALUES (1, ?, ?, ?, ?, ?, ?)
        """,
      arguments: [user, handle, server, device, signingKey.seed.column, box.secret.column])
    for key in userKey { try setUserKey(key) }
    try extendKeyring(user, with: keyring.entries + added)
    guard let trunks = keyring.trunks else { throw Refusal.trunksMissing }
    for trunk in Trunk.allCases {
      try adoptTrunk(trunk, of: user, firstPermissions: trunks.firstPermissions(of: trunk))
    }
  }
}
