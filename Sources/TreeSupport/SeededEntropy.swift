import Foundation
public import Signing

/// Randomness from a seed: the same history every time.
public final class SeededEntropy: Entropy {
  private let state: Locked<(seed: [UInt8], counter: UInt64)>

  public init(_ seed: String) { state = Locked((Array(seed.utf8), 0)) }

  public func bytes(_ count: Int) -> [UInt8] {
    state.with { state in
      var output: [UInt8] = []
      while output.count < count {
        state.counter += 1
        output += sha256(state.seed + (0..<8).map { UInt8(truncatingIfNeeded: state.counter >> (8 * $0)) })
      }
      return Array(output[..<count])
    }
  }
}

/// A value that several threads may touch, one at a time.
public final class Locked<Value>: @unchecked Sendable {
  private let lock = NSLock()
  private var value: Value

  public init(_ value: Value) { self.value = value }

  public func with<Result>(_ body: (inout Value) throws -> Result) rethrows -> Result {
    lock.lock()
    defer { lock.unlock() }
    return try body(&value)
  }
}
