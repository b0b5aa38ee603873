import Dates

// What `make fuzz` gives hostile words to: dates, times and repetitions as people write them (docs/dates.md). What is understood, and
// shown as the program shows it, must be understood as the same.

/// One input: a byte for the place, two for the time, and what somebody wrote there and then.
@_cdecl("LLVMFuzzerTestOneInput") public func fuzz(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
  let input = Array(UnsafeBufferPointer(start: start, count: count))
  guard input.count > 3 else { return 0 }
  let reader = DatePhrase(
    now: now(input[1], input[2]), zone: places[Int(input[0]) / 7 % places.count], weekStart: Int(input[0]) % 7 + 1)
  let text = String(decoding: input.dropFirst(3), as: UTF8.self)
  clock(reader.zone, reader.now)
  date(text, reader)
  repetition(text, reader.today)
  return 0
}

private let places =
  zones + [
    // A day that never was: 30 December 2011 in Samoa.
    Zone { $0 < 1_325_239_200 ? -36_000 : 50_400 }
  ]

/// Days around which calendars and clocks are hard, and minutes since then.
private func now(_ day: UInt8, _ steps: UInt8) -> Int64 {
  let days = [
    "0001-01-02", "1893-03-30", "1969-12-31", "1999-12-31", "2011-12-29", "2024-02-28", "2026-03-31", "2026-04-07",
    "2026-10-24", "2026-11-01", "2026-11-25", "2027-02-19", "2096-02-29", "2100-02-28", "9999-11-30", "9999-12-29",
  ]
  let start = Day(iso: days[Int(day) % days.count]).map { Zone.utc.start(of: $0) } ?? 0
  return start + Int64(steps) * 15 * 60_000 + Int64(day) * 777
}

/// What a clock shows at a moment is shown at the moment that is made of it.
private func clock(_ zone: Zone, _ now: Int64) {
  let wall = zone.wallTime(at: now)
  precondition((0..<1440).contains(wall.minute))
  precondition(zone.wallTime(at: zone.moment(of: wall)) == wall, "a clock shows something else")
  precondition(zone.start(of: wall.day) <= now, "a day begins after a moment of it")
}

private func date(_ text: String, _ reader: DatePhrase) {
  guard let when = try? reader.read(text) else { return }
  let isASCII = text.utf8.allSatisfy { $0 < 0x80 }
  precondition(!isASCII || (try? reader.read(text.uppercased())) == when, "the case of letters matters")
  let zone = reader.zone
  let day = zone.day(of: when)
  precondition((try? reader.read(day.iso)) == .day(day), "a day is not understood as it is shown")
  guard case .moment(let time) = when else { return }
  let wall = zone.wallTime(at: time)
  guard case .moment(let again)? = try? reader.read("\(day.iso)T\(wall.clock)") else {
    // Without its seconds it may be too near to where the calendar begins.
    return precondition(day.adding(days: -2) == nil, "a moment is not understood as it is shown")
  }
  precondition(zone.wallTime(at: again) == wall, "a moment is shown as another one")
  let utc = Zone.utc.wallTime(at: time)
  let minute = try? reader.read("\(utc.day.iso)T\(utc.clock)Z")
  precondition(minute == .moment(time - (time % 60_000 + 60_000) % 60_000), "a moment is another one in UTC")
  next(wall.clock, reader)
}

/// A clock alone is the next time that it shows this.
private func next(_ clock: String, _ reader: DatePhrase) {
  do throws(PhraseError) {
    guard case .moment(let time) = try reader.read(clock) else { preconditionFailure("a time of day is a day") }
    precondition(time > reader.now && time - reader.now <= 49 * 3_600_000, "the next time is not the next")
  } catch {
    precondition(error == .outOfRange, "a time of day is not understood as it is shown")
  }
}

private func repetition(_ text: String, _ today: Day) {
  guard let repetition = (try? Repetition(phrase: text)) ?? Repetition(rule: text) else { return }
  precondition(Repetition(rule: repetition.rule) == repetition, "a rule is another one")
  precondition((try? Repetition(phrase: repetition.words)) == repetition, "a rule is not understood as it is shown")
  let anchored = repetition.anchored(at: today)
  precondition(anchored.anchored(at: today) == anchored)
  var day = today
  for _ in 0..<12 {
    guard let next = anchored.next(from: day) else { return }
    precondition(next > day, "the next day is not later")
    precondition(anchored.weekdays.isEmpty || anchored.weekdays.contains(next.weekday), "a day of the week is another")
    precondition(anchored.next(from: today, after: day) == next, "a day was left out")
    day = next
  }
}
