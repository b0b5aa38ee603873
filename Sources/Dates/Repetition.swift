/// How something comes back: a part of what RFC 5545 calls a recurrence rule, and written as one.
public struct Repetition: Hashable, Sendable {
  public enum Unit: String, Sendable, CaseIterable {
    case day = "DAILY"
    case week = "WEEKLY"
    case month = "MONTHLY"
    case year = "YEARLY"
  }

  /// The longest interval: who means more means something else.
  public static let longest = 1000

  public let unit: Unit
  /// Every so many units, from 1.
  public let interval: Int
  /// Only on these days of the week, from 1 for Monday; empty: on that of its first day. Only with weeks.
  public let weekdays: Set<Int>
  /// On this day of the month, or its last where it is shorter; nil: on that of its first day. Only with months and years.
  public let monthDay: Int?

  public init?(every interval: Int = 1, _ unit: Unit, weekdays: Set<Int> = [], monthDay: Int? = nil) {
    guard (1...Self.longest).contains(interval), weekdays.allSatisfy((1...7).contains),
      weekdays.isEmpty || unit == .week
    else { return nil }
    if let monthDay { guard (1...31).contains(monthDay), unit == .month || unit == .year else { return nil } }
    (self.unit, self.interval, self.weekdays, self.monthDay) = (unit, interval, weekdays, monthDay)
  }

  /// The same for something whose first day is this: what a shorter month would make it forget is written down.
  public func anchored(at day: Day) -> Repetition {
    let number = day.parts.day
    // In a year only one day comes in a shorter month.
    guard unit == .month || unit == .year && day.parts.month == 2, monthDay == nil, number > 28 else { return self }
    return Repetition(every: interval, unit, monthDay: number) ?? self
  }

  /// The first day of the rule after the later of both days, counted from the first; nil where the calendar ends.
  /// - Parameter day: one that the rule counts from, such as the last one.
  public func next(from day: Day, after other: Day? = nil) -> Day? {
    let limit = max(day, other ?? day)
    return switch unit {
    case .day: stepped(from: day, beyond: limit, days: interval)
    case .week: weekdays.isEmpty ? stepped(from: day, beyond: limit, days: interval * 7) : nextWeekday(from: day, limit)
    case .month, .year: nextMonth(from: day, limit)
    }
  }

  private func stepped(from day: Day, beyond limit: Day, days: Int) -> Day? {
    day.adding(days: ((limit.number - day.number) / days + 1) * days)
  }

  private func nextWeekday(from day: Day, _ limit: Day) -> Day? {
    guard let monday = day.adding(days: 1 - day.weekday) else { return nil }
    // At most the rest of this round and the whole of the next.
    let round = interval * 7
    let first = (limit.number - monday.number) / round
    for index in [first, first + 1] {
      for weekday in weekdays.sorted() {
        guard let next = monday.adding(days: index * round + weekday - 1) else { return nil }
        if next > limit { return next }
      }
    }
    return nil
  }

  private func nextMonth(from day: Day, _ limit: Day) -> Day? {
    let months = unit == .year ? interval * 12 : interval
    let (year, month, number) = day.parts
    let (otherYear, otherMonth, _) = limit.parts
    let passed = max(0, (otherYear - year) * 12 + otherMonth - month) / months
    for index in passed...passed + 2 {
      guard let first = Day(year: year, month: month, day: 1)?.adding(months: index * months) else { return nil }
      let length = Day.length(ofMonth: first.parts.month, in: first.parts.year)
      guard let next = first.adding(days: min(monthDay ?? number, length) - 1) else { return nil }
      if next > limit { return next }
    }
    return nil
  }
}
