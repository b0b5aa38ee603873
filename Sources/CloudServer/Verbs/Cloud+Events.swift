public import CloudAPI
public import Signing

/// What came of asking for events.
public enum Listening: Sendable {
  /// The answer's head, and what is to be told from now on; it has to be given back to `endListening`.
  case admitted(CloudResponse, BranchSubscription)
  case refused(CloudResponse)
}

extension Cloud {
  /// Opens an event stream (spec §6.5). Whoever carries it writes what `heads` gives first, then what the subscription does.
  public func listen(_ request: CloudRequest) -> Listening {
    var subscription: BranchSubscription?
    let response = answering {
      try checkProtocol(request)
      let caller = try authenticate(request)
      let new = BranchSubscription(caller: caller, origin: Origin.isKnown(request.origin) ? request.origin : "")
      try hub.add(new)
      subscription = new
      return CloudResponse(
        status: 200,
        headers: ["content-type": "text/event-stream", "cache-control": "no-store", "x-accel-buffering": "no"])
    }
    return subscription.map { .admitted(response, $0) } ?? .refused(response)
  }

  /// Where the branches are that a listener hears of, in parts: those after one, by id; nothing at the end.
  public func heads(for subscription: BranchSubscription, after branch: CloudID?) -> [BranchEvent] {
    let user = subscription.caller.user
    let rest = hub.branches(for: user).drop { head in branch.map { head <= $0 } ?? false }
    do {
      return try storage.read { storage in
        var heads: [BranchEvent] = []
        for branch in rest where heads.count < Limits.requestItems {
          guard try storage.letters(of: user, on: branch).contains(.read), let head = try storage.head(of: branch)
          else {
            continue
          }
          heads.append(BranchEvent(branch: branch, line: head.line))
        }
        return heads
      }
    } catch {
      report(error)
      subscription.end()
      return []
    }
  }

  /// Nobody carries a stream any more.
  public func endListening(_ subscription: BranchSubscription) {
    hub.remove(subscription)
    subscription.end()
  }
}

extension CloudStorageReader {
  /// Where branches are that a transaction has moved, and who may hear of that.
  func moves(of branches: [CloudID: Bool]) throws -> [BranchMove] {
    try branches.sorted { $0.key < $1.key }.compactMap { branch, changesReaders in
      guard let head = try head(of: branch) else { return nil }
      return BranchMove(
        event: BranchEvent(branch: branch, line: head.line), readers: try readers(of: branch),
        changesReaders: changesReaders)
    }
  }
}
