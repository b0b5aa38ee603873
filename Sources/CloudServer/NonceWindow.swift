import CloudAPI
import Signing
import Synchronization

/// The nonces of requests that have not expired: a request that was seen is not carried out again.
///
/// They are not kept over a restart. Then a request of the last minute could be replayed: what it writes is written
/// once all the same, because a line is found by its record hash.
final class NonceWindow: Sendable {
  private struct Seen: Hashable {
    let caller: Caller
    let nonce: String
  }

  private struct State {
    var byExpiry: [Int64: Set<Seen>] = [:]
    var ofUser: [UserID: Int] = [:]
    var count = 0

    mutating func forget(before second: Int64) {
      for expiry in byExpiry.keys where expiry <= second {
        for seen in byExpiry.removeValue(forKey: expiry) ?? [] {
          count -= 1
          let left = (ofUser[seen.caller.user] ?? 1) - 1
          ofUser[seen.caller.user] = left > 0 ? left : nil
        }
      }
    }
  }

  private let limit: Int
  private let state = Mutex(State())

  /// So many are remembered at most.
  init(limit: Int = ServerLimits.nonces) { self.limit = limit }

  /// Remembers a believed signature, or refuses one that was seen. `now` is in milliseconds.
  func admit(_ signature: RequestSignature, now: Int64) throws(Refusal) {
    let seen = Seen(caller: signature.caller, nonce: signature.nonce)
    let refusal = state.withLock { state -> Refusal? in
      state.forget(before: now / 1000)
      if state.byExpiry[signature.expires]?.contains(seen) == true { return .nonceSeen }
      let ofUser = state.ofUser[seen.caller.user] ?? 0
      guard ofUser < ServerLimits.noncesOfUser, state.count < limit else { return .tooMany }
      state.byExpiry[signature.expires, default: []].insert(seen)
      state.ofUser[seen.caller.user] = ofUser + 1
      state.count += 1
      return nil
    }
    if let refusal { throw refusal }
  }
}
