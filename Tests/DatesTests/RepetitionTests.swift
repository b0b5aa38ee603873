import Dates
import Testing

@Suite struct RepetitionTests {
  @Test(arguments: [
    ("daily", "FREQ=DAILY", "every day"),
    ("every day", "FREQ=DAILY", "every day"),
    ("every 3 days", "FREQ=DAILY;INTERVAL=3", "every 3 days"),
    ("every other day", "FREQ=DAILY;INTERVAL=2", "every 2 days"),
    ("weekly", "FREQ=WEEKLY", "every week"),
    ("every week", "FREQ=WEEKLY", "every week"),
    ("2w", "FREQ=WEEKLY;INTERVAL=2", "every 2 weeks"),
    ("every 2 weeks", "FREQ=WEEKLY;INTERVAL=2", "every 2 weeks"),
    ("every mon", "FREQ=WEEKLY;BYDAY=MO", "every mon"),
    ("every mon and thu", "FREQ=WEEKLY;BYDAY=MO,TH", "every mon and thu"),
    ("every thu, mon, fri", "FREQ=WEEKLY;BYDAY=MO,TH,FR", "every mon, thu and fri"),
    ("mondays", "FREQ=WEEKLY;BYDAY=MO", "every mon"),
    ("every 2 weeks on tue", "FREQ=WEEKLY;INTERVAL=2;BYDAY=TU", "every 2 weeks on tue"),
    ("every other sun", "FREQ=WEEKLY;INTERVAL=2;BYDAY=SU", "every 2 weeks on sun"),
    ("every three weeks on mon and thu", "FREQ=WEEKLY;INTERVAL=3;BYDAY=MO,TH", "every 3 weeks on mon and thu"),
    ("every workday", "FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR", "every workday"),
    ("every weekend", "FREQ=WEEKLY;BYDAY=SA,SU", "every sat and sun"),
    ("monthly", "FREQ=MONTHLY", "every month"),
    ("every month on the 15th", "FREQ=MONTHLY;BYMONTHDAY=15", "every month on the 15th"),
    ("every 1st", "FREQ=MONTHLY;BYMONTHDAY=1", "every month on the 1st"),
    ("every 22nd", "FREQ=MONTHLY;BYMONTHDAY=22", "every month on the 22nd"),
    ("every quarter", "FREQ=MONTHLY;INTERVAL=3", "every 3 months"),
    ("yearly", "FREQ=YEARLY", "every year"),
    ("every 2 years", "FREQ=YEARLY;INTERVAL=2", "every 2 years"),
    ("FREQ=WEEKLY;INTERVAL=2;BYDAY=MO", "FREQ=WEEKLY;INTERVAL=2;BYDAY=MO", "every 2 weeks on mon"),
  ])
  func phrasesAreRules(phrase: String, rule: String, words: String) throws {
    let repetition = try Repetition(phrase: phrase)
    #expect(repetition.rule == rule)
    #expect(repetition.words == words)
    #expect(Repetition(rule: rule) == repetition)
    #expect(try Repetition(phrase: words) == repetition)
  }

  @Test(arguments: [
    "every", "sometimes", "every hour", "every 0 days", "every 1001 days", "every 32nd", "every mon 15th", "",
    "every 9223372036854775807 quarters", "every 3²weeks",
  ])
  func whatIsNoneIsRefused(phrase: String) {
    #expect(throws: PhraseError.self) { try Repetition(phrase: phrase) }
  }

  @Test(arguments: [
    "FREQ=HOURLY", "FREQ=WEEKLY;BYDAY=1MO", "FREQ=DAILY;COUNT=3", "INTERVAL=2", "FREQ=DAILY;BYDAY=MO",
    "FREQ=DAILY;FREQ=DAILY",
    "FREQ=WEEKLY;BYMONTHDAY=3",
  ])
  func rulesThatItCannotExpressAreNone(rule: String) {
    #expect(Repetition(rule: rule) == nil)
  }

  @Test(arguments: [
    ("every day", "2026-11-25", "2026-11-25", "2026-11-26"),
    // Ticked four days late, and three days early.
    ("every 3 days", "2026-11-25", "2026-11-29", "2026-12-01"),
    ("every 3 days", "2026-11-25", "2026-11-22", "2026-11-28"),
    ("every 3 days", "2026-11-25", "2026-11-28", "2026-12-01"),
    ("every week", "2026-11-25", "2026-11-25", "2026-12-02"),
    ("every 2 weeks", "2026-11-25", "2026-12-10", "2026-12-23"),
    ("every mon and thu", "2026-11-26", "2026-11-26", "2026-11-30"),
    ("every mon and thu", "2026-11-26", "2026-11-30", "2026-12-03"),
    ("every 2 weeks on tue", "2026-11-24", "2026-11-25", "2026-12-08"),
    ("every 2 weeks on tue", "2026-11-24", "2026-12-08", "2026-12-22"),
    ("every workday", "2026-11-27", "2026-11-27", "2026-11-30"),
    ("every month", "2026-11-25", "2026-11-25", "2026-12-25"),
    ("every month on the 31st", "2026-01-31", "2026-01-31", "2026-02-28"),
    ("every month on the 31st", "2026-02-28", "2026-02-28", "2026-03-31"),
    ("every month on the 15th", "2026-11-10", "2026-11-10", "2026-11-15"),
    ("every quarter", "2026-11-25", "2027-03-01", "2027-05-25"),
    ("every year", "2026-11-25", "2026-11-25", "2027-11-25"),
    ("every year", "2028-02-29", "2028-02-29", "2029-02-28"),
  ])
  func theNextDayIsTheFirstAfterBoth(phrase: String, day: String, done: String, next: String) throws {
    let day = try #require(Day(iso: day))
    let done = try #require(Day(iso: done))
    #expect(try Repetition(phrase: phrase).next(from: day, after: done)?.iso == next)
  }

  @Test func aShortMonthIsNotForgotten() throws {
    var day = try #require(Day(iso: "2028-02-29"))
    let rule = try Repetition(phrase: "yearly").anchored(at: day)
    var years: [String] = []
    for _ in 0..<4 {
      day = try #require(rule.next(from: day))
      years.append(day.iso)
    }
    #expect(years == ["2029-02-28", "2030-02-28", "2031-02-28", "2032-02-29"])
  }

  @Test func everyNextDayIsLaterAndFitsTheRule() throws {
    for unit in Repetition.Unit.allCases {
      for interval in [1, 2, 5, 1000] {
        let rule = try #require(Repetition(every: interval, unit))
        var day = try #require(Day(iso: "2026-11-25"))
        for _ in 0..<50 {
          guard let next = rule.next(from: day) else { break }
          #expect(next > day)
          day = next
        }
      }
    }
    let last = try #require(Day(iso: "9999-12-31"))
    #expect(try Repetition(phrase: "daily").next(from: last) == nil)
  }
}
