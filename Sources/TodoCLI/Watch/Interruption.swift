import Foundation
import Glibc
import Synchronization

/// Ctrl-C, for a command that runs until it comes.
enum Interruption {
  /// Runs `body` until it ends or somebody interrupts. Returns whether that was the reason.
  /// - Parameter farewell: has the last word where the body does not end in time, and the program does.
  static func of(
    _ body: @escaping @Sendable () async throws -> Void, orElse farewell: @escaping @Sendable () -> Void = {}
  ) async throws -> Bool {
    let task = Task { try await body() }
    signal(SIGINT, SIG_IGN)
    let source = DispatchSource.makeSignalSource(signal: SIGINT, queue: .global())
    source.setEventHandler {
      // Whoever presses it twice does not want to wait for anything; nor for more than a moment at the first time.
      if task.isCancelled { end(farewell) }
      task.cancel()
      DispatchQueue.global().asyncAfter(deadline: .now() + .milliseconds(500)) { end(farewell) }
    }
    source.resume()
    defer {
      source.cancel()
      signal(SIGINT, SIG_DFL)
    }
    do {
      try await task.value
    } catch  where task.isCancelled {
      return true
    }
    return task.isCancelled
  }

  /// Runs what may take long and can go on another time. Ctrl-C ends it with a `CancellationError`.
  static func ending<Result: Sendable>(
    _ body: @escaping @Sendable () async throws -> Result, orElse farewell: @escaping @Sendable () -> Void = {}
  ) async throws -> Result {
    let outcome = Outcome<Result>()
    let isInterrupted = try await of(
      {
        let result = try await body()
        outcome.result.withLock { $0 = result }
      }, orElse: farewell)
    guard !isInterrupted, let result = outcome.result.withLock({ $0 }) else { throw CancellationError() }
    return result
  }

  private static func end(_ farewell: () -> Void) -> Never {
    farewell()
    _exit(Exit.interrupted.rawValue)
  }

  private final class Outcome<Result: Sendable>: Sendable {
    let result = Mutex<Result?>(nil)
  }
}
