import CloudAPI
import Signing
import Synchronization

/// A branch that a transaction has moved, and who may hear of it.
struct BranchMove: Sendable {
  let event: BranchEvent
  let readers: Set<UserID>
  /// Whether the transaction changed who that is.
  let changesReaders: Bool
}

/// Passes on, within this process, that branches have moved. It keeps nothing: who was not there asks for the heads.
public final class BranchHub: Sendable {
  private struct State {
    var subscriptions: [UserID: [BranchSubscription]] = [:]
    var count = 0
    var isClosed = false
  }

  private let state = Mutex(State())

  public init() {}

  /// Whether nobody listens: then nobody has to find out who may hear.
  var isIdle: Bool { state.withLock { $0.count == 0 } }

  /// Lets somebody listen, who then has to be let go.
  func add(_ subscription: BranchSubscription) throws(Refusal) {
    let isAdmitted = state.withLock { state in
      let user = subscription.caller.user
      guard !state.isClosed, state.count < ServerLimits.streams,
        state.subscriptions[user, default: []].count < ServerLimits.streamsOfUser
      else { return false }
      state.subscriptions[user, default: []].append(subscription)
      state.count += 1
      return true
    }
    guard isAdmitted else { throw .tooMany }
  }

  /// Forgets a listener.
  func remove(_ subscription: BranchSubscription) {
    state.withLock { state in
      let user = subscription.caller.user
      guard var some = state.subscriptions[user], let index = some.firstIndex(where: { $0 === subscription }) else {
        return
      }
      some.remove(at: index)
      state.subscriptions[user] = some.isEmpty ? nil : some
      state.count -= 1
    }
  }

  /// Tells those who may hear of it. Called after the transaction is durable.
  func announce(_ moves: [BranchMove]) {
    for move in moves {
      let (hearers, others) = state.withLock { state in
        let hearers = move.readers.flatMap { state.subscriptions[$0] ?? [] }
        guard move.changesReaders else { return (hearers, [BranchSubscription]()) }
        return (hearers, state.subscriptions.filter { !move.readers.contains($0.key) }.flatMap(\.value))
      }
      for subscription in others { subscription.forget(move.event.branch) }
      for subscription in hearers { subscription.tell(move.event) }
    }
  }

  /// Ends what devices of a user listen to, unless they are still active.
  func end(of user: UserID, unless isActive: (DeviceID) -> Bool) {
    let some = state.withLock { $0.subscriptions[user] ?? [] }
    for subscription in some where subscription.caller.device.map(isActive) != true { subscription.end() }
  }
}
