import Synchronization

/// Remembers what was signed, so that a simulation does not check the same signature a hundred times over.
/// Shipped programs never switch it on: they check every signature every time.
package enum SignatureMemo {
  private struct Signed: Equatable {
    let key: PublicKey
    let message: [UInt8]
  }

  private static let isOn = Atomic(false)
  private static let known = Mutex<[Signature: Signed]>([:])
  private static let kept = Mutex<[Signature: Signed]>([:])

  /// Begins to remember.
  package static func install() { isOn.store(true, ordering: .relaxed) }

  /// Keeps what was signed so far for good.
  package static func keep() {
    let present = known.withLock { $0 }
    kept.withLock { $0 = present }
  }

  /// Forgets what was signed since `keep`.
  package static func clear() {
    let present = kept.withLock { $0 }
    known.withLock { $0 = present }
  }

  /// Whether this very signature was made or found good before.
  static func holds(_ signature: Signature, of message: [UInt8], by key: PublicKey) -> Bool {
    guard isOn.load(ordering: .relaxed) else { return false }
    return known.withLock { $0[signature] } == Signed(key: key, message: message)
  }

  static func remember(_ signature: Signature, of message: [UInt8], by key: PublicKey) {
    guard isOn.load(ordering: .relaxed) else { return }
    known.withLock { $0[signature] = Signed(key: key, message: message) }
  }
}
