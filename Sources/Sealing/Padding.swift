import Signing

/// Hides the exact length of small records (spec §1.5).
public enum Padding {
  /// Appends 0x80 and zeros up to the bucket.
  public static func pad(_ bytes: [UInt8]) -> [UInt8] {
    let bucket = Int(Bucket.holding(UInt64(bytes.count) + 1))
    return bytes + [0x80] + [UInt8](repeating: 0, count: bucket - bytes.count - 1)
  }

  /// Returns nil unless `bytes` ends in 0x80 and zeros.
  public static func unpad(_ bytes: [UInt8]) -> [UInt8]? {
    guard let mark = bytes.lastIndex(where: { $0 != 0 }), bytes[mark] == 0x80 else { return nil }
    return Array(bytes[..<mark])
  }
}
