public import Dates

/// The value of an RRULE, which passes through whether or not this program can follow it.
public enum Rule {
  /// In upper case; nil for what is no rule.
  static func cleaned(_ text: String) -> String? {
    let text = text.uppercased()
    let isRule = text.utf8.allSatisfy { (0x21...0x7E).contains($0) }
    return isRule && Bytes(text).split(separator: .semicolon).contains { $0.starts(with: "FREQ=") } ? text : nil
  }

  /// The repetition of a rule, also where other programs say more than is needed: `FREQ=DAILY` on some days of the week, `BYMONTHDAY=-1`,
  /// the month and the day on which a yearly one began. Nil for what cannot be followed, such as an end.
  /// - Parameter day: the first one.
  public static func followed(_ rule: String, from day: Day?) -> Repetition? {
    if let repetition = Repetition(rule: rule) { return repetition }
    var parts: [(name: String, value: String)] = rule.uppercased().split(separator: ";").compactMap { part in
      let pair = part.split(separator: "=", maxSplits: 1).map(String.init)
      return pair.count == 2 ? (pair[0], pair[1]) : nil
    }
    func value(_ name: String) -> String? { parts.first { $0.name == name }?.value }
    func set(_ name: String, _ value: String?) {
      parts = parts.compactMap { $0.name == name ? value.map { (name, $0) } : $0 }
    }
    if value("FREQ") == "DAILY", value("BYDAY") != nil, value("INTERVAL") ?? "1" == "1" { set("FREQ", "WEEKLY") }
    if value("FREQ") == "MONTHLY", value("BYMONTHDAY") == "-1" { set("BYMONTHDAY", "31") }
    if value("FREQ") == "YEARLY", let day, value("BYMONTH").flatMap({ Int($0) }) == day.parts.month,
      value("BYMONTHDAY").map({ Int($0) == day.parts.day }) ?? true
    {
      set("BYMONTH", nil)
      set("BYMONTHDAY", nil)
    }
    return Repetition(rule: parts.map { "\($0.name)=\($0.value)" }.joined(separator: ";"))
  }

  /// The repetition, if it is no more than every so many of a unit and would be read back as the same rule.
  static func plain(_ rule: String) -> Repetition? {
    guard let repetition = Repetition(rule: rule), repetition.weekdays.isEmpty, repetition.monthDay == nil,
      repetition.rule == rule
    else { return nil }
    return repetition
  }
}
