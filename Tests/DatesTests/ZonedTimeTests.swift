import Testing

@testable import Dates

struct ZonedTimeTests {
  private let tokyo = Zone(name: "Asia/Tokyo") { _ in 9 * 3600 }

  @Test func itIsWrittenAndReadTheSame() throws {
    let clock = try #require(ZonedTime(.moment(0), in: tokyo))
    #expect(clock.text == "09:00 Asia/Tokyo" && ZonedTime(text: clock.text) == clock)
    #expect(ZonedTime(.day(.epoch), in: tokyo) == nil && ZonedTime(.moment(0), in: .utc) == nil)
  }

  @Test(arguments: [
    "", "09:00", "9:00 Asia/Tokyo", "24:00 Asia/Tokyo", "09:60 Asia/Tokyo", "09:00  Asia/Tokyo", "09:00 ../../etc/x",
    "09.00 Asia/Tokyo", "0a:00 Asia/Tokyo", "09:00 Asia/Tokyo\n", "09:00 \(String(repeating: "a", count: 65))",
  ])
  func whatIsNoClockIsNone(_ text: String) { #expect(ZonedTime(text: text) == nil) }

  @Test func aMomentThatWasMovedIsNotItsOwn() throws {
    let clock = try #require(ZonedTime(.moment(0), in: tokyo))
    #expect(clock.shows(.moment(0), in: tokyo) && clock.shows(.moment(86_400_000), in: tokyo))
    #expect(!clock.shows(.moment(3_600_000), in: tokyo) && !clock.shows(.day(.epoch), in: tokyo))
  }
}
