import CSodium

/// Hashes one leaf of a file as its bytes come (spec §10.2).
@safe public struct LeafHasher: ~Copyable {
  /// libsodium aligns it more than Swift lets a value be aligned, so Swift does not know its type.
  private let state: UnsafeMutableRawPointer
  private var isEmpty = true

  /// Begins a leaf.
  public init(_ leaf: FileLeaf) {
    prepareSodium()
    unsafe state = .allocate(byteCount: crypto_generichash_statebytes(), alignment: 64)
    _ = unsafe crypto_generichash_init(OpaquePointer(state), nil, 0, Hash32.length)
    feed((Domain.fileLeaf.prefix + [leaf.section.rawValue] + BigEndian.bytes(leaf.index))[...])
  }

  deinit { unsafe state.deallocate() }

  /// Takes the leaf's next bytes.
  public mutating func update(_ bytes: ArraySlice<UInt8>) {
    isEmpty = isEmpty && bytes.isEmpty
    feed(bytes)
  }

  /// The hash; zeros for a leaf of nothing.
  public consuming func finish() -> Hash32 {
    var output = [UInt8](repeating: 0, count: Hash32.length)
    _ = unsafe crypto_generichash_final(OpaquePointer(state), &output, output.count)
    return isEmpty ? .zeros : Hash32(exactly: output)
  }

  private func feed(_ bytes: ArraySlice<UInt8>) {
    _ = unsafe bytes.withUnsafeBufferPointer { buffer in
      unsafe crypto_generichash_update(OpaquePointer(state), buffer.baseAddress, UInt64(buffer.count))
    }
  }

  /// The hash of a whole leaf.
  public static func hash(_ bytes: [UInt8], _ leaf: FileLeaf) -> Hash32 {
    var hasher = LeafHasher(leaf)
    hasher.update(bytes[...])
    return hasher.finish()
  }
}
