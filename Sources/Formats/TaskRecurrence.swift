import Dates

/// How often, as Taskwarrior says it in `recur`: `weekly`, `3d`, `2wks`, `P1M`.
enum TaskRecurrence {
  /// As the value of an RRULE; nil for what this program cannot follow, such as hours.
  static func rule(_ recur: String) -> String? {
    let text = recur.lowercased()
    if text == "weekdays" { return workdays }
    var digits = Bytes(text).prefix(while: \.isDigit)
    var name = text.utf8.dropFirst(digits.count)
    if text.hasPrefix("p") {
      digits = Bytes(text).dropFirst().prefix(while: \.isDigit)
      name = text.utf8.dropFirst(digits.count + 1)
      guard !digits.isEmpty, name.count == 1 else { return nil }
    }
    let count = digits.isEmpty ? 1 : digits.number ?? 0
    guard let (factor, unit) = units[String(name) ?? ""] else { return nil }
    return Repetition(every: count * factor, unit)?.rule
  }

  /// Nil for a rule that Taskwarrior cannot follow.
  static func recur(_ rule: String) -> String? {
    if rule == workdays { return "weekdays" }
    guard let plain = Rule.plain(rule) else { return nil }
    let names: [Repetition.Unit: (once: String, often: String)] = [
      .day: ("daily", "days"), .week: ("weekly", "weeks"), .month: ("monthly", "months"), .year: ("yearly", "years"),
    ]
    return names[plain.unit].map { plain.interval == 1 ? $0.once : "\(plain.interval)\($0.often)" }
  }

  private static let workdays = "FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR"

  private static let units: [String: (Int, Repetition.Unit)] = {
    let names: [(String, Int, Repetition.Unit)] = [
      ("daily days day d", 1, .day),
      ("weekly weeks week wks wk w", 1, .week),
      ("biweekly fortnight sennight", 2, .week),
      ("monthly months month mnths mths mth mos mo m", 1, .month),
      ("bimonthly", 2, .month),
      ("quarterly quarters quarter qrtrs qrtr qtrs qtr q", 3, .month),
      ("semiannual", 6, .month),
      ("yearly annual years year yrs yr y", 1, .year),
      ("biyearly biannual", 2, .year),
    ]
    var units: [String: (Int, Repetition.Unit)] = [:]
    for (words, count, unit) in names {
      for word in words.split(separator: " ") { units[String(word)] = (count, unit) }
    }
    return units
  }()
}
