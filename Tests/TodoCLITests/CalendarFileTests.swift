import Dates
import Formats
import Foundation
import Testing

@testable import TodoCLI

/// Calendars as other programs write them (`Tests/Calendars`, written by us after what each of them writes): every todo is read, and what is not
/// kept is named.
@Suite struct CalendarFileTests {
  private static let folder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .appending(path: "Calendars")

  private static let berlin = Zone(named: "Europe/Berlin") ?? .utc

  /// One line a todo, by what people see of it.
  private func read(_ name: String) throws -> (todos: [String], left: [String: Int]) {
    let file = Array(try Data(contentsOf: Self.folder.appending(path: name + ".ics")))
    let reading = try #require(
      try ExchangeFormat.ical.read(file, zone: Self.berlin, calendars: DirectCalendarParser()))
    #expect(reading.broken == [])
    return (reading.entries.map { line($0, of: reading.entries) }, reading.left)
  }

  private func line(_ entry: TodoFile.Entry, of all: [TodoFile.Entry]) -> String {
    let todo = entry.todo
    let whole = todo.parent.map { id in all.first { $0.todo.id == id }?.todo.title ?? "nothing" }
    let parts: [(String, String?)] = [
      ("on ", todo.list), ("in ", whole), ("", todo.state == .open ? nil : todo.state.rawValue),
      ("", todo.priority?.rawValue), ("from ", todo.start.map(text)), ("due ", todo.due.map(text)),
      ("", todo.repetition), ("done ", todo.done.map(text)),
    ]
    let words = parts.compactMap { word, value in value.map { word + $0 } } + todo.tags.map { "+\($0)" }
    return ([todo.title] + words + entry.notes).joined(separator: " · ")
  }

  private func text(_ when: When) -> String {
    switch when {
    case .day(let day): return day.iso
    case .moment(let time):
      let wall = Zone.utc.wallTime(at: time)
      return "\(wall.day.iso) \(wall.clock)Z"
    }
  }

  @Test func appleReminders() throws {
    let (todos, left) = try read("apple-reminders")
    #expect(
      todos == [
        "Pay the electrician · on Household · done · done 2026-11-20 17:05Z",
        "Put the bins out · on Household · high · from 2026-12-01 17:30Z · due 2026-12-01 17:30Z · FREQ=WEEKLY;INTERVAL=2",
        "Fill the boots · on Household · low · from 2026-12-06 · due 2026-12-06"
          + " · Oranges, nuts\nand the candles that burn for twelve hours; not the scented ones",
        "Buy walnuts 🌰 · on Household · in Fill the boots",
      ])
    #expect(left == ["VALARM": 1, "URL": 1])
  }

  @Test func nextcloudTasks() throws {
    let (todos, left) = try read("nextcloud-tasks")
    #expect(
      todos == [
        "Prune the apple tree · on Garden · medium · due 2026-12-15 14:00Z · +outside · +winter, early",
        "Sharpen the saw · on Garden · in Prune the apple tree · done · done 2026-11-19 09:10Z",
        "Order seeds · on Garden · from 2027-01-10 · due 2027-01-20 · - beans\n- peas\n\n**before** the 20th",
        "Dig the pond · on Garden · removed",
      ])
    #expect(left == ["CLASS": 1, "GEO": 1, "LOCATION": 1])
  }

  @Test func thunderbird() throws {
    let (todos, left) = try read("thunderbird")
    #expect(
      todos == [
        "Weekly report · from 2026-11-27 14:00Z · due 2026-11-27 21:00Z · FREQ=WEEKLY;BYDAY=FR · +work",
        "Weekly report · done · from 2026-11-20 14:00Z · due 2026-11-20 21:00Z · done 2026-11-20 21:00Z",
        "Book \"the\" flight · high · from 2026-12-03 13:00Z · due 2026-12-04 15:00Z · Window seat: yes",
        "Water the plants · due 2026-12-01 08:00Z · FREQ=DAILY;UNTIL=20261224T080000Z",
      ])
    #expect(left == ["ATTACH": 1, "LOCATION": 1, "VALARM": 1, "EXDATE": 1, "VEVENT": 1])
  }

  @Test func evolution() throws {
    let (todos, left) = try read("evolution")
    #expect(
      todos == [
        "Hand in the tax return · high · due 2026-11-30 16:00Z",
        "Clear out the cellar · from 2026-12-01 · due 2026-12-03 · +Home · +Weekend"
          + " · first the shelves\nthen C:\\old disks",
        "Visit grandmother · from 2026-12-06 · FREQ=MONTHLY;BYDAY=1SU",
        "Renew the passport · done · done 2026-11-10 12:00Z",
      ])
    #expect(left == ["CLASS": 1, "ATTENDEE": 1, "ORGANIZER": 1, "URL": 1])
  }

  @Test func tasksOrg() throws {
    let (todos, left) = try read("tasks-org")
    #expect(
      todos == [
        "Train for the run · low · due 2026-11-24 06:00Z · FREQ=WEEKLY;BYDAY=TU,TH · +sport · +health",
        "Buy shoes · in Train for the run · from 2026-11-25 · due 2026-11-28",
        "Sign up · done · done 2026-11-18 09:15Z",
        "Stretch · due 2026-11-21 · FREQ=DAILY;INTERVAL=3;COUNT=10",
      ])
    #expect(left == ["VALARM": 1])
  }
}
