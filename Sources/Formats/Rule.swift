import Dates

/// The value of an RRULE, which passes through whether or not this program can follow it.
enum Rule {
  /// Nil for what is no rule.
  static func cleaned(_ text: String) -> String? {
    let isRule = text.utf8.allSatisfy { (0x21...0x7E).contains($0) }
    return isRule && Bytes(text).split(separator: .semicolon).contains { $0.starts(with: "FREQ=") } ? text : nil
  }

  static func cleaned(_ bytes: Bytes) -> String? { cleaned(String(bytes)) }

  /// The repetition, if it is no more than every so many of a unit and would be read back as the same rule.
  static func plain(_ rule: String) -> Repetition? {
    guard let repetition = Repetition(rule: rule), repetition.weekdays.isEmpty, repetition.monthDay == nil,
      repetition.rule == rule
    else { return nil }
    return repetition
  }
}
