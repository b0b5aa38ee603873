import Dates
import Testing

@testable import Formats

/// A day of 2026: `day("12-01")`.
func day(_ text: String) -> When { .day(Day(iso: "2026-" + text) ?? Zone.utc.day(at: 0)) }

/// A moment: `moment("20261201T180000Z")`.
func moment(_ text: String) -> When { Stamp.read(Bytes(text))?.when(in: .utc) ?? day("01-01") }

func milliseconds(_ text: String) -> Int64 { Zone.utc.start(of: moment(text)) }

func todo(_ title: String, _ change: (inout PortableTodo) -> Void = { _ in }) -> PortableTodo {
  var todo = PortableTodo(title: title)
  change(&todo)
  return todo
}

/// What is read of a calendar.
func readCalendar(_ text: String, _ zone: Zone, zones: (String) -> Zone? = { _ in nil }) -> Reading {
  guard let calendar = try? DirectCalendarParser().parse(Array(text.utf8)) else {
    Issue.record("calendars cannot be read: is libical3 installed?")
    return Reading()
  }
  return ICalendar.read(calendar, zone: zone, zones: zones)
}
