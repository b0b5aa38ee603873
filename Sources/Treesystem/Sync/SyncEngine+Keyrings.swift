public import CloudAPI
import Foundation
import GRDB
import Signing
import SwiftProtobuf

extension SyncEngine {
  /// Reads what is new of these people's keyrings. One that does not verify is left as it was known.
  func fetchKeyrings(_ users: [UserID], _ connection: CloudConnection) async throws {
    for part in stride(from: 0, to: users.count, by: Limits.requestItems) {
      let some = users[part..<min(part + Limits.requestItems, users.count)]
      let known = try database.read { transaction in
        try some.map { ($0, try transaction.keyringPosition($0)) }
      }
      let request = WireKeyringsRequest.with {
        $0.users = known.map { user, position in
          .with {
            $0.user = data(user.bytes)
            $0.after = position
          }
        }
      }
      do {
        let answer = try await connection.call(.keyrings, request, answer: WireKeyrings.self)
        try store(answer.keyrings, asked: Set(some))
      } catch CloudFailure.refused(.limitExceeded) where some.count > 1 {
        // Together they are too long for one answer; alone each fits, or is nobody's fault but its owner's.
        for user in some { try await fetchKeyrings([user], connection) }
      } catch CloudFailure.refused(.limitExceeded) {
        continue
      }
    }
  }

  private func store(_ keyrings: [WireKeyring], asked: Set<UserID>) throws {
    try database.write { transaction in
      for keyring in keyrings where !keyring.entries.isEmpty {
        guard let user = UserID(bytes: keyring.user), asked.contains(user) || Defence.askedUser.isDown else {
          throw CloudFailure.nonsense
        }
        // A keyring that forks or goes back is not believed; records that need more of it are then refused.
        let entries = try? keyring.entries.map { try SignedRecord($0) }
        if let entries { _ = try? transaction.extendKeyring(user, with: entries) }
      }
    }
  }

  /// Of people that were asked about: a server introduces nobody.
  func extendKeyrings(
    _ heads: [WireKeyringHead], asked: Set<UserID>, _ connection: CloudConnection
  ) async throws {
    let behind = try database.read { transaction in
      try heads.compactMap { head -> UserID? in
        guard let user = UserID(bytes: head.user), asked.contains(user) || Defence.askedUser.isDown else { return nil }
        return try transaction.keyringPosition(user) < head.position ? user : nil
      }
    }
    if !behind.isEmpty { try await fetchKeyrings(behind, connection) }
  }

  /// Looks a person up by handle and verifies their keyring. Nil: nobody has that handle.
  public func lookUp(handle: String) async throws -> Keyring? {
    guard isValidHandle(handle) else { return nil }
    do {
      let found = try await connection().call(.handle(handle), answer: WireKeyring.self)
      guard let user = UserID(bytes: found.user) else { throw CloudFailure.nonsense }
      let keyring = try Keyring(user: user, entries: found.entries.map { try SignedRecord($0) })
      guard keyring.handle == handle || Defence.namedHandle.isDown else { throw Refusal.userMismatch }
      return try database.write { transaction in
        let known = try transaction.keyringPosition(user)
        guard known < keyring.position else { return try transaction.keyring(user) ?? keyring }
        return try transaction.extendKeyring(user, with: Array(keyring.entries.dropFirst(Int(known))))
      }
    } catch CloudFailure.refused(.notFound) {
      return nil
    }
  }
}

/// A branch that this device reads.
struct FollowedBranch: Sendable {
  let id: BranchID
  let cloudID: CloudID
  let trouble: Refusal?
  /// Made here and not yet on the server.
  let isUnsent: Bool
  let isTrunk: Bool
  /// Whether it hangs in a branch of others: then nobody has promised that this user may read it.
  let isNested: Bool
  /// Whether rows of it were read that only its head can tell about, and its head was not reached.
  let isUnfinished: Bool
  /// Whether this user left it on another device: then they do not read it, whatever the server would give.
  var isLeft = false

  /// What it comes to where a server says that this user may not read it: nobody takes anybody off their own tree.
  var denial: Refusal { isTrunk && !Defence.deniedHold.isDown ? .refusalUnfounded : .branchDenied }
}

extension CloudTransaction {
  /// Home first, then the other trunks, then what pointers name.
  func followedBranches() throws -> [FollowedBranch] {
    try Row.fetchAll(
      db,
      sql: """
        SELECT id, cloud_id, trouble, line = 0 AND EXISTS (SELECT 1 FROM operations o WHERE o.branch = b.id AND o.kind = 'permit'),
          line = 0 AND enclosing IS NOT NULL AND NOT EXISTS (
            SELECT 1 FROM nodes n JOIN branches t ON t.id = n.branch WHERE n.pointer = b.id AND t.trunk IS NOT NULL),
          trunk IS NOT NULL,
          EXISTS (SELECT 1 FROM waiting w WHERE w.branch = b.id) OR EXISTS (SELECT 1 FROM owed w WHERE w.branch = b.id)
        FROM branches b WHERE cloud_id IS NOT NULL
          AND (trunk IS NOT NULL OR EXISTS (SELECT 1 FROM nodes WHERE pointer = b.id)
            -- one that is being deleted is read until it is: somebody may have written there
            OR EXISTS (SELECT 1 FROM operations o WHERE o.branch = b.id AND o.kind = 'delete'))
        ORDER BY trunk = 'home' DESC, trunk IS NULL, id
        """
    ).map {
      FollowedBranch(
        id: $0[0], cloudID: $0[1], trouble: ($0[2] as String?).flatMap { Refusal(rawValue: $0) }, isUnsent: $0[3],
        isTrunk: $0[5], isNested: $0[4], isUnfinished: $0[6])
    }
  }

  /// Everybody whose keyring is here.
  func knownUsers() throws -> [UserID] { try UserID.fetchAll(db, sql: "SELECT DISTINCT user FROM keyrings") }
}
