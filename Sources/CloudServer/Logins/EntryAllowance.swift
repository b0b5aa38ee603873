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

  /// Takes note of entries, or refuses them.
  func take(_ room: KeyringRoom, of user: UserID, now: Int64) throws(Refusal) {
    let count = room.signedByDevices
    if count == 0 || room.isEnding { return }
    let isAdmitted = state.withLock { state in
      let today = Self.today(&state, of: user, now)
      guard today.reduce(count, { $0 + $1.count }) <= ServerLimits.entriesOfDay else { return false }
      state[user] = today + [Signed(time: now, count: count)]
      return true
    }
    guard isAdmitted else { throw .tooMany }
  }

  /// Takes note of as many entries as there is room for today, from the first; returns how many. The rest may come tomorrow.
  func takeWhatFits(_ room: KeyringRoom, of user: UserID, now: Int64) -> Int {
    if room.isEnding { return room.bodies.count }
    return state.withLock { state in
      let today = Self.today(&state, of: user, now)
      var left = ServerLimits.entriesOfDay - today.reduce(0) { $0 + $1.count }
      let fitting = room.bodies.prefix { body in
        if body.signer != nil { left -= 1 }
        return left >= 0
      }
      let count = fitting.count { $0.signer != nil }
      if count > 0 { state[user] = today + [Signed(time: now, count: count)] }
      return fitting.count
    }
  }

  private static func today(_ state: inout [UserID: [Signed]], of user: UserID, _ now: Int64) -> [Signed] {
    for (other, signed) in state where signed.allSatisfy({ $0.time <= now - day }) { state[other] = nil }
    return (state[user] ?? []).filter { $0.time > now - day }
  }
}
