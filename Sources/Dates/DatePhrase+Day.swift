extension DatePhrase {
  /// The day that words without a time name.
  func day(of words: [Substring]) throws(PhraseError) -> Day {
    if let day = try named(words) { return day }
    if words.count == 1 {
      if let day = try isoDay(words[0]) { return day }
      if let day = try dotted(words[0]) { return day }
    }
    if let day = try calendarDay(words) { return day }
    if let span = TimeSpan(words) {
      guard let day = today.adding(span.count, span.unit) else {
        throw span.unit == .hour || span.unit == .minute ? .unknown : .outOfRange
      }
      return day
    }
    throw words.contains { $0.contains("/") && $0.first?.isNumber == true } ? .slashes : .unknown
  }

  /// `today`, `next week`, `eom`, `fri`.
  private func named(_ words: [Substring]) throws(PhraseError) -> Day? {
    let first = words[0]
    guard words.count <= 3 else { return nil }
    let phrase = words.joined(separator: " ")
    if let (edge, unit) = Self.edges[phrase] { return try self.edge(edge, of: unit) }
    switch phrase {
    case "today", "tod": return today
    case "tomorrow", "tom", "tmr": return try after(1)
    case "yesterday": return try after(-1)
    case "day after tomorrow": return try after(2)
    case "day before yesterday": return try after(-2)
    case "weekend": return try Self.weekday(6, after: today)
    case "weekday", "workday", "next workday", "next weekday": return try after([5: 3, 6: 2][today.weekday] ?? 1)
    default: break
    }
    if let weekday = Self.weekdays[phrase] { return try Self.weekday(weekday, after: today) }
    guard words.count == 2, let weekday = Self.weekdays[String(words[1])] else { return nil }
    switch first {
    case "this": return try day(weekday, ofWeek: 0)
    case "next": return try day(weekday, ofWeek: 1)
    case "last": return try Self.required(today.adding(days: -((today.weekday - weekday + 6) % 7 + 1)))
    default: return nil
    }
  }

  private enum Edge {
    /// The first day of the next one.
    case next
    /// The last day of this one.
    case end
  }

  private static let edges: [String: (Edge, TimeSpan.Unit)] = {
    let units: [(String, String, TimeSpan.Unit)] = [
      ("w", "week", .week), ("m", "month", .month), ("q", "quarter", .quarter), ("y", "year", .year),
    ]
    var edges: [String: (Edge, TimeSpan.Unit)] = [:]
    for (letter, name, unit) in units {
      for phrase in ["eo\(letter)", "end \(name)", "end this \(name)"] { edges[phrase] = (.end, unit) }
      for phrase in ["so\(letter)", "next \(name)", "start next \(name)"] { edges[phrase] = (.next, unit) }
    }
    return edges
  }()

  private func edge(_ edge: Edge, of unit: TimeSpan.Unit) throws(PhraseError) -> Day {
    let (year, month, _) = today.parts
    let next: Day? =
      switch unit {
      case .week: try day(weekStart, ofWeek: 1)
      case .month: Day(year: year, month: month, day: 1)?.adding(months: 1)
      case .quarter: Day(year: year, month: (month - 1) / 3 * 3 + 1, day: 1)?.adding(months: 3)
      default: Day(year: year + 1, month: 1, day: 1)
      }
    return try Self.required(edge == .next ? next : next?.adding(days: -1))
  }

  /// A day of this week, or so many weeks later.
  private func day(_ weekday: Int, ofWeek weeks: Int) throws(PhraseError) -> Day {
    let sinceStart = (today.weekday - weekStart + 7) % 7
    return try after(weeks * 7 - sinceStart + (weekday - weekStart + 7) % 7)
  }

  private func after(_ days: Int) throws(PhraseError) -> Day { try Self.required(today.adding(days: days)) }

  /// The first such day after another.
  static func weekday(_ weekday: Int, after day: Day) throws(PhraseError) -> Day {
    try required(day.adding(days: (weekday - day.weekday + 6) % 7 + 1))
  }

  static func required(_ day: Day?) throws(PhraseError) -> Day {
    guard let day else { throw .outOfRange }
    return day
  }

  /// The days of the week, from 1 for Monday, by their names and what these begin with.
  static let weekdays: [String: Int] = {
    let names = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"]
    var days: [String: Int] = ["tues": 2, "weds": 3, "thur": 4, "thurs": 4]
    for (index, name) in names.enumerated() {
      days[name] = index + 1
      days[String(name.prefix(3))] = index + 1
    }
    return days
  }()
}
