/// Where the bytes of a file come from, in order.
public protocol FileSource {
  /// Returns the next bytes, at least one and at most `count` of them; none at the end.
  mutating func read(_ count: Int) throws -> [UInt8]
  /// Puts the next bytes into `range` of `buffer`, from its beginning on. Returns how many they are: at least one, none at the end. A source
  /// that does not say how reads them by `read(_:)`, which takes a copy more.
  mutating func read(into buffer: inout [UInt8], at range: Range<Int>) throws -> Int
}

/// Where the bytes of a file go, in order.
public protocol FileSink {
  /// Takes the next bytes.
  mutating func write(_ bytes: [UInt8]) throws
}

extension FileSource {
  public mutating func read(into buffer: inout [UInt8], at range: Range<Int>) throws -> Int {
    let bytes = try read(range.count)
    // Too many are told, not taken: whoever asked sees that it is another number.
    if bytes.count <= range.count { overwrite(&buffer, at: range.lowerBound, with: bytes[...]) }
    return bytes.count
  }

  /// Fills `range` of `buffer`; less of it only at the end. Returns how many bytes came.
  mutating func fill(_ buffer: inout [UInt8], at range: Range<Int>) throws -> Int {
    var place = range.lowerBound
    while place < range.upperBound {
      let count = try read(into: &buffer, at: place..<range.upperBound)
      guard count > 0 else { break }
      place += count
    }
    return place - range.lowerBound
  }

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

/// Puts bytes in the place of as many others.
package func overwrite(_ buffer: inout [UInt8], at place: Int, with bytes: ArraySlice<UInt8>) {
  precondition(place >= 0 && bytes.count <= buffer.count - place, "more bytes than there is room for")
  unsafe buffer.withUnsafeMutableBytes { buffer in
    unsafe bytes.withUnsafeBytes {
      unsafe UnsafeMutableRawBufferPointer(rebasing: buffer[place...]).copyMemory(from: $0)
    }
  }
}
