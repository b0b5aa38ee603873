import CloudAPI
import Signing
import Synchronization

/// Restorations that wait for their next request: a few, for a few minutes, in memory only. Who is interrupted begins again.
final class RestoreDesk: Sendable {
  private struct Waiting {
    let user: UserID
    let work: Restoration
    let time: Int64
  }

  private let state = Mutex<[Waiting]>([])
  /// What some branches lacked at a head; which nodes do changes with their lines only.
  private let bare = Mutex<[CloudID: (head: LogHead, nodes: [CloudID])]>([:])

  /// What a user has given back of a branch so far and is not kept yet; it is theirs alone to go on with.
  func take(_ branch: CloudID, of user: UserID, now: Int64) -> Restoration? {
    state.withLock { waiting in
      waiting.removeAll { $0.time <= now - ServerLimits.restorationLife }
      guard let index = waiting.firstIndex(where: { $0.user == user }) else { return nil }
      // Who turns to another branch has given this one up.
      let work = waiting.remove(at: index).work
      return work.branch == branch ? work : nil
    }
  }

  func keep(_ work: Restoration, of user: UserID, now: Int64) throws(Refusal) {
    let hasRoom = state.withLock { waiting in
      // Who begins several at once keeps the last of them.
      waiting.removeAll { $0.user == user }
      guard waiting.count < ServerLimits.restorations else { return false }
      waiting.append(Waiting(user: user, work: work, time: now))
      return true
    }
    guard hasRoom else { throw .tooMany }
  }

  /// The nodes of a branch that lack contents, looked for unless that was done at this head already: asking costs nothing, looking takes all nodes.
  func bare(of branch: CloudID, at head: LogHead, look: () throws -> [CloudID]) rethrows -> [CloudID] {
    if let known = bare.withLock({ $0[branch] }), known.head == head { return known.nodes }
    let nodes = try look()
    bare.withLock { known in
      // Simpler than an order of use, and as rare.
      if known.count >= ServerLimits.branchesLooked { known = [:] }
      known[branch] = (head, nodes)
    }
    return nodes
  }
}
