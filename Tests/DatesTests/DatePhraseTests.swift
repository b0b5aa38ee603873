import Dates
import Foundation
import Testing

@Suite struct DatePhraseTests {
  @Test func everyPhraseOfTheTableMeansWhatItSays() throws {
    let text = try PhraseTable.file("Tests/DatesTests/phrases.txt")
    let rows = PhraseTable.rows(text)
    #expect(rows.count >= 200)
    #expect(rows.count == text.split(separator: "\n").filter { $0.contains(" = ") }.count)
    for row in rows where row.found != row.expected {
      Issue.record("line \(row.line): '\(row.phrase)' is \(row.found), and should be \(row.expected)")
    }
  }

  /// What docs/dates.md says of a phrase, on the day and in the place that it names.
  @Test func everyPhraseOfTheDocumentationMeansWhatItSays() throws {
    let reader = try #require(PhraseTable.reader(["at", "2026-11-25T14:30", "Europe/Berlin", "mon"]))
    var count = 0
    for line in try PhraseTable.file("docs/dates.md").split(separator: "\n") where line.hasPrefix("| `") {
      let cells = line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
      let phrases = cells[0].split(separator: "`").filter { !$0.allSatisfy { ", ".contains($0) } }
      let meanings = cells[1].split(separator: "`").filter { !$0.allSatisfy { ", ".contains($0) } }
      try #require(phrases.count == meanings.count, "\(line)")
      for (phrase, meaning) in zip(phrases, meanings) {
        let isRepetition = phrase.hasPrefix("every") || phrase.hasSuffix("ly")
        let found =
          isRepetition
          ? try Repetition(phrase: String(phrase)).rule
          : PhraseRow(line: 0, phrase: String(phrase), expected: String(meaning), reader: reader).found
        #expect(found == meaning.replacing(" ", with: "T"), "\(phrase)")
        count += 1
      }
    }
    #expect(count > 50)
  }

  @Test(arguments: ["Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "Asia/Kathmandu", "UTC"])
  func aWallTimeAndItsMomentAreOne(name: String) throws {
    let zone = try #require(Zone(named: name))
    // Every half hour of five years: each wall time that exists comes back, and one that does not is later.
    let first = try #require(Day(iso: "2024-01-01")).number
    for day in first..<first + 5 * 366 {
      for minute in stride(from: 0, to: 1440, by: 30) {
        let wall = WallTime(day: try #require(Day(number: day)), minute: minute)
        let shown = zone.wallTime(at: zone.moment(of: wall))
        if shown == wall { continue }
        let later = (shown.day.number - day) * 1440 + shown.minute - minute
        #expect(later == 30 || later == 60, "\(wall.day) \(wall.clock)")
      }
    }
  }

  @Test func daysAreThoseOfTheCalendar() throws {
    var calendar = Calendar(identifier: .gregorian)
    calendar.timeZone = try #require(TimeZone(identifier: "UTC"))
    for number in stride(from: -140_000, through: 200_000, by: 13) {
      let day = try #require(Day(number: number))
      let date = Date(timeIntervalSince1970: TimeInterval(number) * 86_400)
      let parts = calendar.dateComponents([.year, .month, .day, .weekday], from: date)
      #expect(day.parts == (parts.year, parts.month, parts.day))
      #expect(day.weekday == ((parts.weekday ?? 0) + 5) % 7 + 1)
      #expect(Day(iso: day.iso) == day)
    }
    #expect(Day(iso: "0000-01-01") == nil && Day(iso: "2026-1-01") == nil && Day(iso: "2026-02-29") == nil)
    #expect(Day(number: .max) == nil && Day(number: .min) == nil)
  }

  @Test func noTextIsTooMuch() throws {
    let reader = DatePhrase(now: 1_795_612_200_000, zone: .utc)
    let words = [
      "in", "2", "weeks", "fri", "next", "27", "nov", "2026-11-27", "18:00", "pm", "-", ":", ".", "é", "99999999",
      "the",
      "t", "w", "2026-w", "/", "+", "every", "-9223372036854775808", "9223372036854775807",
    ]
    var state: UInt64 = 7
    for _ in 0..<20_000 {
      var text = ""
      for _ in 0..<Int(state >> 60 & 3) + 1 {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        text += words[Int(state >> 33) % words.count] + (state >> 40 & 1 == 0 ? " " : "")
      }
      _ = try? reader.read(text)
      _ = try? Repetition(phrase: text)
      _ = Repetition(rule: text)
    }
    #expect(throws: PhraseError.unknown) { try reader.read(String(repeating: "fri ", count: 1000)) }
  }
}
