import Dates
import Foundation

/// A phrase, where and when it was written, and what it means there.
struct PhraseRow {
  let line: Int
  let phrase: String
  let expected: String
  let reader: DatePhrase

  /// What the phrase comes to, in the words of the table.
  var found: String {
    do throws(PhraseError) {
      return shown(try reader.read(phrase))
    } catch {
      return switch error {
      case .unknown: "unknown"
      case .noSuchDay: "no such day"
      case .noSuchTime: "no such time"
      case .slashes: "slashes"
      case .outOfRange: "out of range"
      }
    }
  }

  private func shown(_ when: When) -> String {
    guard case .moment(let time) = when else { return reader.zone.day(of: when).iso }
    let wall = reader.zone.wallTime(at: time)
    let local = "\(wall.day.iso)T\(wall.clock)"
    guard expected.count > 16 else { return local }
    let ahead = (Int64(wall.day.number) * 1440 + Int64(wall.minute)) - time / 60_000
    return local + "+0\(ahead / 60):00"
  }
}

extension Zone {
  /// A zone by its name, with what Foundation knows of it.
  init?(named name: String) {
    guard let zone = TimeZone(identifier: name) else { return nil }
    self.init { zone.secondsFromGMT(for: Date(timeIntervalSince1970: TimeInterval($0))) }
  }
}

enum PhraseTable {
  /// The rows of a table in this format.
  static func rows(_ text: String) -> [PhraseRow] {
    var rows: [PhraseRow] = []
    var reader: DatePhrase?
    for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
      if line.hasPrefix("at "), !line.contains(" = ") {
        reader = Self.reader(line.split(separator: " ").map(String.init))
      }
      guard let reader, !line.hasPrefix("#"), let equals = line.range(of: " = ") else { continue }
      rows.append(
        PhraseRow(
          line: index + 1, phrase: String(line[..<equals.lowerBound]), expected: String(line[equals.upperBound...]),
          reader: reader))
    }
    return rows
  }

  static func reader(_ words: [String]) -> DatePhrase? {
    guard words.count == 4, let zone = Zone(named: words[2]), let day = Day(iso: words[1].prefix(10)),
      let start = ["mon": 1, "sat": 6, "sun": 7][words[3]]
    else { return nil }
    let clock = words[1].suffix(5).split(separator: ":").compactMap { Int($0) }
    let now = zone.moment(of: WallTime(day: day, minute: clock[0] * 60 + clock[1]))
    return DatePhrase(now: now, zone: zone, weekStart: start)
  }

  static func file(_ path: String) throws -> String {
    let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent()
    return try String(contentsOf: root.appending(path: path), encoding: .utf8)
  }
}
