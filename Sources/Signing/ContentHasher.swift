import CSodium

/// SHA-256 of bytes as they come, for the `content-digest` of a body that is not kept in memory (spec §6.1).
@safe public struct ContentHasher: ~Copyable {
  private let state: UnsafeMutablePointer<crypto_hash_sha256_state>

  /// Begins with nothing.
  public init() {
    prepareSodium()
    unsafe state = .allocate(capacity: 1)
    _ = unsafe crypto_hash_sha256_init(state)
  }

  deinit { unsafe state.deallocate() }

  /// Takes the next bytes.
  public mutating func update(_ bytes: [UInt8]) {
    _ = unsafe crypto_hash_sha256_update(state, bytes, UInt64(bytes.count))
  }

  /// The hash of all of them, 32 bytes.
  public consuming func finish() -> [UInt8] {
    var output = [UInt8](repeating: 0, count: 32)
    _ = unsafe crypto_hash_sha256_final(state, &output)
    return output
  }
}
