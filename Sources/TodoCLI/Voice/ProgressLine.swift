import Foundation
import Synchronization
import Treesystem

/// One line on a terminal that says how far something is, and what it waits for; it appears when that takes longer than a
/// second, and goes at the end.
final class ProgressLine: Sendable {
  private struct State {
    var text: String
    /// For another process, which says nothing here.
    var isWaiting = false
    var isShown = false
    var isOver = false
    /// Of the file that is on its way.
    var pace: TransferPace?
  }

  /// From when on a server is called silent.
  static let patience = Duration.seconds(3)

  private let voice: Voice
  /// For how long the server has owed an answer.
  private let silence: @Sendable () -> Duration
  /// How many changes are not sent, whoever sends them.
  private let unsent: @Sendable () -> Int
  private let state: Mutex<State>

  init(
    _ voice: Voice, _ text: String = "syncing", silence: @escaping @Sendable () -> Duration = { .zero },
    unsent: @escaping @Sendable () -> Int = { 0 }
  ) {
    self.voice = voice
    self.silence = silence
    self.unsent = unsent
    state = Mutex(State(text: text))
  }

  /// Takes note of how far a sync is.
  func update(_ progress: SyncProgress) {
    state.withLock { state in
      state.text = Self.text(progress)
      state.isWaiting = progress.isWaiting
    }
  }

  /// Takes note of how far a file is.
  func update(_ progress: TransferProgress) {
    let now = ContinuousClock.now
    state.withLock { state in
      if progress.isWaiting {
        state.text = Self.waitingForFiles
        return
      }
      let (direction, done, total, files) = (progress.direction, progress.done, progress.total, progress.files)
      let pace =
        state.pace?.going(direction, done: done, total: total, files: files, at: now)
        ?? TransferPace(direction, done: done, total: total, files: files, at: now)
      (state.pace, state.text) = (pace, pace.text)
    }
  }

  /// Shows the line while `body` runs, where somebody watches who might wonder. A timer draws it: a body that computes may leave no other task room.
  func shown<Result>(_ body: () async throws -> Result) async throws -> Result {
    guard voice.isWatched else { return try await body() }
    let timer = DispatchSource.makeTimerSource(queue: .global())
    timer.setEventHandler { [self] in draw() }
    timer.schedule(deadline: .now() + .seconds(1), repeating: .milliseconds(200))
    timer.resume()
    defer {
      timer.cancel()
      clear()
    }
    return try await body()
  }

  private func draw() {
    let silence = silence()
    let left = state.withLock { $0.isWaiting } ? unsent() : 0
    state.withLock { state in
      if state.isOver { return }
      state.isShown = true
      let text = Self.text(state.text, silence, unsent: state.isWaiting ? left : 0)
      voice.show(row: Self.row(text, columns: voice.columns))
    }
  }

  /// As much of a text as fits a row, with the mark that it goes on: what wraps stays on the screen when the row is drawn again.
  static func row(_ text: String, columns: Int) -> String {
    let whole = "\(text) …"
    return whole.count < columns ? whole : "\(text.prefix(max(0, columns - 2)))…"
  }

  /// Takes the line away, for good.
  func clear() {
    state.withLock { state in
      if state.isShown { voice.clearRow() }
      state.isOver = true
    }
  }

  /// `1200 received, 30 sent, 70 to go`
  static func text(_ progress: SyncProgress) -> String {
    if progress.isWaiting { return "waiting for another sync of this profile" }
    let parts = [(progress.received, "received"), (progress.sent, "sent"), (progress.unsent, "to go")]
    let known = parts.filter { $0.0 > 0 }.map { "\($0.0) \($0.1)" }
    return known.isEmpty ? "syncing" : known.joined(separator: ", ")
  }

  /// With what it waits for: `syncing, no answer from the server for 12 s`; and with what another process has to do.
  static func text(_ text: String, _ silence: Duration, unsent: Int = 0) -> String {
    let text = unsent > 0 ? "\(text), \(unsent) to go" : text
    return silence < patience ? text : "\(text), no answer from the server for \(silence.components.seconds) s"
  }
}
