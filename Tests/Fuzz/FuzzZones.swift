import Dates

/// Zones with what makes clocks hard, without the tables of a system.
let zones: [Zone] = [
  .utc,
  // Summer time in the north, in whole days.
  Zone { (91...297).contains(dayOfYear($0)) ? 7200 : 3600 },
  // Clocks are put forward at midnight, so that a day begins at one o'clock: as in Brazil, until 2019.
  Zone { dayOfYear($0 - 10_800) < 50 || dayOfYear($0 - 10_800) > 305 ? -7200 : -10_800 },
  Zone { _ in 20_700 },
  // Half an hour of summer time: as on Lord Howe Island.
  Zone { (98...276).contains(dayOfYear($0)) ? 37_800 : 39_600 },
  Zone { _ in 14 * 3600 },
  Zone { _ in -12 * 3600 },
  // With seconds: Berlin before its clocks followed a meridian.
  Zone { _ in 3208 },
]

/// From 1, of a moment in seconds since 1970.
private func dayOfYear(_ seconds: Int64) -> Int {
  let day = Zone.utc.day(at: seconds * 1000)
  guard let first = Day(year: day.parts.year, month: 1, day: 1) else { return 1 }
  return day.number - first.number + 1
}
