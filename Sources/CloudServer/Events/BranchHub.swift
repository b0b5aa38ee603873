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

/// Passes on, within this process, that branches have moved. It keeps nothing but what those who listen have asked about: who was not there
/// asks for the heads.
public final class BranchHub: Sendable {
  private struct State {
    var listeners: [UserID: Listeners] = [:]
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
        state.listeners[user]?.subscriptions.count ?? 0 < ServerLimits.streamsOfUser
      else { return false }
      state.listeners[user, default: Listeners(of: user)].subscriptions.append(subscription)
      state.count += 1
      return true
    }
    guard isAdmitted else { throw .tooMany }
  }

  /// Forgets a listener.
  func remove(_ subscription: BranchSubscription) {
    state.withLock { state in
      let user = subscription.caller.user
      guard let some = state.listeners[user]?.subscriptions, let index = some.firstIndex(where: { $0 === subscription })
      else { return }
      state.listeners[user]?.subscriptions.remove(at: index)
      if some.count == 1 { state.listeners[user] = nil }
      state.count -= 1
    }
  }

  /// Remembers what a device of somebody who listens asks about, before it is answered: so whatever the answer does not say comes as an event.
  func note(_ branches: [CloudID], askedBy user: UserID) {
    state.withLock { state in
      guard state.listeners[user] != nil else { return }
      for branch in branches { state.listeners[user]?.ask(branch) }
    }
  }

  /// What those who listen for a user may be told of, by id.
  func branches(for user: UserID) -> [CloudID] { state.withLock { $0.listeners[user]?.branches ?? [] } }

  /// Tells those who may hear of it. Called after the transaction is durable.
  func announce(_ moves: [BranchMove]) {
    for move in moves {
      let (hearers, others) = state.withLock { state in
        let hearers = move.readers.compactMap { state.listeners[$0] }.filter { $0.hear(of: move.event.branch) }
          .flatMap(\.subscriptions)
        guard move.changesReaders else { return (hearers, [BranchSubscription]()) }
        let others = state.listeners.filter { !move.readers.contains($0.key) }.flatMap(\.value.subscriptions)
        return (hearers, others)
      }
      for subscription in others { subscription.forget(move.event.branch) }
      for subscription in hearers { subscription.tell(move.event) }
    }
  }

  /// Ends what devices of a user listen to, unless they are still active.
  func end(of user: UserID, unless isActive: (DeviceID) -> Bool) {
    let some = state.withLock { $0.listeners[user]?.subscriptions ?? [] }
    for subscription in some where subscription.caller.device.map(isActive) != true { subscription.end() }
  }
}
