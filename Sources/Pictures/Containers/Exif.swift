/// The little that is read of EXIF, which is a TIFF file: its first list of fields, and no other.
struct Exif {
  private(set) var orientation: Orientation?
  private(set) var hasLocation = false
  private(set) var hasCamera = false

  private static let maker = 0x010F
  private static let model = 0x0110
  private static let turning = 0x0112
  private static let place = 0x8825

  /// Nil for what is no EXIF. What of it is damaged is not read.
  init?(_ bytes: ArraySlice<UInt8>) {
    let isLittle = bytes.starts(with: [0x49, 0x49, 0x2A, 0])
    guard isLittle || bytes.starts(with: [0x4D, 0x4D, 0, 0x2A]) else { return nil }
    func number(_ start: Int, _ count: Int) -> Int? {
      guard start >= 0, count <= bytes.count - start else { return nil }
      let digits = bytes[bytes.startIndex + start..<bytes.startIndex + start + count]
      return isLittle ? digits.reversed().reduce(0) { $0 << 8 | Int($1) } : digits.reduce(0) { $0 << 8 | Int($1) }
    }
    guard let list = number(4, 4), list < bytes.count, let count = number(list, 2) else { return }
    for entry in stride(from: list + 2, to: list + 2 + 12 * count, by: 12) {
      guard let tag = number(entry, 2) else { return }
      switch tag {
      case Self.maker, Self.model: hasCamera = true
      case Self.place: hasLocation = true
      case Self.turning:
        // One short number, which stands in the entry itself.
        guard number(entry + 2, 2) == 3, let value = number(entry + 8, 2), value <= 8 else { continue }
        orientation = orientation ?? Orientation(rawValue: UInt8(value))
      default: continue
      }
    }
  }

  /// An EXIF that says the orientation only.
  static func minimal(_ orientation: Orientation) -> [UInt8] {
    [0x4D, 0x4D, 0, 0x2A, 0, 0, 0, 8, 0, 1, 1, 0x12, 0, 3, 0, 0, 0, 1, 0, orientation.rawValue, 0, 0, 0, 0, 0, 0]
  }
}
