import CloudAPI
import Signing
import Synchronization

/// How many keyring entries of an account may still be signed today (spec §2.5), by its devices and by its root. Counted since the server was
/// started: a thief cannot start it again.
final class EntryAllowance: Sendable {
  private struct Count {
    var ofDevices = 0
    var ofRoot = 0
    var isEmpty: Bool { ofDevices == 0 && ofRoot == 0 }
  }

  private struct Signed {
    let time: Int64
    let user: UserID
    let count: Count
  }

  private struct State {
    var today: [UserID: Count] = [:]
    /// In the order in which they came, from `first` on. Each is looked at once more, when its day is over.
    var signed: [Signed] = []
    var first = 0

    mutating func forget(before time: Int64) {
      while first < signed.count, signed[first].time <= time {
        let (user, count) = (signed[first].user, signed[first].count)
        today[user]?.ofDevices -= count.ofDevices
        today[user]?.ofRoot -= count.ofRoot
        if today[user]?.isEmpty == true { today[user] = nil }
        first += 1
      }
      guard first > signed.count / 2 else { return }
      signed.removeFirst(first)
      first = 0
    }

    mutating func add(_ count: Count, of user: UserID, _ now: Int64) {
      if count.isEmpty { return }
      today[user, default: Count()].ofDevices += count.ofDevices
      today[user, default: Count()].ofRoot += count.ofRoot
      signed.append(Signed(time: now, user: user, count: count))
    }
  }

  private static let day: Int64 = 24 * 3600 * 1000
  private let state = Mutex(State())

  /// Takes note of entries, or refuses them.
  func take(_ room: KeyringRoom, of user: UserID, now: Int64) throws(Refusal) {
    guard takeWhatFits(room, of: user, now: now, orNothing: true) == room.bodies.count else { throw .tooMany }
  }

  /// Takes note of as many entries as there is room for today, from the first; returns how many. The rest may come tomorrow.
  func takeWhatFits(_ room: KeyringRoom, of user: UserID, now: Int64, orNothing: Bool = false) -> Int {
    state.withLock { state in
      state.forget(before: now - Self.day)
      var sum = state.today[user] ?? Count()
      var new = Count()
      let fitting = room.bodies.prefix { body in
        // Ending a device never waits.
        if body.signer != nil, !room.isEnding {
          sum.ofDevices += 1
          guard sum.ofDevices <= ServerLimits.entriesOfDay else { return false }
          new.ofDevices += 1
        } else if body.signer == nil {
          sum.ofRoot += 1
          guard sum.ofRoot <= ServerLimits.rootEntriesOfDay else { return false }
          new.ofRoot += 1
        }
        return true
      }
      if !orNothing || fitting.count == room.bodies.count { state.add(new, of: user, now) }
      return fitting.count
    }
  }
}
