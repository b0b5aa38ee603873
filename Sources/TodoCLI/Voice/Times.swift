import Glibc

/// A time in milliseconds since 1970 as RFC 3339 in UTC.
func rfc3339(_ milliseconds: Int64) -> String {
  let time = shown(milliseconds)
  var seconds = time_t(time / 1000)
  var parts = tm()
  gmtime_r(&seconds, &parts)
  return "\(date(parts))T\(clock(parts)):\(digits(parts.tm_sec, 2)).\(digits(Int32(time % 1000), 3))Z"
}

/// A time as people read it, in the time zone of this machine: `2026-07-31 14:02`.
func localTime(_ milliseconds: Int64) -> String {
  var seconds = time_t(shown(milliseconds) / 1000)
  var parts = tm()
  localtime_r(&seconds, &parts)
  return "\(date(parts)) \(clock(parts))"
}

/// A time as short as it is clear: `14:02`, or with its day if that is another than today.
func shortTime(_ milliseconds: Int64, now: Int64) -> String {
  let (time, today) = (localTime(milliseconds), localTime(now))
  return time.prefix(10) == today.prefix(10) ? String(time.suffix(5)) : time
}

/// What claims to be before 1970 or after the year 9999 is shown as these.
private func shown(_ milliseconds: Int64) -> Int64 { min(max(0, milliseconds), 253_402_300_799_999) }

private func date(_ parts: tm) -> String {
  "\(digits(parts.tm_year + 1900, 4))-\(digits(parts.tm_mon + 1, 2))-\(digits(parts.tm_mday, 2))"
}

private func clock(_ parts: tm) -> String { "\(digits(parts.tm_hour, 2)):\(digits(parts.tm_min, 2))" }

private func digits(_ number: Int32, _ count: Int) -> String {
  let text = String(number)
  return String(repeating: "0", count: max(0, count - text.count)) + text
}
