import Dispatch
import Signing
import Synchronization

/// Seals the leaves of one file's data on several cores at once: whoever seals the file works too, and the others take what waits.
///
/// Nobody waits for a leaf that no one has begun. So a core that is busy with something else holds back the one leaf that it took, and
/// the file goes on without it for as long as there is room.
final class LeafCrew: Sendable {
  private struct Work {
    var waiting: [(index: UInt64, bytes: [UInt8])] = []
    var sealed: [UInt64: SealedLeaf] = [:]
    var isOver = false
  }

  private let cipher: SectionCipher
  private let work = Mutex(Work())
  /// One signal for each leaf that waits, and one for each other hand at the end.
  private let given = DispatchSemaphore(value: 0)
  /// One signal for each leaf that another hand has sealed.
  private let made = DispatchSemaphore(value: 0)
  private let others: Int
  /// How many leaves may be given before the first of them is taken: with one hand none is sealed ahead.
  let room: UInt64

  /// A crew of `hands`, of which one is the caller's own.
  init(_ cipher: SectionCipher, hands: Int) {
    self.cipher = cipher
    others = max(hands, 1) - 1
    room = others == 0 ? 1 : 2 * UInt64(hands)
    for _ in 0..<others { DispatchQueue.global().async { [self] in sealWhatComes() } }
  }

  /// Gives a leaf, whose chunks stand where they are to be sealed, to whoever is free first.
  func give(_ index: UInt64, _ bytes: consuming [UInt8]) {
    work.withLock { $0.waiting.append((index, bytes)) }
    if others > 0 { given.signal() }
  }

  /// A leaf that was given. Until it is there the caller seals what waits.
  func take(_ index: UInt64) -> SealedLeaf {
    while true {
      if let leaf = work.withLock({ $0.sealed.removeValue(forKey: index) }) { return leaf }
      if !sealNext() { made.wait() }
    }
  }

  /// Sends the other hands home. What nobody has begun stays undone.
  func end() {
    work.withLock { work in
      work.waiting = []
      work.isOver = true
    }
    for _ in 0..<others { given.signal() }
  }

  private func sealWhatComes() {
    while true {
      given.wait()
      if work.withLock({ $0.isOver }) { return }
      if sealNext() { made.signal() }
    }
  }

  /// Returns false where nothing waits.
  private func sealNext() -> Bool {
    guard case (let index, var bytes)? = work.withLock({ $0.waiting.isEmpty ? nil : $0.waiting.removeFirst() }) else {
      return false
    }
    var hasher = LeafHasher(FileLeaf(.data, index))
    for (place, chunk) in zip(SectionCipher.places(in: bytes.count), (index * FileChunk.perLeaf)...) {
      cipher.seal(chunk, in: &bytes, at: place)
      // Chunk by chunk, while it is still in the core's cache.
      hasher.update(bytes[place.lowerBound..<place.upperBound + Int(FileChunk.overhead)])
    }
    let leaf = SealedLeaf(bytes: bytes, hash: hasher.finish())
    work.withLock { $0.sealed[index] = leaf }
    return true
  }
}

/// A leaf of a file's data, as it stands in the file.
struct SealedLeaf: Sendable {
  let bytes: [UInt8]
  let hash: Hash32
}
