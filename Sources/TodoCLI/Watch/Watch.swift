import CloudAPI
import Sharing
import Synchronization
import TodoCore
import Treesystem

/// What shows what a watch brings.
protocol WatchScreen: Sendable {
  /// Shows what has come since. False: nobody reads it any more.
  mutating func tellNews() throws -> Bool
  /// Says how the watch itself goes.
  func note(_ text: String)
}

/// Shows what others do, as it happens: listens to the server, pulls when it says that something moved, and prints the news.
final class Watch: Sendable {
  private struct State {
    /// Nobody knows at the beginning.
    var wantsSync = true
    var reachability = Reachability()
    /// Why the listener has given up.
    var end: (any Error)?
    /// What sends and fetches files meanwhile: a film on its way is no reason to hear nothing.
    var transfer: BackgroundSync?
  }

  private let session: Session
  /// Whose news it shows.
  private let account: Account
  private let cloud: CloudSession
  private let answers: AnswerClock
  private let listener: Listener
  private let screen: any WatchScreen
  private let state = Mutex(State())

  init(session: Session, account: Account, cloud: CloudSession, answers: AnswerClock, screen: any WatchScreen) {
    self.session = session
    self.account = account
    self.cloud = cloud
    self.answers = answers
    self.screen = screen
    listener = Listener(cloud: cloud, streaming: answers)
  }

  /// Goes on until nobody reads any more, the account goes, or the task is cancelled: the one is quiet, the others throw.
  func run() async throws {
    let (wakes, wake) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask { await self.listen { wake.yield() } }
      group.addTask { try await self.tick { wake.yield() } }
      defer { group.cancelAll() }
      wake.yield()
      do {
        try await work(wakes)
      } catch CloudFailure.refused(.deviceUnknown) {
        try await outlastSignOut()
        throw CloudFailure.refused(.deviceUnknown)
      }
    }
  }

  /// A sign-out of this profile ends its device on the server before it ends anything here.
  private func outlastSignOut() async throws {
    for _ in 1...30 {
      try requireAccount()
      try await Task.sleep(for: .milliseconds(100))
    }
  }

  private func requireAccount() throws {
    guard try session.read({ try $0.account()?.device }) == account.device else { throw Complaint.signedOut }
  }

  private func work(_ wakes: AsyncStream<Void>) async throws {
    var output = screen
    var newest: Int64 = 0
    var backoff = Backoff.ofWatch
    var notBefore = ContinuousClock.now
    for await _ in wakes {
      try requireAccount()
      if let end = state.withLock({ $0.end }) { throw end }
      try noticeChanges(after: &newest)
      if ContinuousClock.now >= notBefore, state.withLock({ $0.wantsSync && !$0.reachability.isGone }) {
        try await sync(&backoff)
        if backoff.failures > 0 { notBefore = .now + .milliseconds(backoff.pause(.random(in: 0 ... .max))) }
      }
      guard try output.tellNews() else { return }
    }
    try Task.checkCancellation()
  }

  /// Once a second: for what other commands of this profile do, and to notice that nobody reads or answers any more.
  private func tick(_ wake: @Sendable () -> Void) async throws {
    while true {
      try await Task.sleep(for: .seconds(1))
      tell { $0.look(silence: answers.silence, answers: answers.answers) }
      wake()
    }
  }

  /// What was changed in this profile since the last look has to be sent.
  private func noticeChanges(after newest: inout Int64) throws {
    let change = try session.read { try $0.newestChange() }
    if change > newest { state.withLock { $0.wantsSync = true } }
    newest = max(change, newest)
  }

  private func sync(_ backoff: inout Backoff) async throws {
    state.withLock { $0.wantsSync = false }
    do {
      _ = try await cloud.sync()
      backoff.succeed()
      session.runArrivalHook()
      try startTransfer()
      let isWanted = try session.read { try $0.wantsAnotherSync() }
      if isWanted { state.withLock { $0.wantsSync = true } }
    } catch let failure as CloudFailure where failure.mayPass {
      try Task.checkCancellation()
      backoff.fail()
      state.withLock { $0.wantsSync = true }
    }
  }

  private func startTransfer() throws {
    guard try session.read({ try $0.hasFilesToTransfer() }), state.withLock({ $0.transfer?.isRunning }) != true else {
      return
    }
    let transfer = session.startBackgroundSync()
    state.withLock { $0.transfer = transfer }
  }

  private func listen(_ wake: @Sendable () -> Void) async {
    do {
      try await listener.run { word in
        try take(word)
        wake()
      }
    } catch {
      state.withLock { $0.end = error }
      wake()
    }
  }

  private func take(_ word: Listener.Word) throws {
    switch word {
    case .connected:
      state.withLock { $0.wantsSync = true }
      tell { $0.find() }
    case .heard(let events):
      let isBehind = try session.read { transaction in try events.contains { try transaction.isBehind($0) } }
      if isBehind { state.withLock { $0.wantsSync = true } }
    case .lost(let failures) where failures > 1: tell { $0.lose() }
    case .lost: return
    }
  }

  private func tell(_ change: (inout Reachability) -> String?) {
    if let words = state.withLock({ change(&$0.reachability) }) { screen.note(words) }
  }
}

extension Complaint {
  /// What a watch ends with when its account went.
  fileprivate static let signedOut = Complaint(
    "signed_out", .notSignedUp, "this profile was signed out while its lists were watched",
    hint: "sign in with 'todo login', then watch again")
}
