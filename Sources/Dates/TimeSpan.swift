/// So many of a unit, forwards or backwards: `in 2 weeks`, `3d`, `10 days ago`.
struct TimeSpan: Equatable {
  enum Unit {
    case minute, hour, day, week, month, quarter, year
  }

  let count: Int
  let unit: Unit

  /// A span of hours or minutes, which leads to a moment.
  init?(moment words: [Substring]) {
    guard let span = TimeSpan(words), span.unit == .minute || span.unit == .hour else { return nil }
    self = span
  }

  /// Nil where the words are no span. `2 weeks` alone counts as `in 2 weeks`.
  init?(_ words: [Substring]) {
    var rest = words[...]
    var sign = 1
    if rest.first == "in" {
      rest.removeFirst()
    } else if rest.last == "ago" {
      rest.removeLast()
      sign = -1
    } else if rest.count > 2, rest.suffix(2) == ["from", "now"] {
      rest.removeLast(2)
    }
    guard let first = rest.first, rest.count == words.count || first.first != "-" && first.first != "+" else {
      return nil
    }
    let text = rest.count == 1 ? first : rest.count == 2 ? first + " " + rest[rest.index(after: rest.startIndex)] : ""
    guard let (number, unit) = Self.parts(text) else { return nil }
    (count, self.unit) = (number * sign, unit)
  }

  private static func parts(_ text: Substring) -> (Int, Unit)? {
    if let word = text.split(separator: " ").first, let number = number(word) {
      return unit(text.dropFirst(word.count + 1)).map { (number, $0) }
    }
    var rest = text
    let isPlain = rest.first != "+" && rest.first != "-"
    let sign = rest.first == "-" ? -1 : 1
    if !isPlain { rest.removeFirst() }
    let digits = rest.prefix { $0.isASCII && $0.isNumber }
    guard (1...7).contains(digits.count), let number = Int(digits) else { return nil }
    var name = rest.dropFirst(digits.count)
    if name.first == " " { name.removeFirst() }
    return unit(name).map { (number * sign, $0) }
  }

  /// Of a number that is written out, up to twelve.
  static func number(_ word: Substring) -> Int? {
    if word == "a" || word == "an" { return 1 }
    let words: [Substring] = [
      "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve",
    ]
    return words.firstIndex(of: word).map { $0 + 1 }
  }

  static func unit(_ name: Substring) -> Unit? {
    switch name {
    case "min", "mins", "minute", "minutes": .minute
    case "h", "hr", "hrs", "hour", "hours": .hour
    case "d", "day", "days": .day
    case "w", "wk", "wks", "week", "weeks": .week
    // A lone 'm' is a minute to some.
    case "mo", "month", "months": .month
    case "q", "quarter", "quarters": .quarter
    case "y", "yr", "yrs", "year", "years": .year
    default: nil
    }
  }
}

extension Day {
  /// So many units later; nil where the calendar ends, and for units of less than a day.
  func adding(_ count: Int, _ unit: TimeSpan.Unit) -> Day? {
    guard abs(count) <= 4_000_000 else { return nil }
    return switch unit {
    case .day: adding(days: count)
    case .week: adding(days: count * 7)
    case .month: adding(months: count)
    case .quarter: adding(months: count * 3)
    case .year: adding(months: count * 12)
    case .minute, .hour: nil
    }
  }
}
