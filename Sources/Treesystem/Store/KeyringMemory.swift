import CloudAPI
import Signing
import Synchronization

/// Keyrings that were verified before, so that whoever asks again does not verify them again.
///
/// One counts only while the database has the very same last entry at the same position: it names all before it, so nothing here
/// has to be taken back when a transaction is.
final class KeyringMemory: Sendable {
  /// Of all keyrings together: some MB.
  private static let entries = 20_000

  private struct State {
    var keyrings: [UserID: Keyring] = [:]
    var entries = 0
  }

  private let state = Mutex(State())

  /// The keyring that ends with this entry.
  func keyring(of user: UserID, at position: UInt32, _ last: SignedRecord) -> Keyring? {
    state.withLock { $0.keyrings[user] }.flatMap { $0.position == position && $0.entries.last == last ? $0 : nil }
  }

  /// Forgets everything at the limit: simpler than an order of use, and as rare.
  func remember(_ keyring: Keyring) {
    state.withLock { state in
      state.entries += keyring.entries.count - (state.keyrings[keyring.user]?.entries.count ?? 0)
      if state.entries > Self.entries {
        state.keyrings = [:]
        state.entries = keyring.entries.count
      }
      state.keyrings[keyring.user] = keyring
    }
  }
}
