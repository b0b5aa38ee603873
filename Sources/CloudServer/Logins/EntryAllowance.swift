import CloudAPI
import Signing
import Synchronization

/// How many keyring entries the devices of an account may still sign today (spec §2.5). Counted since the server was started: a thief cannot
/// start it again.
final class EntryAllowance: Sendable {
  private struct Signed {
    let time: Int64
    let count: Int
  }

  private static let day: Int64 = 24 * 3600 * 1000
  private let state = Mutex<[UserID: [Signed]]>([:])

  /// Takes note of entries, or refuses them. `before` and `entries` have been verified.
  func take(_ entries: [SignedRecord], of user: UserID, now: Int64) throws(Refusal) {
    let bodies = entries.compactMap { try? KeyringEntryBody(decoding: $0.body) }
    let count = bodies.count { $0.signer != nil }
    let isEnding = bodies.contains { if case .revokeDevice = $0.change { true } else { $0.change == .deleteAccount } }
    // Else a thief adds a device and ends it again, as often as they like.
    let isAdding = bodies.contains { if case .addDevice = $0.change { true } else { false } }
    if count == 0 || (isEnding && !isAdding && entries.count <= ServerLimits.entriesToEnd) { return }
    let isAdmitted = state.withLock { state in
      for (other, signed) in state where signed.allSatisfy({ $0.time <= now - Self.day }) { state[other] = nil }
      let today = (state[user] ?? []).filter { $0.time > now - Self.day }
      guard today.reduce(count, { $0 + $1.count }) <= ServerLimits.entriesOfDay else { return false }
      state[user] = today + [Signed(time: now, count: count)]
      return true
    }
    guard isAdmitted else { throw .tooMany }
  }
}
