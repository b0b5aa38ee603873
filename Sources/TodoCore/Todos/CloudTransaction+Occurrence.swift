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
  public func addOccurrence(after todo: Todo, zone: Zone) throws -> Todo? {
    var next: Todo?
    do {
      try db.inSavepoint {
        next = try occurrence(after: todo, zone)
        return .commit
      }
    } catch is TreeError {
      return nil
    } catch is DocumentError {
      return nil
    }
    return next
  }

  private func occurrence(after todo: Todo, _ zone: Zone) throws -> Todo? {
    guard let repetition = todo.repetition, let parent = try node(todo.node)?.parent else { return nil }
    let today = zone.day(at: clock.now())
    let last = todo.due.map { zone.day(of: $0) }
    guard let day = repetition.anchored(at: last ?? today).next(from: last ?? today, after: today) else { return nil }
    var due = todo.due.map { $0.on(day, zone) } ?? .day(day)
    let title = Title(suiting: todo.title)
    let place = try place(following: todo.id, below: parent) { known in
      guard known.node != todo.node, known.title == title.text, known.repetition == repetition else { return false }
      guard let here = known.due.map({ zone.day(of: $0) }), here <= zone.day(of: due) else {
        return known.state == .trash
      }
      guard known.state == .done else { return true }
      // It was ticked as well, and the one that follows it is wanted.
      if let day = repetition.anchored(at: here).next(from: here, after: today) { due = due.on(day, zone) }
      return false
    }
    switch place {
    case .there(let known):
      // Whoever took back the tick, and ticks again, means the one that went with it.
      return known.state == .trash ? try setDue(due, of: restoreTodo(known)) : nil
    case .free(let id, let isDerived):
      var new = NewTodo(title)
      new.tags = todo.tags.compactMap { try? Tag($0) }
      new.note = try notes(of: todo).first.flatMap { try? Note($0) }
      (new.due, new.priority, new.assignee, new.repetition) = (due, todo.priority, todo.assignee, repetition)
      return try addTodo(new, id: id, at: clock.now(), below: parent, of: todo.list, isDerived: isDerived)
    }
  }
}

extension When {
  /// The same time on another day.
  fileprivate func on(_ day: Day, _ zone: Zone) -> When {
    guard case .moment(let time) = self else { return .day(day) }
    return .moment(zone.moment(of: WallTime(day: day, minute: zone.wallTime(at: time).minute)))
  }
}
