import CloudAPI
import Signing
import Synchronization

/// Keyrings and permissions records that were read before, so that a batch does not verify the same ones again.
///
/// A keyring counts only while storage has the very same head, and a permissions record never changes under its hash:
/// so nothing here has to be taken back when a transaction is.
final class Memory: Sendable {
  private struct State {
    var keyrings: [UserID: Keyring] = [:]
    var permissions: [Hash32: PermissionsInForce] = [:]
    var lost: [UserID: Keyring] = [:]
    var bytes = 0

    /// Forgets everything at the limit: simpler than an order of use, and as rare.
    mutating func charge(_ more: Int) {
      if bytes + more > ServerLimits.memoryBytes {
        keyrings = [:]
        lost = [:]
        permissions = [:]
        bytes = 0
      }
      bytes += more
    }
  }

  private let state = Mutex(State())

  /// A user's keyring as storage has it.
  func keyring(of user: UserID, in storage: any CloudStorageReader) throws -> Keyring? {
    guard let head = try storage.keyringHead(of: user) else { return nil }
    var known = state.withLock { $0.keyrings[user] }
    if let known, known.head == head.hash { return known }
    if known.map({ $0.position >= head.position }) == true { known = nil }
    let entries = try storage.keyringEntries(of: user, after: known?.position ?? 0)
    // Storage holds what was verified: what fails here is a fault of ours, not of the one who asks.
    guard let keyring = Self.extend(known, by: entries, of: user), keyring.head == head.hash else {
      throw StorageFailure.damaged
    }
    remember(keyring, added: entries)
    return keyring
  }

  /// By which keyring somebody's records are judged: that of their account, or what others gave back of one that was lost. Whoever has
  /// signed up again may have sent the beginning only.
  func anyKeyring(of user: UserID, in storage: any CloudStorageReader) throws -> Keyring? {
    let account = try keyring(of: user, in: storage)
    let entries = try storage.lostKeyring(of: user)
    guard entries.count > account?.entries.count ?? 0 else { return account }
    var known = state.withLock { $0.lost[user] }
    if known?.entries != entries {
      known = try? Keyring(user: user, entries: entries)
      let keyring = known
      state.withLock {
        $0.charge(entries.reduce(0) { $0 + $1.body.count + 256 })
        $0.lost[user] = keyring
      }
    }
    guard let known else { throw StorageFailure.damaged }
    return known.entries.starts(with: account?.entries ?? []) ? known : account
  }

  private static func extend(_ known: Keyring?, by entries: [SignedRecord], of user: UserID) -> Keyring? {
    guard var known else { return try? Keyring(user: user, entries: entries) }
    guard (try? known.append(entries)) != nil else { return nil }
    return known
  }

  private func remember(_ keyring: Keyring, added: [SignedRecord]) {
    let bytes = added.reduce(0) { $0 + $1.body.count + 256 }
    state.withLock {
      $0.charge(bytes)
      $0.keyrings[keyring.user] = keyring
    }
  }

  /// A permissions record that storage has put in force.
  func permissions(_ record: SignedRecord) throws -> PermissionsInForce {
    let hash = record.hash
    if let known = state.withLock({ $0.permissions[hash] }) { return known }
    guard let permissions = try? PermissionsInForce(stored: record) else { throw StorageFailure.damaged }
    state.withLock {
      $0.charge(3 * record.body.count)
      $0.permissions[hash] = permissions
    }
    return permissions
  }
}
