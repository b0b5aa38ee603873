/// Reads dates as people write them: `fri`, `tomorrow 18:00`, `in 2 weeks`, `eom`, `2026-11-27`.
///
/// What can be read in two ways is refused, never guessed. docs/dates.md lists what is understood.
public struct DatePhrase: Sendable {
  /// In milliseconds since 1970.
  public let now: Int64
  public let zone: Zone
  /// The first day of a week: from 1 for Monday to 7 for Sunday.
  public let weekStart: Int

  public init(now: Int64, zone: Zone, weekStart: Int = 1) {
    self.now = now
    self.zone = zone
    self.weekStart = weekStart
  }

  /// Today, where the clocks of the zone are.
  public var today: Day { zone.day(at: now) }

  /// The day or moment that somebody wrote.
  public func read(_ text: String) throws(PhraseError) -> When {
    let when = try meaning(of: text)
    // A moment of the calendar's first or last day is beyond it in other zones, where it would be shown as another one.
    if case .moment(let time) = when {
      // The bytes of a moment count from 1970 (spec §7.9).
      guard time >= 0 else { throw .outOfRange }
      let day = Zone.utc.day(at: time)
      guard day.adding(days: -1) != nil, day.adding(days: 1) != nil else { throw .outOfRange }
    }
    return when
  }

  private func meaning(of text: String) throws(PhraseError) -> When {
    let words = try Self.words(of: text)
    if let exact = try exact(words) { return exact }
    if let span = TimeSpan(moment: words) { return .moment(try moment(after: span)) }
    guard let (clock, rest) = try takeClock(words) else { return .day(try day(of: words)) }
    let date = rest.filter { $0 != "at" }
    if date.isEmpty { return .moment(try next(clock)) }
    let day = try day(of: date)
    return .moment(zone.moment(of: WallTime(day: day, minute: clock)))
  }

  /// Lower case, without what only joins words.
  static func words(of text: String) throws(PhraseError) -> [Substring] {
    guard text.utf8.count <= 100 else { throw .unknown }
    let words = text.lowercased().split { $0 == " " || $0 == "," || $0 == "\t" }
      .filter { !["on", "of", "the"].contains($0) }
    guard !words.isEmpty else { throw .unknown }
    return words
  }

  /// `now`, and ISO 8601 with a `T` in it.
  private func exact(_ words: [Substring]) throws(PhraseError) -> When? {
    guard words.count == 1 else { return nil }
    if words[0] == "now" { return .moment(now - now % 60_000) }
    let parts = words[0].split(separator: "t", maxSplits: 1, omittingEmptySubsequences: false)
    guard parts.count == 2, parts[0].first?.isNumber == true, parts[1].first?.isNumber == true else { return nil }
    guard let day = try isoDay(parts[0]) else { return nil }
    let (clock, offset) = Self.offset(of: parts[1])
    guard let minute = try ClockPhrase.minute(clock) else { throw .unknown }
    guard let offset else { return .moment(zone.moment(of: WallTime(day: day, minute: minute))) }
    return .moment((Int64(day.number) * 1440 + Int64(minute - offset)) * 60_000)
  }

  /// A clock, and how many minutes it is ahead of UTC where that stands behind it: `z`, `+01:00`, `-0530`.
  private static func offset(of text: Substring) -> (clock: Substring, offset: Int?) {
    if text.hasSuffix("z") { return (text.dropLast(), 0) }
    guard let sign = text.lastIndex(where: { $0 == "+" || $0 == "-" }) else { return (text, nil) }
    let digits = text[text.index(after: sign)...].filter { $0 != ":" }
    guard [2, 4].contains(digits.count), let hours = Int(digits.prefix(2)), hours < 15,
      let minutes = digits.count == 2 ? 0 : Int(digits.suffix(2)), minutes < 60
    else { return (text, nil) }
    return (text[..<sign], (hours * 60 + minutes) * (text[sign] == "-" ? -1 : 1))
  }

  /// A time of day at either end, and the words beside it.
  private func takeClock(_ words: [Substring]) throws(PhraseError) -> (minute: Int, rest: [Substring])? {
    if words.count > 1, let half = words.last, half == "am" || half == "pm",
      let minute = try ClockPhrase.minute(words[words.count - 2] + half)
    {
      return (minute, words.dropLast(2))
    }
    if let last = words.last, let minute = try ClockPhrase.minute(last) { return (minute, words.dropLast()) }
    if let first = words.first, let minute = try ClockPhrase.minute(first) { return (minute, Array(words.dropFirst())) }
    return nil
  }

  /// When a clock shows this for the next time.
  private func next(_ minute: Int) throws(PhraseError) -> Int64 {
    let time = zone.moment(of: WallTime(day: today, minute: minute))
    if time > now { return time }
    guard let tomorrow = today.adding(days: 1) else { throw .outOfRange }
    return zone.moment(of: WallTime(day: tomorrow, minute: minute))
  }

  /// To the minute.
  private func moment(after span: TimeSpan) throws(PhraseError) -> Int64 {
    guard abs(span.count) <= 1_000_000 else { throw .outOfRange }
    let time = now + Int64(span.count * (span.unit == .hour ? 60 : 1)) * 60_000
    return time - time % 60_000
  }
}
