public import CloudAPI
import Signing
import Synchronization

/// What one listener has not taken yet: for each branch the latest line, so that a slow one costs no more than a list of branches.
public final class BranchSubscription: Sendable {
  private struct State {
    var waiting: [CloudID: UInt64] = [:]
    var isOver = false
    var wake: (@Sendable () -> Void)?
  }

  /// Who listens, and from where; empty where that is not known.
  let caller: Caller
  let origin: String
  private let state = Mutex(State())

  init(caller: Caller, origin: String = "") { (self.caller, self.origin) = (caller, origin) }

  /// `wake` is called when there is something to take, or nothing will come any more: on the thread of whoever caused it,
  /// so it only passes that on.
  public func onReady(_ wake: @escaping @Sendable () -> Void) {
    let isReady = state.withLock { state in
      state.wake = wake
      return state.isOver || !state.waiting.isEmpty
    }
    if isReady { wake() }
  }

  /// What has happened since it was last asked; by branch, each once.
  public func take() -> [BranchEvent] {
    let waiting = state.withLock { state in
      defer { state.waiting = [:] }
      return state.waiting
    }
    return waiting.sorted { $0.key < $1.key }.map { BranchEvent(branch: $0.key, line: $0.value) }
  }

  /// Whether nothing will come any more.
  public var isOver: Bool { state.withLock { $0.isOver } }

  /// Nothing more comes, and what waits is dropped.
  public func end() {
    let wake = state.withLock { state in
      state.isOver = true
      state.waiting = [:]
      return state.wake
    }
    wake?()
  }

  func tell(_ event: BranchEvent) {
    let (wake, isTooMuch) = state.withLock { state -> ((@Sendable () -> Void)?, Bool) in
      if state.isOver { return (nil, false) }
      state.waiting[event.branch] = max(state.waiting[event.branch] ?? 0, event.line)
      return (state.wake, state.waiting.count > ServerLimits.waitingEvents)
    }
    if isTooMuch { end() } else { wake?() }
  }

  /// The listener may not hear of a branch any more, not even of what waits.
  func forget(_ branch: CloudID) { state.withLock { _ = $0.waiting.removeValue(forKey: branch) } }
}
