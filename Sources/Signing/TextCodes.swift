/// Lower-case base16.
public enum Base16 {
  private static let digits = Array("0123456789abcdef".utf8)

  /// Two characters a byte.
  public static func encode(_ bytes: some Sequence<UInt8>) -> String {
    var text: [UInt8] = []
    for byte in bytes {
      text.append(digits[Int(byte >> 4)])
      text.append(digits[Int(byte & 15)])
    }
    return String(decoding: text, as: UTF8.self)
  }

  /// Returns nil for anything but an even number of lower-case digits.
  public static func decode(_ text: some StringProtocol) -> [UInt8]? {
    let values = text.utf8.map { digits.firstIndex(of: $0) }
    guard values.count.isMultiple(of: 2) else { return nil }
    var bytes: [UInt8] = []
    for index in stride(from: 0, to: values.count, by: 2) {
      guard let high = values[index], let low = values[index + 1] else { return nil }
      bytes.append(UInt8(high << 4 | low))
    }
    return bytes
  }
}

/// Lower-case base32 (RFC 4648) without padding.
public enum Base32 {
  private static let digits = Array("abcdefghijklmnopqrstuvwxyz234567".utf8)

  /// Eight characters for five bytes.
  public static func encode(_ bytes: some Sequence<UInt8>) -> String {
    var text: [UInt8] = []
    var buffer: UInt32 = 0
    var bits = 0
    for byte in bytes {
      buffer = buffer << 8 | UInt32(byte)
      bits += 8
      while bits >= 5 {
        bits -= 5
        text.append(digits[Int(buffer >> UInt32(bits) & 31)])
      }
      buffer &= (1 << UInt32(bits)) - 1
    }
    if bits > 0 { text.append(digits[Int(buffer << UInt32(5 - bits) & 31)]) }
    return String(decoding: text, as: UTF8.self)
  }

  /// Returns nil for other characters, and where left-over bits are not zero: each value has one spelling.
  public static func decode(_ text: some StringProtocol) -> [UInt8]? {
    var bytes: [UInt8] = []
    var buffer: UInt32 = 0
    var bits = 0
    for character in text.utf8 {
      guard let value = digits.firstIndex(of: character) else { return nil }
      buffer = buffer << 5 | UInt32(value)
      bits += 5
      if bits >= 8 {
        bits -= 8
        bytes.append(UInt8(buffer >> UInt32(bits) & 255))
      }
      buffer &= (1 << UInt32(bits)) - 1
    }
    return buffer == 0 && bits < 5 ? bytes : nil
  }
}
