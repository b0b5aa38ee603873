import Sealing

/// A picture in memory, with the small copy that a conversation shows of it. A large one is better read from its file, piece by piece.
struct Picture: FileSource {
  let small: [UInt8]
  let bytes: [UInt8]
  private var place = 0

  init(small: [UInt8], bytes: [UInt8]) {
    self.small = small
    self.bytes = bytes
  }

  mutating func read(_ count: Int) -> [UInt8] {
    let end = min(bytes.count, place + count)
    defer { place = end }
    return Array(bytes[place..<end])
  }
}

/// Takes a picture in, leaf by leaf as each has been checked.
struct PictureSink: FileSink {
  private(set) var bytes: [UInt8] = []

  mutating func write(_ more: [UInt8]) { bytes += more }
}
