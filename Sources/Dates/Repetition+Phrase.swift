extension Repetition {
  /// Reads `daily`, `every 2 weeks`, `every mon and thu`, `every workday`, `every month on the 15th`, `every 15th`.
  public init(phrase text: String) throws(PhraseError) {
    if let rule = Repetition(rule: text) {
      self = rule
      return
    }
    var words = try DatePhrase.words(of: text)[...]
    if words.count == 1, let simple = Self.simple[String(words[0])] {
      self = try Self.required(Repetition(simple))
      return
    }
    if words.first == "every" || words.first == "each" { words.removeFirst() }
    self = try Self.read(words.filter { $0 != "and" })
  }

  private static let simple: [String: Unit] = [
    "daily": .day, "weekly": .week, "monthly": .month, "yearly": .year, "annually": .year,
  ]

  private static func read(_ words: [Substring]) throws(PhraseError) -> Repetition {
    guard let first = words.first else { throw .unknown }
    if words == ["workday"] || words == ["weekday"] {
      return try required(Repetition(.week, weekdays: [1, 2, 3, 4, 5]))
    }
    if words == ["weekend"] { return try required(Repetition(.week, weekdays: [6, 7])) }
    if words.count == 1, first.last?.isLetter == true, first.first?.isNumber == true,
      let day = DatePhrase.ordinal(first)
    {
      return try required(Repetition(.month, monthDay: day))
    }
    if let days = weekdays(words) { return try required(Repetition(.week, weekdays: days)) }
    if first == "other" || first == "second", let days = weekdays(Array(words.dropFirst())) {
      return try required(2, .week, weekdays: days)
    }
    var rest = words[...]
    let (interval, unit) = try takeInterval(&rest)
    if rest.isEmpty { return try required(interval, unit) }
    if unit == .week, let days = weekdays(Array(rest)) { return try required(interval, unit, weekdays: days) }
    if unit == .month || unit == .year, rest.count == 1, let day = rest.first.flatMap(DatePhrase.ordinal) {
      return try required(interval, unit, monthDay: day)
    }
    throw .unknown
  }

  /// `week`, `2 weeks`, `2w`, `other week`.
  private static func takeInterval(_ words: inout ArraySlice<Substring>) throws(PhraseError) -> (Int, Unit) {
    guard var first = words.popFirst() else { throw .unknown }
    var count = 1
    if first == "other" || first == "second" {
      count = 2
      first = words.popFirst() ?? ""
    } else if let number = Int(first) ?? TimeSpan.number(first) {
      count = number
      first = words.popFirst() ?? ""
    } else {
      let digits = first.prefix { $0.isNumber && $0.isASCII }
      if let number = Int(digits) { (count, first) = (number, first.dropFirst(digits.count)) }
    }
    switch TimeSpan.unit(first) {
    case .day: return (count, .day)
    case .week: return (count, .week)
    case .month: return (count, .month)
    // Whatever is too many stays too many, and three times as many are still a number.
    case .quarter: return (min(max(count, 0), longest) * 3, .month)
    case .year: return (count, .year)
    case .minute, .hour, nil: throw .unknown
    }
  }

  private static func weekdays(_ words: [Substring]) -> Set<Int>? {
    let days = words.map { word in
      DatePhrase.weekdays[String(word)] ?? (word.hasSuffix("s") ? DatePhrase.weekdays[String(word.dropLast())] : nil)
    }
    guard !days.isEmpty, days.allSatisfy({ $0 != nil }) else { return nil }
    return Set(days.compactMap { $0 })
  }

  private static func required(
    _ interval: Int, _ unit: Unit, weekdays: Set<Int> = [], monthDay: Int? = nil
  ) throws(PhraseError) -> Repetition {
    try required(Repetition(every: interval, unit, weekdays: weekdays, monthDay: monthDay))
  }

  private static func required(_ repetition: Repetition?) throws(PhraseError) -> Repetition {
    guard let repetition else { throw .outOfRange }
    return repetition
  }
}
