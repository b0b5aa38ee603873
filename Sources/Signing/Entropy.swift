import CSodium

/// Where randomness comes from. Injected, so that a simulation replays from its seed.
public protocol Entropy: Sendable {
  /// Returns `count` unpredictable bytes.
  func bytes(_ count: Int) -> [UInt8]
}

/// The operating system's randomness, through libsodium.
public struct SystemEntropy: Entropy {
  public init() { prepareSodium() }
  public func bytes(_ count: Int) -> [UInt8] {
    var output = [UInt8](repeating: 0, count: count)
    unsafe randombytes_buf(&output, count)
    return output
  }
}

/// libsodium picks its fastest implementations once, before first use; calling it again does nothing.
package func prepareSodium() {
  precondition(sodium_init() >= 0, "libsodium cannot start")
}
