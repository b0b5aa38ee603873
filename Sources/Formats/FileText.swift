/// The text of a file that another program wrote, in any form of Unicode.
public enum FileText {
  /// Nil for what is no text. UTF-16 and UTF-32 are known by the mark before them; lines may end with CR alone, as on old machines.
  public static func read(_ bytes: [UInt8]) -> String? {
    guard let text = unicode(bytes) else { return nil }
    let isOld = text.utf8.contains(.carriageReturn) && !text.utf8.contains(.lineFeed)
    return isOld ? String(decoding: text.utf8.map { $0 == .carriageReturn ? .lineFeed : $0 }, as: UTF8.self) : text
  }

  private static func unicode(_ bytes: [UInt8]) -> String? {
    // The mark of UTF-32 begins like that of UTF-16.
    if bytes.starts(with: [0xFF, 0xFE, 0, 0]) { return decoded(bytes, UTF32.self, [0, 1, 2, 3]) }
    if bytes.starts(with: [0, 0, 0xFE, 0xFF]) { return decoded(bytes, UTF32.self, [3, 2, 1, 0]) }
    if bytes.starts(with: [0xFF, 0xFE]) { return decoded(bytes, UTF16.self, [0, 1]) }
    if bytes.starts(with: [0xFE, 0xFF]) { return decoded(bytes, UTF16.self, [1, 0]) }
    return String(validating: bytes, as: UTF8.self)
  }

  /// - Parameter places: where the bytes of a unit stand, the least first.
  private static func decoded<Encoding: Unicode.Encoding>(
    _ bytes: [UInt8], _ encoding: Encoding.Type, _ places: [Int]
  ) -> String? {
    guard bytes.count % places.count == 0 else { return nil }
    let units = stride(from: places.count, to: bytes.count, by: places.count).map { start in
      places.reversed().reduce(0) { $0 << 8 | UInt32(bytes[start + $1]) }
    }
    return String(validating: units.lazy.map { Encoding.CodeUnit(truncatingIfNeeded: $0) }, as: encoding)
  }
}
