import Synchronization

/// Blobs in memory, for a server whose files nobody will miss: in tests and in the simulation.
public final class MemoryBlobStore: BlobStore {
  private let blobs = Mutex<[BlobName: [UInt64: [UInt8]]]>([:])

  /// Makes an empty one.
  public init() {}

  public func begin() -> any BlobWriter { Writer(store: self) }

  public func read(_ part: BlobPart, _ range: Range<UInt64>) throws -> [UInt8] {
    try blobs.withLock { blobs in
      guard let bytes = blobs[part.blob]?[part.number], range.upperBound <= UInt64(bytes.count) else {
        throw StorageFailure.damaged
      }
      return Array(bytes[Int(range.lowerBound)..<Int(range.upperBound)])
    }
  }

  public func delete(_ part: BlobPart) { blobs.withLock { $0[part.blob]?[part.number] = nil } }
  public func delete(_ blob: BlobName) { blobs.withLock { $0[blob] = nil } }
  public func list() -> [BlobName] { blobs.withLock { Array($0.keys) } }
  public func parts(of blob: BlobName) -> Set<UInt64> { blobs.withLock { Set($0[blob]?.keys.map { $0 } ?? []) } }

  private func keep(_ bytes: [UInt8], as part: BlobPart) {
    blobs.withLock { $0[part.blob, default: [:]][part.number] = bytes }
  }

  private final class Writer: BlobWriter {
    private let store: MemoryBlobStore
    private var bytes: [UInt8] = []

    init(store: MemoryBlobStore) { self.store = store }

    func write(_ more: [UInt8]) { bytes += more }
    func finish() {}
    func keep(as part: BlobPart) { store.keep(bytes, as: part) }
    func discard() { bytes = [] }
  }
}
