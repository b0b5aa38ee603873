import CSodium

/// Bytes that must not be printed. They lie in memory of their own, which is erased when nobody needs them any more.
@safe public final class SecretBytes: @unchecked Sendable {
  private let place: UnsafeMutableBufferPointer<UInt8>
  /// Whether they lie between pages that nobody can read, out of swap and core files (`sodium_malloc`).
  private let isGuarded: Bool

  /// Takes over secret bytes: where nobody else holds the array, it is erased.
  public convenience init(_ bytes: consuming [UInt8]) { self.init(bytes, isGuarded: false) }

  private init(_ bytes: consuming [UInt8], isGuarded: Bool) {
    let count = bytes.count
    // A machine that locks no more memory for this process gets it from where everything else lies.
    if isGuarded, let start = unsafe Self.guardedPages(count) {
      self.isGuarded = true
      unsafe place = UnsafeMutableBufferPointer(start: start.assumingMemoryBound(to: UInt8.self), count: count)
    } else {
      self.isGuarded = false
      unsafe place = .allocate(capacity: count)
    }
    unsafe place.initialize(repeating: 0)
    unsafe bytes.withUnsafeMutableBufferPointer { source in
      _ = unsafe place.update(fromContentsOf: source)
      unsafe sodium_memzero(source.baseAddress, source.count)
    }
  }

  private static func guardedPages(_ count: Int) -> UnsafeMutableRawPointer? {
    prepareSodium()
    return unsafe sodium_malloc(max(1, count))
  }

  /// The same bytes where no other memory runs into them, for a key that lasts.
  package func guarded() -> SecretBytes { isGuarded ? self : SecretBytes(copied(), isGuarded: true) }

  /// How many there are.
  public var count: Int { unsafe place.count }

  /// Lends the bytes to `body`, which must not keep them.
  package func withBytes<Result, Failure: Error>(
    _ body: (UnsafeBufferPointer<UInt8>) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try unsafe body(UnsafeBufferPointer(place))
  }

  /// A copy that nobody erases, for whoever has to write them down or send them.
  public func copied() -> [UInt8] { unsafe Array(place) }

  deinit {
    if isGuarded {
      // It erases them too.
      unsafe sodium_free(place.baseAddress)
    } else {
      unsafe sodium_memzero(place.baseAddress, place.count)
      unsafe place.deallocate()
    }
  }
}

extension SecretBytes: CustomStringConvertible, CustomReflectable {
  public var description: String { "(secret)" }
  public var customMirror: Mirror { Mirror(self, children: []) }
}

extension SecretBytes: Equatable {
  /// Takes the same time wherever they differ.
  public static func == (a: SecretBytes, b: SecretBytes) -> Bool {
    guard a.count == b.count, a.count > 0 else { return a.count == b.count }
    return unsafe sodium_memcmp(a.place.baseAddress!, b.place.baseAddress!, a.count) == 0
  }
}
