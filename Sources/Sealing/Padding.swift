/// Hides the exact length of small records (spec §1.5).
public enum Padding {
  /// The length that `length` bytes have when padded.
  static func bucket(_ length: Int) -> Int {
    let needed = length + 1
    guard needed > 4096 else { return (needed + 255) / 256 * 256 }
    let exponent = Int.bitWidth - 1 - needed.leadingZeroBitCount
    let digits = Int.bitWidth - exponent.leadingZeroBitCount
    let step = 1 << (exponent - digits)
    return (needed + step - 1) / step * step
  }

  /// Appends 0x80 and zeros up to the bucket.
  public static func pad(_ bytes: [UInt8]) -> [UInt8] {
    bytes + [0x80] + [UInt8](repeating: 0, count: bucket(bytes.count) - bytes.count - 1)
  }

  /// Returns nil unless `bytes` ends in 0x80 and zeros.
  public static func unpad(_ bytes: [UInt8]) -> [UInt8]? {
    guard let mark = bytes.lastIndex(where: { $0 != 0 }), bytes[mark] == 0x80 else { return nil }
    return Array(bytes[..<mark])
  }
}
