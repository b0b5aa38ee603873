import Dates

/// The time zones that a calendar describes itself (RFC 5545 §3.6.5): each name that it uses has to be there.
struct CalendarZones {
  private var zones: [String: Zone] = [:]

  subscript(name: String) -> Zone? { zones[name] }

  init(_ text: String) {
    var name: String?
    var changes: [ZoneChange] = []
    var change: ZoneChange?
    var isOdd = false
    for (number, bytes) in UnfoldedLines(text) {
      guard let line = ContentLine(number: number, bytes) else { continue }
      let value = String(line.value.trimmed).uppercased()
      switch (line.name, value) {
      case ("BEGIN", "VTIMEZONE"): (name, changes, isOdd) = (nil, [], false)
      case ("BEGIN", "STANDARD"), ("BEGIN", "DAYLIGHT"): change = ZoneChange()
      case ("END", "STANDARD"), ("END", "DAYLIGHT"):
        if let change, change.isWhole, changes.count < Self.limit { changes.append(change) } else { isOdd = true }
        change = nil
      case ("END", "VTIMEZONE"):
        if let name, !changes.isEmpty, !isOdd { zones[name] = Self.zone(changes) }
        name = nil
      case ("TZID", _): name = line.text
      default: change?.read(line.name, value)
      }
    }
  }

  /// Of the changes that one zone has had: some calendars list a century of them.
  private static let limit = 1000

  private static func zone(_ changes: [ZoneChange]) -> Zone {
    let first = changes.min { $0.start < $1.start }
    return Zone { [changes] seconds in
      let last = changes.compactMap { change in change.last(before: seconds).map { ($0, change.to) } }.max {
        $0.0 < $1.0
      }
      return last?.1 ?? first?.from ?? 0
    }
  }
}

/// When the clocks of a zone are changed: once, or each year.
private struct ZoneChange {
  /// Seconds ahead of UTC, before and after.
  private(set) var from = 0
  private(set) var to = 0
  /// By the clocks of before, in seconds since 1970.
  private(set) var start: Int64 = .min
  private var month: Int?
  /// The day of the week, from 1 for Monday, and which of the month: -1 is the last.
  private var weekday: (count: Int, day: Int)?
  private var end: Int64 = .max
  /// Whether something of it is not understood: a zone that is nearly right is wrong by an hour.
  private var isOdd = false

  var isWhole: Bool { start != .min && !isOdd && (month == nil) == (weekday == nil) }

  mutating func read(_ name: String, _ value: String) {
    switch name {
    case "TZOFFSETFROM": from = Self.offset(value) ?? from
    case "TZOFFSETTO": to = Self.offset(value) ?? to
    case "DTSTART":
      if case .local(let wall, let second) = Stamp.read(Bytes(value)) {
        start = Zone.utc.moment(of: wall) / 1000 + Int64(second)
      }
    case "RRULE": readRule(value)
    case "RDATE", "EXDATE": isOdd = true
    default: break
    }
  }

  private mutating func readRule(_ rule: String) {
    for part in rule.split(separator: ";") {
      let pair = part.split(separator: "=", maxSplits: 1).map(String.init)
      guard pair.count == 2 else { continue }
      switch pair[0] {
      case "BYMONTH": month = Int(pair[1])
      case "BYDAY":
        let days = ["MO", "TU", "WE", "TH", "FR", "SA", "SU"]
        guard let day = days.firstIndex(of: String(pair[1].suffix(2))), let count = Int(pair[1].dropLast(2)),
          (-5...5).contains(count), count != 0
        else {
          isOdd = true
          return
        }
        weekday = (count, day + 1)
      case "UNTIL": end = Stamp.read(Bytes(pair[1])).map { Zone.utc.start(of: $0.when(in: .utc)) / 1000 } ?? end
      case "FREQ": isOdd = isOdd || pair[1] != "YEARLY"
      case "INTERVAL": isOdd = isOdd || pair[1] != "1"
      case "WKST": break
      default: isOdd = true
      }
    }
    // Each year on the day of the first is a rule too, and nobody writes it.
    if month == nil { isOdd = true }
  }

  /// `+0530`, `-034521`
  private static func offset(_ text: String) -> Int? {
    guard let match = text.wholeMatch(of: #/([+-])(\d\d)(\d\d)(\d\d)?/#), let hours = Int(match.2),
      let minutes = Int(match.3)
    else { return nil }
    let seconds = hours * 3600 + minutes * 60 + (match.4.flatMap { Int($0) } ?? 0)
    return match.1 == "-" ? -seconds : seconds
  }

  /// When it happened last, in seconds since 1970 in UTC, before a moment or at it.
  func last(before seconds: Int64) -> Int64? {
    let first = start - Int64(from)
    guard first <= seconds else { return nil }
    guard let month, let weekday else { return first }
    let year = Zone.utc.day(at: min(seconds, end) * 1000).parts.year
    for year in [year + 1, year, year - 1] {
      guard let day = Self.day(weekday, of: month, in: year) else { continue }
      let time = Int64(day.number) * 86_400 + (start % 86_400 + 86_400) % 86_400 - Int64(from)
      if time >= first, time <= seconds, time <= end { return time }
    }
    return first
  }

  private static func day(_ weekday: (count: Int, day: Int), of month: Int, in year: Int) -> Day? {
    guard let first = Day(year: year, month: month, day: 1) else { return nil }
    if weekday.count > 0 {
      return first.adding(days: (weekday.day - first.weekday + 7) % 7 + (weekday.count - 1) * 7)
    }
    guard let last = first.adding(months: 1)?.adding(days: -1) else { return nil }
    return last.adding(days: -((last.weekday - weekday.day + 7) % 7) + (weekday.count + 1) * 7)
  }
}
