import Dates

/// Dates as the formats without time zones write them: `2026-12-01`, and `2026-12-01T18:00` on the clocks of a place.
enum DateWord {
  static func text(_ when: When, in zone: Zone) -> String {
    switch when {
    case .day(let day): return day.iso
    case .moment(let time):
      let wall = zone.wallTime(at: time)
      return "\(wall.day.iso)T\(wall.clock)"
    }
  }

  /// What a word that stays in a title seems to say, to be named to who imports it; nil for any other word.
  static func unread(_ word: Bytes, of keys: Set<String>) -> String? {
    guard let colon = word.firstIndex(of: .colon), colon + 1 < word.endIndex, keys.contains(String(word[..<colon]))
    else { return nil }
    return "what '\(String(word.prefix(40)))' says"
  }

  /// Nil for what is no date.
  /// - Parameter zone: without one only the day is read.
  static func read(_ word: Bytes, in zone: Zone?) -> When? {
    guard let day = day(word.prefix(10)) else { return nil }
    let clock = word.dropFirst(10)
    guard !clock.isEmpty else { return .day(day) }
    guard clock.count == 6, clock.first == UInt8(ascii: "T"), clock[clock.startIndex + 3] == .colon,
      let hour = clock.dropFirst().prefix(2).number, let minute = clock.suffix(2).number, hour < 24, minute < 60
    else { return nil }
    guard let zone else { return .day(day) }
    return .moment(zone.moment(of: WallTime(day: day, minute: hour * 60 + minute)))
  }

  static func day(_ word: Bytes) -> Day? {
    word.count == 10 && word.first?.isDigit == true ? Day(iso: String(word)) : nil
  }
}
