/// A number of bytes as people write it: `25M`, `1G`, `500K`. Each letter is 1,024 times the one before.
struct ByteSize: Equatable {
  let bytes: Int64

  /// No disk is as large.
  private static let most: Int64 = 1 << 50
  private static let units: [Character: Int64] = ["K": 1 << 10, "M": 1 << 20, "G": 1 << 30, "T": 1 << 40]

  init(bytes: Int64) { self.bytes = bytes }

  /// Nil for anything else.
  init?(_ text: String) {
    let unit = text.last.flatMap { Self.units[Character($0.uppercased())] }
    let digits = unit == nil ? text[...] : text.dropLast()
    guard (1...15).contains(digits.count), digits.allSatisfy({ $0.isASCII && $0.isNumber }), let number = Int64(digits)
    else { return nil }
    let (bytes, overflow) = number.multipliedReportingOverflow(by: unit ?? 1)
    guard !overflow, bytes <= Self.most else { return nil }
    self.bytes = bytes
  }

  /// The shortest way to write it.
  var text: String {
    let unit = Self.units.filter { bytes > 0 && bytes.isMultiple(of: $0.value) }.max { $0.value < $1.value }
    return unit.map { "\(bytes / $0.value)\($0.key)" } ?? String(bytes)
  }
}
