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

  /// Begins to remember.
  package static func install() { isOn.store(true, ordering: .relaxed) }

  /// Forgets what was signed so far.
  package static func clear() { known.withLock { $0 = [:] } }

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
