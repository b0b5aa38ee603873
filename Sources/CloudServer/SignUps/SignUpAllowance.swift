import CloudAPI
import Synchronization

/// How many accounts and handles strangers may still take today, by where they come from (spec §6.4). Counted since the server was started.
final class SignUpAllowance: Sendable {
  private struct Taken {
    let time: Int64
    let origin: String
  }

  private static let day: Int64 = 24 * 3600 * 1000
  /// In order.
  private let state = Mutex<[Taken]>([])

  /// Refuses one more from an origin that has had its share.
  func check(_ origin: String, now: Int64) throws(Refusal) {
    let count = state.withLock { state in
      state.removeAll { $0.time <= now - Self.day }
      return state.count { $0.origin == origin }
    }
    guard count < ServerLimits.handlesOfOrigin else { throw .tooMany }
  }

  /// Takes note of one that was given.
  func take(_ origin: String, now: Int64) { state.withLock { $0.append(Taken(time: now, origin: origin)) } }
}
