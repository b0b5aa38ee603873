import CloudAPI
public import Dates
import GRDB
import Signing
public import Treesystem

extension CloudTransaction {
  /// Makes the todo that follows one that comes back and was ticked. Nil where that is there already, or none is to come.
  ///
  /// Its name follows from the other's (spec §7.10), so two devices that tick the same todo make the same one. The tick stands whatever
  /// comes of this: what others have written may be such that nothing can be made of it.
  /// - Parameters:
  ///   - zone: where the clock hangs by which the todo is due, if it does not say so itself.
  ///   - other: finds a zone by its name.
  public func addOccurrence(after todo: Todo, zone: Zone, other: (String) -> Zone? = { _ in nil }) throws -> Todo? {
    var next: Todo?
    do {
      try db.inSavepoint {
        let meant = try meantTime(of: todo, zone, other)
        next = try occurrence(after: todo, meant?.zone ?? zone, meant?.time)
        return .commit
      }
    } catch is TreeError {
      return nil
    } catch is DocumentError {
      return nil
    }
    return next
  }

  /// The clock by which a todo is due, and where it hangs.
  private func meantTime(
    of todo: Todo, _ here: Zone, _ other: (String) -> Zone?
  ) throws -> (time: ZonedTime, zone: Zone)? {
    guard let clock = try document(of: todo.node, in: .todos)?.document.clock,
      let zone = clock.zone == here.name ? here : other(clock.zone), clock.shows(todo.due, in: zone)
    else { return nil }
    return (clock, zone)
  }

  private func occurrence(after todo: Todo, _ zone: Zone, _ meant: ZonedTime?) throws -> Todo? {
    guard let repetition = todo.repetition, let parent = try node(todo.node)?.parent else { return nil }
    let today = zone.day(at: clock.now())
    let last = todo.due.map { zone.day(of: $0) }
    guard let day = repetition.anchored(at: last ?? today).next(from: last ?? today, after: today) else { return nil }
    var due = todo.due.map { $0.on(day, zone, meant?.minute) } ?? .day(day)
    let title = Title(suiting: todo.title)
    let place = try place(following: todo.id, below: parent) { known in
      guard known.node != todo.node, known.title == title.text, known.repetition == repetition else { return false }
      guard let here = known.due.map({ zone.day(of: $0) }), here <= zone.day(of: due) else {
        return known.state == .trash
      }
      guard known.state == .done else { return true }
      // It was ticked as well, and the one that follows it is wanted.
      if let day = repetition.anchored(at: here).next(from: here, after: today) {
        due = due.on(day, zone, meant?.minute)
      }
      return false
    }
    switch place {
    case .there(let known):
      // Whoever took back the tick, and ticks again, means the one that went with it.
      guard known.state == .trash else { return nil }
      try restoreParts(of: todo, on: known)
      return try setDue(due, of: restoreTodo(known))
    case .free(let id, let isDerived):
      let later = Later(days: zone.day(of: due).number - (last ?? today).number, zone: zone)
      var new = try copy(of: todo, later)
      (new.due, new.clock, new.repetition) = (due, meant ?? ZonedTime(due, in: zone), repetition)
      let next = try addTodo(new, id: id, at: clock.now(), below: parent, of: todo.list, isDerived: isDerived)
      var left = Self.partLimit
      try addParts(of: todo, to: next, later, &left)
      return next
    }
  }

  /// So many parts come back with their whole: any member can add more, and each tick would make them anew.
  private static var partLimit: Int { 256 }

  /// What is to be done again with the whole. A part that comes back by itself is not.
  private func addParts(of todo: Todo, to next: Todo, _ later: Later, _ left: inout Int) throws {
    for part in try parts(of: todo) where part.repetition == nil && left > 0 {
      left -= 1
      let title = Title(suiting: part.title)
      let place = try place(following: part.id, below: next.node) { $0.title == title.text }
      guard case .free(let id, let isDerived) = place else { continue }
      let again = try addTodo(
        copy(of: part, later), id: id, at: part.createdAt, below: next.node, of: todo.list, isDerived: isDerived)
      try addParts(of: part, to: again, later, &left)
    }
  }

  /// Takes out of the trash what follows a part, and nothing that somebody else has put beside it.
  private func restoreParts(of todo: Todo, on next: Todo) throws {
    for part in try parts(of: todo) where part.repetition == nil {
      let title = Title(suiting: part.title)
      let place = try place(following: part.id, below: next.node) { $0.title == title.text && $0.state == .trash }
      guard case .there(let known) = place else { continue }
      try restoreParts(of: part, on: known)
      _ = try restoreTodo(known)
    }
  }

  private func copy(of todo: Todo, _ later: Later) throws -> NewTodo {
    var new = NewTodo(Title(suiting: todo.title))
    new.tags = todo.tags.compactMap { try? Tag($0) }
    new.note = try notes(of: todo).first.flatMap { try? Note($0) }
    (new.due, new.start) = (todo.due.flatMap(later.than), todo.start.flatMap(later.than))
    (new.priority, new.assignee) = (todo.priority, todo.assignee)
    return new
  }
}

/// By how much what comes back is later than before.
private struct Later {
  let days: Int
  let zone: Zone

  /// Nil where the calendar ends.
  func than(_ when: When) -> When? { zone.day(of: when).adding(days: days).map { when.on($0, zone) } }
}

extension When {
  /// The same time on another day.
  /// - Parameter minute: the time of day that is meant: a clock that was put forward shows another one.
  fileprivate func on(_ day: Day, _ zone: Zone, _ minute: Int? = nil) -> When {
    guard case .moment(let time) = self else { return .day(day) }
    return .moment(zone.moment(of: WallTime(day: day, minute: minute ?? zone.wallTime(at: time).minute)))
  }
}
