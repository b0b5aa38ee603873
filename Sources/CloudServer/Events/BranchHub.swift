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
    /// Of those who come from somewhere that is known.
    var ofOrigin: [String: Int] = [:]
    var isClosed = false

    mutating func add(_ subscription: BranchSubscription) {
      let user = subscription.caller.user
      listeners[user, default: Listeners(of: user)].subscriptions.append(subscription)
      count += 1
      if !subscription.origin.isEmpty { ofOrigin[subscription.origin, default: 0] += 1 }
    }

    mutating func remove(_ subscription: BranchSubscription) {
      let user = subscription.caller.user
      guard let some = listeners[user]?.subscriptions, let index = some.firstIndex(where: { $0 === subscription })
      else { return }
      listeners[user]?.subscriptions.remove(at: index)
      if some.count == 1 { listeners[user] = nil }
      count -= 1
      guard let left = ofOrigin[subscription.origin] else { return }
      ofOrigin[subscription.origin] = left > 1 ? left - 1 : nil
    }
  }

  private let state = Mutex(State())

  public init() {}

  /// Whether nobody listens: then nobody has to find out who may hear.
  var isIdle: Bool { state.withLock { $0.count == 0 } }

  /// Lets somebody listen, who then has to be let go. Where all places are taken, whoever has the most gives one to whoever would have fewer
  /// all the same: a few accounts do not take them from everybody.
  func add(_ subscription: BranchSubscription) throws(Refusal) {
    let (isAdmitted, ended) = state.withLock { state -> (Bool, BranchSubscription?) in
      let user = subscription.caller.user
      let own = state.listeners[user]?.subscriptions.count ?? 0
      guard !state.isClosed, own < ServerLimits.streamsOfUser,
        state.ofOrigin[subscription.origin] ?? 0 < ServerLimits.streamsOfOrigin
      else { return (false, nil) }
      var ended: BranchSubscription?
      if state.count >= ServerLimits.streams {
        let most = state.listeners.values.max { $0.subscriptions.count < $1.subscriptions.count }
        guard let most, most.subscriptions.count > own + 1, let last = most.subscriptions.last else {
          return (false, nil)
        }
        state.remove(last)
        ended = last
      }
      state.add(subscription)
      return (true, ended)
    }
    ended?.end()
    guard isAdmitted else { throw .tooMany }
  }

  /// Forgets a listener.
  func remove(_ subscription: BranchSubscription) { state.withLock { $0.remove(subscription) } }

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
