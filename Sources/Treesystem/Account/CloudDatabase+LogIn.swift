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
    let userKey = try open(keyring, root)
    let signingKey = SigningKey(entropy)
    let box = BoxKey(entropy)
    let device = DeviceID(signKey: signingKey.publicKey, boxKey: box.publicKey)
    var chain = KeyringChain(after: keyring, now: clock.now())
    chain.append(
      .addDevice(
        .init(
          device: device, signKey: signingKey.publicKey, boxKey: box.publicKey, generation: userKey[0].generation,
          sealedUserKey: box.publicKey.sealBox(userKey[0].box.secret, entropy))), signedBy: root.signing)
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

  /// Opens every generation of the user key with the root, the newest first.
  private func open(_ keyring: Keyring, _ root: RootKey) throws -> [UserKey] {
    guard let newest = keyring.generations.last, let sealed = newest.sealed.first(where: { $0.device == nil }),
      let secret = BoxKey(root: root).open(sealedBox: sealed.sealed), secret.count == 32
    else { throw Refusal.keyMismatch }
    var keys = [UserKey(generation: newest.number, box: BoxKey(secret: secret))]
    for generation in keyring.generations.reversed() {
      guard keys[keys.count - 1].box.publicKey == generation.publicKey else { throw Refusal.keyMismatch }
      guard generation.number > 1 else { break }
      guard let older = keys[keys.count - 1].open(older: generation.older, of: keyring.user) else {
        throw Refusal.keyMismatch
      }
      keys.append(older)
    }
    return keys
  }
}

extension CloudTransaction {
  fileprivate func store(
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
