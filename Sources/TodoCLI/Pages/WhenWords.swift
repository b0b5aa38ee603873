import Dates

/// How days and moments are shown: as short as it is clear today.
struct WhenWords {
  /// In milliseconds since 1970.
  let now: Int64
  let zone: Zone

  /// `today`, `tomorrow 18:00`, `fri`, `27 nov`, `27 nov 2027`: phrases that mean the same when they are typed, unless they have passed.
  func words(_ when: When) -> String {
    let day = words(zone.day(of: when))
    guard case .moment(let time) = when else { return day }
    return "\(day) \(zone.wallTime(at: time).clock)"
  }

  private func words(_ day: Day) -> String {
    let today = zone.day(at: now)
    switch day.number - today.number {
    case 0: return "today"
    case 1: return "tomorrow"
    case -1: return "yesterday"
    case 2...6: return ["mon", "tue", "wed", "thu", "fri", "sat", "sun"][day.weekday - 1]
    default: break
    }
    let (year, month, number) = day.parts
    let names = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"]
    return "\(number) \(names[month - 1])\(year == today.parts.year ? "" : " \(year)")"
  }

  /// Whether it has passed: a moment at once, a day with its end.
  func isOver(_ when: When) -> Bool {
    switch when {
    case .day(let day): day < zone.day(at: now)
    case .moment(let time): time < now
    }
  }

  /// Whether it has begun.
  func hasBegun(_ when: When) -> Bool { zone.start(of: when) <= now }
}

extension When {
  /// A day as its date only, a moment in UTC.
  var json: JSON {
    switch self {
    case .day(let day): .string(day.iso)
    case .moment(let time): .time(time)
    }
  }
}
