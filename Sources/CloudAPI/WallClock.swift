import Foundation

/// The time of day. Injected, so that a simulation decides what time it is.
public protocol WallClock: Sendable {
  /// Milliseconds since 1970-01-01T00:00:00Z.
  func now() -> Int64
  /// Returns when so many milliseconds have passed. All waiting goes through here.
  func sleep(_ milliseconds: Int64) async throws
}

/// The operating system's clock.
public struct SystemClock: WallClock {
  public init() {}
  public func now() -> Int64 { Int64((Date().timeIntervalSince1970 * 1000).rounded(.down)) }
  public func sleep(_ milliseconds: Int64) async throws { try await Task.sleep(for: .milliseconds(milliseconds)) }
}
