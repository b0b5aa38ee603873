import Dates

/// Dates as Taskwarrior and iCalendar write them: `20261201T180000Z`.
enum Stamp {
  /// What was read: whether it is UTC, on the clocks of some place, or only a day.
  enum Reading: Equatable {
    case day(Day)
    /// Milliseconds since 1970.
    case utc(Int64)
    case local(WallTime, second: Int)

    func when(in zone: Zone) -> When {
      switch self {
      case .day(let day): .day(day)
      case .utc(let time): .moment(time)
      case .local(let wall, let second): .moment(zone.moment(of: wall) + Int64(second) * 1000)
      }
    }
  }

  /// In UTC, to the second. Moments outside of the years 1 to 9999 become the first or last of them.
  static func text(_ milliseconds: Int64) -> String {
    let time = min(max(milliseconds, -62_135_596_800_000), 253_402_300_799_999)
    let wall = Zone.utc.wallTime(at: time)
    let second = Int((time % 60_000 + 60_000) % 60_000 / 1000)
    return "\(text(wall.day))T\(padded(wall.minute / 60))\(padded(wall.minute % 60))\(padded(second))Z"
  }

  /// A day, or a moment in UTC.
  static func text(_ when: When) -> String {
    switch when {
    case .day(let day): text(day)
    case .moment(let time): text(time)
    }
  }

  /// `20261201`
  static func text(_ day: Day) -> String { String(day.iso.filter { $0 != "-" }) }

  /// Reads `20261201`, `20261201T180000`, `20261201T180000Z` and the same with `-` and `:`.
  static func read(_ bytes: Bytes) -> Reading? {
    let plain = bytes.count > 16 || bytes.count == 10 ? bytes.filter { $0 != .minus && $0 != .colon }[...] : bytes
    guard plain.count == 8 || plain.count == 15 || plain.count == 16, let date = plain.prefix(8).number,
      let day = Day(year: date / 10_000, month: date / 100 % 100, day: date % 100)
    else { return nil }
    let rest = plain.dropFirst(8)
    guard let separator = rest.first else { return .day(day) }
    guard separator == UInt8(ascii: "T"), let clock = rest.dropFirst().prefix(6).number else { return nil }
    let (hour, minute, second) = (clock / 10_000, clock / 100 % 100, clock % 100)
    // 60 is a leap second.
    guard rest.dropFirst().prefix(6).count == 6, hour < 24, minute < 60, second <= 60 else { return nil }
    let wall = WallTime(day: day, minute: hour * 60 + minute)
    guard plain.count == 16 else { return .local(wall, second: second) }
    guard plain.last == UInt8(ascii: "Z") else { return nil }
    return .utc(Zone.utc.moment(of: wall) + Int64(second) * 1000)
  }

  private static func padded(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
}
