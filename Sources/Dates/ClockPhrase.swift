/// Reads the time of day: `18:00`, `6pm`, `6:30 pm`, `noon`.
enum ClockPhrase {
  /// Minutes since midnight; nil for what does not look like a time, an error for `25:00`.
  static func minute(_ text: Substring) throws(PhraseError) -> Int? {
    switch text {
    case "noon": return 720
    case "midnight": return 0
    default: break
    }
    let half = text.hasSuffix("am") ? "am" : text.hasSuffix("pm") ? "pm" : nil
    let numbers = half == nil ? text : text.dropLast(2)
    let parts = numbers.split(separator: ":", omittingEmptySubsequences: false)
    guard (1...3).contains(parts.count), parts.count > 1 || half != nil else { return nil }
    let isClock = parts.enumerated().allSatisfy { index, part in
      part.allSatisfy { $0.isASCII && $0.isNumber } && (index == 0 ? (1...2).contains(part.count) : part.count == 2)
    }
    guard isClock, let hour = Int(parts[0]) else { return nil }
    let minute = parts.count > 1 ? Int(parts[1]) ?? 60 : 0
    let second = parts.count > 2 ? Int(parts[2]) ?? 60 : 0
    guard minute < 60, second < 60 else { throw .noSuchTime }
    guard let half else {
      guard hour < 24 else { throw .noSuchTime }
      return hour * 60 + minute
    }
    guard (1...12).contains(hour) else { throw .noSuchTime }
    return (hour % 12 + (half == "pm" ? 12 : 0)) * 60 + minute
  }
}
