import CloudAPI
import Signing
import Synchronization

/// Keyrings and permissions records that were read before, so that a batch does not decode the same ones again.
///
/// A keyring counts only while storage has the very same head, and a permissions record never changes under its hash:
/// so nothing here has to be taken back when a transaction is.
final class Memory: Sendable {
  private struct State {
    var keyrings = RecentlyUsed<UserID, Keyring>(limit: ServerLimits.memoryBytes / 2)
    var lost = RecentlyUsed<UserID, Keyring>(limit: ServerLimits.memoryBytes / 8)
    var permissions = RecentlyUsed<Hash32, PermissionsInForce>(limit: ServerLimits.memoryBytes / 2)
  }

  private let state = Mutex(State())
  let signatures = CheckedSignatures()

  /// A user's keyring as storage has it.
  func keyring(of user: UserID, in storage: any CloudStorageReader) throws -> Keyring? {
    guard let head = try storage.keyringHead(of: user) else { return nil }
    var known = state.withLock { $0.keyrings.value(for: user) }
    if let known, known.head == head.hash { return known }
    if known.map({ $0.position >= head.position }) == true { known = nil }
    let entries = try storage.keyringEntries(of: user, after: known?.position ?? 0)
    // Storage holds what was verified: what fails here is a fault of ours, not of the one who asks.
    guard let keyring = Self.extend(known, by: entries, of: user), keyring.head == head.hash else {
      throw StorageFailure.damaged
    }
    let cost = Self.cost(of: keyring)
    state.withLock { $0.keyrings.keep(keyring, for: user, cost: cost) }
    return keyring
  }

  /// By which keyring somebody's records are judged: that of their account, or what others gave back of one that was lost. Whoever has
  /// signed up again may have sent the beginning only.
  func anyKeyring(of user: UserID, in storage: any CloudStorageReader) throws -> Keyring? {
    let account = try keyring(of: user, in: storage)
    let length = try storage.lostKeyringLength(of: user)
    guard length > account?.entries.count ?? 0 else { return account }
    let entries = try storage.lostKeyring(of: user)
    var known = state.withLock { $0.lost.value(for: user) }
    if known?.entries != entries {
      known = try? Keyring(stored: entries, of: user)
      if let known { state.withLock { $0.lost.keep(known, for: user, cost: Self.cost(of: known)) } }
    }
    guard let known else { throw StorageFailure.damaged }
    return known.entries.starts(with: account?.entries ?? []) ? known : account
  }

  private static func extend(_ known: Keyring?, by entries: [SignedRecord], of user: UserID) -> Keyring? {
    guard var known else { return try? Keyring(stored: entries, of: user) }
    guard (try? known.append(stored: entries)) != nil else { return nil }
    return known
  }

  private static func cost(of keyring: Keyring) -> Int { keyring.entries.reduce(0) { $0 + $1.body.count + 256 } }

  /// A permissions record that storage has put in force.
  func permissions(_ record: SignedRecord) throws -> PermissionsInForce {
    let hash = record.hash
    if let known = state.withLock({ $0.permissions.value(for: hash) }) { return known }
    guard let permissions = try? PermissionsInForce(stored: record) else { throw StorageFailure.damaged }
    state.withLock { $0.permissions.keep(permissions, for: hash, cost: 3 * record.body.count) }
    return permissions
  }
}
