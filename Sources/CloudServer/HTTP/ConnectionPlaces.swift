import Synchronization

/// The places that connections hold, so that one address cannot take them all.
final class ConnectionPlaces: Sendable {
  private struct State {
    var count = 0
    var ofOrigin: [String: Int] = [:]
  }

  private let limits: HTTPLimits
  private let state = Mutex(State())

  init(_ limits: HTTPLimits) { self.limits = limits }

  /// Takes one, if there is one left for where it comes from; nil comes from nowhere in particular.
  func take(for origin: String?) -> Bool {
    state.withLock { state in
      if let origin {
        let count = state.ofOrigin[origin, default: 0]
        guard count < limits.connectionsOfAddress else { return false }
        state.ofOrigin[origin] = count + 1
      }
      state.count += 1
      return true
    }
  }

  /// Gives one back.
  func free(_ origin: String?) {
    state.withLock { state in
      state.count -= 1
      guard let origin, let count = state.ofOrigin[origin] else { return }
      state.ofOrigin[origin] = count > 1 ? count - 1 : nil
    }
  }

  /// Until a request's head is there, in seconds: less while most places are taken.
  var headSeconds: Int64 {
    let isCrowded = state.withLock { $0.count * 4 >= limits.connections * 3 }
    return isCrowded ? min(limits.headSeconds, limits.crowdedHeadSeconds) : limits.headSeconds
  }
}
