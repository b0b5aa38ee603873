import Foundation
import Synchronization

/// Runs something asynchronous to its end: the other commands play on the main thread, which an asynchronous command would have to itself.
func playing(_ body: @escaping @Sendable () async throws -> Void) throws {
  let outcome = Mutex<Result<Void, any Error>>(.success(()))
  let isOver = DispatchSemaphore(value: 0)
  Task.detached {
    do { try await body() } catch { outcome.withLock { $0 = .failure(error) } }
    isOver.signal()
  }
  isOver.wait()
  try outcome.withLock { $0 }.get()
}
