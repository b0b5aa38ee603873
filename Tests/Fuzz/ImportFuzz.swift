import Dates
import Formats

// What `make fuzz` gives hostile bytes to: the readers of files that other programs wrote. What was read is written and read again: then
// nothing may be broken or lost, and what is written a second time must be what was written the first time.

/// One input is one file: its first byte says in which format it is, and in which zone it is read.
@_cdecl("LLVMFuzzerTestOneInput") public func fuzz(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
  let input = Array(UnsafeBufferPointer(start: start, count: count))
  guard let first = input.first else { return 0 }
  let text = String(decoding: input.dropFirst(), as: UTF8.self)
  let zone = zones[Int(first) / 5 % zones.count]
  switch first % 5 {
  case 0: lines(text, zone)
  case 1: check(text, .taskwarrior(zone))
  case 2: check(text, .iCalendar(zone))
  case 3: check(text, .markdown(zone))
  default: ours(text)
  }
  return 0
}

private struct Format {
  let read: (String) -> Reading
  let write: ([PortableTodo]) -> String
  /// What of a todo that was read must come back.
  let kept: (inout PortableTodo) -> Void

  static func todoTxt(_ zone: Zone) -> Format {
    Format(
      read: { TodoTxt.read($0, zone: zone) }, write: { TodoTxt.write($0, zone: zone) }, kept: { _ in })
  }

  static func taskwarrior(_ zone: Zone) -> Format {
    Format(
      read: { Taskwarrior.read($0, zone: zone) }, write: { Taskwarrior.write($0, zone: zone) },
      kept: { todo in
        keepWithinCalendar(&todo)
        // A comment without a time gets one.
        for index in todo.comments.indices { todo.comments[index].time = nil }
      })
  }

  static func iCalendar(_ zone: Zone) -> Format {
    Format(
      read: { readCalendar($0, zone) },
      write: { ICalendar.write($0, now: 1_780_000_000_000) },
      kept: { todo in
        keepWithinCalendar(&todo)
        // An id is made where there is none, and control characters become spaces.
        (todo.id, todo.parent, todo.note) = (nil, nil, nil)
        todo.comments = todo.comments.map { _ in PortableTodo.Comment(time: nil, text: "") }
        if todo.state == .open { todo.done = nil }
      })
  }

  static func markdown(_ zone: Zone) -> Format {
    Format(
      read: { Markdown.read($0, zone: zone) }, write: { Markdown.write($0, zone: zone) },
      kept: { todo in
        // Ids are those of lines, parts too deep stand beside the whole, and of a note control characters change.
        (todo.id, todo.parent, todo.note) = (nil, nil, nil)
        todo.done = todo.done.map { .day(zone.day(of: $0)) }
      })
  }
}

private func check(_ text: String, _ format: Format) {
  let reading = format.read(text)
  checkLines(reading.broken, text)
  let written = format.write(reading.todos)
  let again = format.read(written)
  precondition(again.broken.isEmpty, "what we wrote is broken")
  precondition(again.todos.count == reading.todos.count, "a todo was lost")
  precondition(counted(again, format) == counted(reading, format), "a todo is another one")
  precondition(format.write(again.todos).utf8.elementsEqual(written.utf8), "the second file is another one")
}

/// How often there is each: Markdown puts together what stands on one list.
private func counted(_ reading: Reading, _ format: Format) -> [PortableTodo: Int] {
  reading.todos.reduce(into: [:]) { counts, todo in
    var todo = todo
    format.kept(&todo)
    counts[todo, default: 0] += 1
  }
}

private func checkLines(_ broken: [BrokenEntry], _ text: String) {
  let lines = text.utf8.count { $0 == 0x0A } + 1
  precondition(broken.allSatisfy { (1...lines).contains($0.line) && !$0.reason.isEmpty }, "a line is not in the file")
  precondition(zip(broken, broken.dropFirst()).allSatisfy { $0.line <= $1.line }, "lines are told out of order")
}

/// A file of lines: who leaves out those that are broken reads what the file would be without them.
private func lines(_ text: String, _ zone: Zone) {
  let format = Format.todoTxt(zone)
  check(text, format)
  let reading = format.read(text)
  let broken = Set(reading.broken.map(\.line))
  let lines = text.utf8.split(separator: 0x0A, omittingEmptySubsequences: false)
  let kept = lines.enumerated().filter { !broken.contains($0.offset + 1) }.map { Array($0.element) }
  let sound = String(decoding: Array(kept.joined(separator: [0x0A])), as: UTF8.self)
  precondition(format.read(sound) == Reading(todos: reading.todos), "without its broken lines a file is another one")
}

/// Our own file, which says everything.
private func ours(_ text: String) {
  let (entries, broken) = TodoFile.read(text)
  checkLines(broken, text)
  let written = TodoFile.write(entries)
  let again = TodoFile.read(written)
  precondition(again.broken.isEmpty, "what we wrote is broken")
  func kept(_ entry: TodoFile.Entry) -> TodoFile.Entry {
    var entry = entry
    keepWithinCalendar(&entry.todo)
    entry.comments = entry.comments.filter { within(.moment($0.time)) != nil }
    return entry
  }
  precondition(again.entries.map(kept) == entries.map(kept), "a todo is another one")
  precondition(TodoFile.write(again.entries).utf8.elementsEqual(written.utf8), "the second file is another one")
}

/// Leaves out what is so early or late that it would be outside of the calendar in UTC.
private func keepWithinCalendar(_ todo: inout PortableTodo) {
  (todo.due, todo.start) = (within(todo.due), within(todo.start))
  (todo.created, todo.done) = (within(todo.created), within(todo.done))
}

private func within(_ when: When?) -> When? {
  when.map { (2...9998).contains(Zone.utc.day(of: $0).parts.year) } == true ? when : nil
}

private func readCalendar(_ text: String, _ zone: Zone) -> Reading {
  let calendar = try? DirectCalendarParser().parse(Array(text.utf8))
  precondition(calendar != nil, "libical3 is not installed")
  return calendar.map { ICalendar.read($0, zone: zone) { $0 == "Europe/Berlin" ? zones[1] : nil } } ?? Reading()
}
