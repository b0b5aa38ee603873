/// A day of the calendar that people write dates in, without a time zone: `2026-11-27`. From year 1 to 9999.
public struct Day: Hashable, Comparable, Sendable, CustomStringConvertible {
  /// Days since 1970-01-01.
  public let number: Int

  /// - Parameter number: days since 1970-01-01; nil outside of the years 1 to 9999.
  public init?(number: Int) {
    guard (-719_162...2_932_896).contains(number) else { return nil }
    self.number = number
  }

  /// Nil for what is no day, such as 29 February 2027.
  public init?(year: Int, month: Int, day: Int) {
    guard (1...9999).contains(year), (1...12).contains(month), (1...Self.length(ofMonth: month, in: year)).contains(day)
    else { return nil }
    // Years that begin in March, so that the day that only some years have is the last.
    let shifted = month > 2 ? year : year - 1
    let era = shifted / 400
    let yearOfEra = shifted % 400
    let dayOfYear = (153 * ((month + 9) % 12) + 2) / 5 + day - 1
    self.init(number: era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468)
  }

  /// Reads `2026-11-27`, and nothing else.
  public init?(iso: some StringProtocol) {
    let bytes = Array(iso.utf8)
    guard bytes.count == 10, bytes[4] == 0x2D, bytes[7] == 0x2D else { return nil }
    func number(_ range: Range<Int>) -> Int? {
      bytes[range].reduce(0) { total, byte in
        guard let total, (0x30...0x39).contains(byte) else { return nil }
        return total * 10 + Int(byte - 0x30)
      }
    }
    guard let year = number(0..<4), let month = number(5..<7), let day = number(8..<10) else { return nil }
    self.init(year: year, month: month, day: day)
  }

  /// The parts: year, month from 1 and day of the month from 1.
  public var parts: (year: Int, month: Int, day: Int) {
    let days = number + 719_468
    let era = (days >= 0 ? days : days - 146_096) / 146_097
    let dayOfEra = days - era * 146_097
    let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let shifted = (5 * dayOfYear + 2) / 153
    let month = shifted < 10 ? shifted + 3 : shifted - 9
    return (yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, dayOfYear - (153 * shifted + 2) / 5 + 1)
  }

  /// From 1 for Monday to 7 for Sunday, as ISO 8601 counts.
  public var weekday: Int { (((number + 3) % 7) + 7) % 7 + 1 }

  /// `2026-11-27`
  public var iso: String {
    let (year, month, day) = parts
    return "\(digits(year, 4))-\(digits(month, 2))-\(digits(day, 2))"
  }

  public var description: String { iso }

  public static func < (a: Day, b: Day) -> Bool { a.number < b.number }

  /// So many days later, or earlier; nil where the calendar ends.
  public func adding(days: Int) -> Day? {
    let (sum, overflow) = number.addingReportingOverflow(days)
    return overflow ? nil : Day(number: sum)
  }

  /// So many months later: the same day of the month, or its last where it is shorter.
  public func adding(months: Int) -> Day? {
    guard abs(months) <= 120_000 else { return nil }
    let (year, month, day) = parts
    let total = year * 12 + month - 1 + months
    guard total >= 12 else { return nil }
    let (newYear, newMonth) = (total / 12, total % 12 + 1)
    guard newYear <= 9999 else { return nil }
    return Day(year: newYear, month: newMonth, day: min(day, Self.length(ofMonth: newMonth, in: newYear)))
  }

  /// How many days a month has.
  public static func length(ofMonth month: Int, in year: Int) -> Int {
    switch month {
    case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
    case 4, 6, 9, 11: 30
    default: 31
    }
  }
}

/// A number with zeros before it.
func digits(_ number: Int, _ count: Int) -> String {
  let text = String(number)
  return String(repeating: "0", count: max(0, count - text.count)) + text
}
