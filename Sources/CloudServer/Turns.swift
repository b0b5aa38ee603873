import CloudAPI
import Signing
import Synchronization

/// For whom the server works: requests of one party are worked on one after the other (spec §6.4).
enum Party: Hashable, Sendable {
  /// The account whose device or root has signed.
  case account(UserID)
  /// Where a request comes from that nobody has signed, or not well.
  case origin(String)
}

/// Whose turn it is. Of each party one job is in the line or done at a time. Once that is done its next one goes to the end of the line, behind
/// at most one of each other party: whoever sends much waits for themselves.
final class Turns: Sendable {
  typealias Job = @Sendable () -> Void

  private let limit: Int
  private let hand: @Sendable (@escaping Job) -> Void
  /// What waits of each party that has a job in the line.
  private let waiting = Mutex<[Party: [Job]]>([:])

  /// `limit` jobs of one party wait at most. `hand` puts a job at the end of the line, where it is done exactly once.
  init(limit: Int = ServerLimits.requestsWaiting, handingTo hand: @escaping @Sendable (@escaping Job) -> Void) {
    self.limit = limit
    self.hand = hand
  }

  /// Does a job when it is the party's turn. Returns false, and never does it, where too many wait.
  func take(_ job: @escaping Job, of party: Party) -> Bool {
    let place = waiting.withLock { waiting -> Int? in
      guard let jobs = waiting[party] else {
        waiting[party] = []
        return 0
      }
      guard jobs.count < limit else { return nil }
      waiting[party, default: []].append(job)
      return jobs.count + 1
    }
    if place == 0 { handOn(job, of: party) }
    return place != nil
  }

  private func handOn(_ job: @escaping Job, of party: Party) {
    hand {
      job()
      let next = self.waiting.withLock { waiting -> Job? in
        guard let next = waiting[party]?.first else {
          waiting[party] = nil
          return nil
        }
        waiting[party]?.removeFirst()
        return next
      }
      if let next { self.handOn(next, of: party) }
    }
  }
}

extension Cloud {
  /// For whom a request is worked on. A name that was not signed with takes nobody's turn.
  func party(of request: CloudRequest) -> Party {
    guard let caller = try? signedHead(of: request).caller else { return .origin(request.origin) }
    return .account(caller.user)
  }
}
