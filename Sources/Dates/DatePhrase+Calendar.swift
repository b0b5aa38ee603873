extension DatePhrase {
  /// `2026-11-27`, `20261127`, `2026/11/27`, `2026-w48`, `2026-w48-5`; nil for what looks different.
  func isoDay(_ word: Substring) throws(PhraseError) -> Day? {
    let parts = word.split(omittingEmptySubsequences: false) { $0 == "-" || $0 == "/" }
    guard let year = Self.number(parts[0].prefix(4), digits: 4) else { return nil }
    if parts.count == 1, let all = Self.number(word, digits: 8) {
      return try Self.existing(Day(year: year, month: all / 100 % 100, day: all % 100))
    }
    guard parts.count > 1, parts[0].count == 4 else { return nil }
    if parts[1].hasPrefix("w") { return try weekDay(year, parts) }
    guard parts.count == 3, let month = Self.number(parts[1], digits: 1...2),
      let day = Self.number(parts[2], digits: 1...2)
    else { return nil }
    return try Self.existing(Day(year: year, month: month, day: day))
  }

  /// A week of ISO 8601, whose first has the year's first Thursday; its Monday if no day is named.
  private func weekDay(_ year: Int, _ parts: [Substring]) throws(PhraseError) -> Day? {
    guard parts.count <= 3, let week = Self.number(parts[1].dropFirst(), digits: 1...2),
      let weekday = parts.count == 3 ? Self.number(parts[2], digits: 1) : 1
    else { return nil }
    guard (1...53).contains(week), (1...7).contains(weekday), let fourth = Day(year: year, month: 1, day: 4) else {
      throw .noSuchDay
    }
    let monday = fourth.adding(days: 1 - fourth.weekday + (week - 1) * 7)
    // A year without a 53rd week has its Thursday in the next one.
    guard monday?.adding(days: 3)?.parts.year == year else { throw .noSuchDay }
    return try Self.existing(monday?.adding(days: weekday - 1))
  }

  /// `27.11.` and `27.11.2026`: with dots the day comes first everywhere.
  func dotted(_ word: Substring) throws(PhraseError) -> Day? {
    var parts = word.split(separator: ".", omittingEmptySubsequences: false)
    if parts.count == 3, parts[2].isEmpty { parts.removeLast() }
    guard (2...3).contains(parts.count), let day = Self.number(parts[0], digits: 1...2),
      let month = Self.number(parts[1], digits: 1...2)
    else { return nil }
    if parts.count == 3 {
      guard let year = Self.number(parts[2], digits: 4) else { return nil }
      return try Self.existing(Day(year: year, month: month, day: day))
    }
    return try next(day, of: month)
  }

  /// `27 nov`, `nov 27`, `27th november 2027`, `27th`.
  func calendarDay(_ words: [Substring]) throws(PhraseError) -> Day? {
    if words.count == 1 {
      guard let day = Self.ordinal(words[0]), words[0].last?.isLetter == true else { return nil }
      return try next(day)
    }
    guard words.count <= 3 else { return nil }
    let year = words.count == 3 ? Self.number(words[2], digits: 4) : nil
    if words.count == 3, year == nil { return nil }
    let (day, month) =
      if let month = Self.months[String(words[1])] {
        (Self.ordinal(words[0]), Optional(month))
      } else {
        (Self.ordinal(words[1]), Self.months[String(words[0])])
      }
    guard let day, let month else { return nil }
    if let year { return try Self.existing(Day(year: year, month: month, day: day)) }
    return try next(day, of: month)
  }

  /// The next such day of the calendar, today or later. Only 29 February may be years away.
  private func next(_ day: Int, of month: Int) throws(PhraseError) -> Day {
    let year = today.parts.year
    // Around a century that is no leap year it is eight years.
    for candidate in year...year + 8 {
      if let found = Day(year: candidate, month: month, day: day), found >= today { return found }
    }
    throw .noSuchDay
  }

  /// The next such day of a month that has it, today or later.
  private func next(_ day: Int) throws(PhraseError) -> Day {
    guard (1...31).contains(day) else { throw .noSuchDay }
    let (year, month, _) = today.parts
    for index in 0..<3 {
      let month = month - 1 + index
      if let found = Day(year: year + month / 12, month: month % 12 + 1, day: day), found >= today { return found }
    }
    throw .outOfRange
  }

  /// `27`, `27th`, `1st`.
  static func ordinal(_ word: Substring) -> Int? {
    if let number = number(word, digits: 1...2) { return number }
    guard ["st", "nd", "rd", "th"].contains(word.suffix(2)) else { return nil }
    return number(word.dropLast(2), digits: 1...2)
  }

  static func number(_ text: Substring, digits: Int) -> Int? { number(text, digits: digits...digits) }

  static func number(_ text: Substring, digits: ClosedRange<Int>) -> Int? {
    guard digits.contains(text.count), text.allSatisfy({ $0.isASCII && $0.isNumber }) else { return nil }
    return Int(text)
  }

  private static func existing(_ day: Day?) throws(PhraseError) -> Day {
    guard let day else { throw .noSuchDay }
    return day
  }

  private static let months: [String: Int] = {
    let names = [
      "january", "february", "march", "april", "may", "june", "july", "august", "september", "october", "november",
      "december",
    ]
    var months: [String: Int] = ["sept": 9]
    for (index, name) in names.enumerated() {
      months[name] = index + 1
      months[String(name.prefix(3))] = index + 1
    }
    return months
  }()
}
