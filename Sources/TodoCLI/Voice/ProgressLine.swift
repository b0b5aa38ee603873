import Sharing
import Synchronization
import Treesystem

/// One line on a terminal that says how far a sync is; it appears when that takes longer than a second, and goes at the end.
final class ProgressLine: Sendable {
  private struct State {
    var text = "syncing"
    var isShown = false
  }

  private let voice: Voice
  private let state = Mutex(State())

  init(_ voice: Voice) { self.voice = voice }

  /// Takes note of how far the sync is.
  func update(_ progress: SyncProgress) { state.withLock { $0.text = Self.text(progress) } }

  /// Draws the line again and again, until the task is cancelled.
  func draw() async throws {
    try await Task.sleep(for: .seconds(1))
    while true {
      state.withLock { state in
        state.isShown = true
        voice.prompt("\r\u{1B}[K\(state.text) …")
      }
      try await Task.sleep(for: .milliseconds(200))
    }
  }

  /// Takes the line away.
  func clear() {
    state.withLock { state in
      if state.isShown { voice.prompt("\r\u{1B}[K") }
      state.isShown = false
    }
  }

  /// `1200 received, 30 sent, 70 to go`
  static func text(_ progress: SyncProgress) -> String {
    let parts = [(progress.received, "received"), (progress.sent, "sent"), (progress.unsent, "to go")]
    let known = parts.filter { $0.0 > 0 }.map { "\($0.0) \($0.1)" }
    return known.isEmpty ? "syncing" : known.joined(separator: ", ")
  }
}

extension Session {
  /// Syncs, and says how far it is where somebody watches who might wonder.
  func syncWatched() async throws -> SyncReport {
    guard voice.isWatched else { return try await sync() }
    let line = ProgressLine(voice)
    defer { line.clear() }
    return try await withThrowingTaskGroup(of: SyncReport?.self) { group in
      group.addTask {
        try await line.draw()
        return nil
      }
      group.addTask { try await withCloud { try await $0.sync { line.update($0) } } }
      defer { group.cancelAll() }
      while let report = try await group.next() {
        if let report { return report }
      }
      throw CancellationError()
    }
  }
}
