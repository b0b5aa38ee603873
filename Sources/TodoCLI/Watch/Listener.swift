import CloudAPI
import Sharing

/// Keeps an event stream open, and opens it again when it ends.
struct Listener {
  /// What it has to say.
  enum Word {
    case connected
    /// Branches have moved.
    case heard([BranchEvent])
    /// There is no stream, after so many failures in a row.
    case lost(failures: Int)
  }

  /// A stream that was open for so long was no failure.
  private static let lasting = Duration.seconds(10)

  let cloud: CloudSession
  let streaming: any CloudStreaming

  /// Goes on until the task is cancelled, or the server says that it is no use.
  func run(_ tell: (Word) throws -> Void) async throws {
    var backoff = Backoff.ofWatch
    while true {
      let start = ContinuousClock.now
      do {
        let events = try await cloud.events(over: streaming)
        try tell(.connected)
        for try await some in events where !some.isEmpty { try tell(.heard(some)) }
      } catch let failure as CloudFailure where failure.mayPass {
      }
      try Task.checkCancellation()
      if ContinuousClock.now - start > Self.lasting { backoff.succeed() }
      backoff.fail()
      try tell(.lost(failures: backoff.failures))
      try await Task.sleep(for: .milliseconds(backoff.pause(.random(in: 0 ... .max))))
    }
  }
}

extension Backoff {
  /// Somebody looks on: so half a second at first, and never longer than a minute.
  static let ofWatch = Backoff(shortest: 500, longest: 60_000)
}

extension CloudFailure {
  /// Whether it can be better the next time, without anybody doing anything here.
  var mayPass: Bool {
    switch self {
    case .unreachable, .nonsense: true
    case .serverNewer, .tooLarge: false
    case .refused(let refusal): refusal.isPassing
    }
  }
}
