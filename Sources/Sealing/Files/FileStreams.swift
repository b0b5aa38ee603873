/// Where the bytes of a file come from, in order.
public protocol FileSource {
  /// Returns the next bytes, at least one and at most `count` of them; none at the end.
  mutating func read(_ count: Int) throws -> [UInt8]
}

/// Where the bytes of a file go, in order.
public protocol FileSink {
  /// Takes the next bytes.
  mutating func write(_ bytes: [UInt8]) throws
}

extension FileSource {
  /// Reads `count` bytes; fewer only at the end.
  mutating func readAll(_ count: Int) throws -> [UInt8] {
    guard count > 0 else { return [] }
    var bytes = try read(count)
    while bytes.count < count {
      let more = try read(count - bytes.count)
      guard !more.isEmpty else { break }
      bytes += more
    }
    return bytes
  }
}
