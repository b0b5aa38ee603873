/// One range of an answer's bytes, as `range` names it (spec §10.4): both ends, and nothing else that HTTP allows.
public enum ByteRange {
  /// Reads the header. Nil for another form, or a range that is not within so many bytes.
  public static func read(_ text: String, within length: UInt64) -> Range<UInt64>? {
    guard text.hasPrefix("bytes=") else { return nil }
    let ends = text.dropFirst(6).split(separator: "-", omittingEmptySubsequences: false)
    guard ends.count == 2, let first = Digits.value(ends[0]), let last = Digits.value(ends[1]), first <= last,
      last < length
    else { return nil }
    return first..<last + 1
  }

  /// As `range` has it; not for an empty range.
  public static func request(_ range: Range<UInt64>) -> String { "bytes=\(range.lowerBound)-\(range.upperBound - 1)" }

  /// As `content-range` has it; nil: what was asked for is not there.
  public static func answer(_ range: Range<UInt64>?, of length: UInt64) -> String {
    guard let range else { return "bytes */\(length)" }
    return "bytes \(range.lowerBound)-\(range.upperBound - 1)/\(length)"
  }
}
