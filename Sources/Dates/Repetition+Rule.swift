extension Repetition {
  private static let codes = ["MO", "TU", "WE", "TH", "FR", "SA", "SU"]

  /// As RFC 5545 writes it: `FREQ=WEEKLY;INTERVAL=2;BYDAY=MO,TH`.
  public var rule: String {
    var parts = ["FREQ=\(unit.rawValue)"]
    if interval > 1 { parts.append("INTERVAL=\(interval)") }
    if !weekdays.isEmpty {
      parts.append("BYDAY=" + weekdays.sorted().map { Self.codes[$0 - 1] }.joined(separator: ","))
    }
    if let monthDay { parts.append("BYMONTHDAY=\(monthDay)") }
    return parts.joined(separator: ";")
  }

  /// Nil for a rule that this cannot express.
  public init?(rule: some StringProtocol) {
    var values: [String: String] = [:]
    for part in rule.uppercased().split(separator: ";") {
      let pair = part.split(separator: "=", maxSplits: 1).map(String.init)
      guard pair.count == 2, values.updateValue(pair[1], forKey: pair[0]) == nil else { return nil }
    }
    guard let unit = values.removeValue(forKey: "FREQ").flatMap(Unit.init),
      let interval = Int(values.removeValue(forKey: "INTERVAL") ?? "1")
    else { return nil }
    var weekdays: Set<Int> = []
    for code in values.removeValue(forKey: "BYDAY")?.split(separator: ",") ?? [] {
      guard let index = Self.codes.firstIndex(of: String(code)) else { return nil }
      weekdays.insert(index + 1)
    }
    var monthDay: Int?
    if let text = values.removeValue(forKey: "BYMONTHDAY") {
      guard let number = Int(text) else { return nil }
      monthDay = number
    }
    values.removeValue(forKey: "WKST")
    guard values.isEmpty else { return nil }
    self.init(every: interval, unit, weekdays: weekdays, monthDay: monthDay)
  }

  /// `every 2 weeks on mon and thu`
  public var words: String {
    if self == Repetition(.week, weekdays: [1, 2, 3, 4, 5]) { return "every workday" }
    let name = ["day", "week", "month", "year"][Unit.allCases.firstIndex(of: unit) ?? 0]
    let every = interval == 1 ? "every \(name)" : "every \(interval) \(name)s"
    if !weekdays.isEmpty {
      let days = weekdays.sorted().map { ["mon", "tue", "wed", "thu", "fri", "sat", "sun"][$0 - 1] }
      return interval == 1 ? "every \(Self.listed(days))" : "\(every) on \(Self.listed(days))"
    }
    guard let monthDay else { return every }
    return "\(every) on the \(monthDay)\(Self.ending(of: monthDay))"
  }

  private static func listed(_ words: [String]) -> String {
    guard let last = words.last, words.count > 1 else { return words.joined() }
    return words.dropLast().joined(separator: ", ") + " and " + last
  }

  private static func ending(of number: Int) -> String {
    if (11...13).contains(number) { return "th" }
    return [1: "st", 2: "nd", 3: "rd"][number % 10] ?? "th"
  }
}
