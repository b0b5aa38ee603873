public import CloudAPI

/// A clock that stands until it is moved.
public final class ManualClock: WallClock {
  private let time: Locked<Int64>

  public init(_ milliseconds: Int64 = 1_790_000_000_000) { time = Locked(milliseconds) }

  public func now() -> Int64 { time.with { $0 } }
  public func advance(_ milliseconds: Int64) { time.with { $0 += milliseconds } }

  /// Nobody waits: the time has come at once.
  public func sleep(_ milliseconds: Int64) async throws {
    advance(milliseconds)
    await Task.yield()
  }
}
