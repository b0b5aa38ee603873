import CloudAPI
public import Dates
import Signing
public import Treesystem

extension CloudTransaction {
  /// Makes the todo that follows one that comes back and was ticked. Nil where that is there already, or none is to come.
  ///
  /// Its name follows from the other's (spec §7.10), so two devices that tick the same todo make the same one.
  public func addOccurrence(after todo: Todo, zone: Zone) throws -> Todo? {
    guard let repetition = todo.repetition, let node = try node(todo.node), let parent = node.parent else { return nil }
    let id = todo.id.next
    let today = zone.day(at: clock.now())
    let last = todo.due.map { zone.day(of: $0) }
    guard let day = repetition.anchored(at: last ?? today).next(from: last ?? today, after: today) else { return nil }
    if let known = try child(named: id.text, of: parent).map({ try self.todo($0.id) }) {
      // Whoever took back the tick, and ticks again, means the one that went with it.
      guard let known, known.state == .trash else { return nil }
      return try setDue(todo.due.map { $0.on(day, zone) } ?? .day(day), of: restoreTodo(known))
    }
    var new = NewTodo(try Title(todo.title))
    new.tags = todo.tags.compactMap { try? Tag($0) }
    new.note = try notes(of: todo).first.flatMap { try? Note($0) }
    new.due = todo.due.map { $0.on(day, zone) } ?? .day(day)
    (new.priority, new.assignee, new.repetition) = (todo.priority, todo.assignee, repetition)
    return try addTodo(new, id: id, at: clock.now(), below: parent, of: todo.list, isDerived: true)
  }
}

extension When {
  /// The same time on another day.
  fileprivate func on(_ day: Day, _ zone: Zone) -> When {
    guard case .moment(let time) = self else { return .day(day) }
    return .moment(zone.moment(of: WallTime(day: day, minute: zone.wallTime(at: time).minute)))
  }
}

extension TodoID {
  /// The id of the todo that follows this one, the same on every device.
  package var next: TodoID { Self.derived(.occurrence, Base32.decode(text) ?? []) }

  /// The id that follows from some bytes; its beginning is no word and no number either (spec §7.10).
  static func derived(_ domain: Domain, _ bytes: [UInt8]) -> TodoID {
    let ids = (UInt8(0)...UInt8.max).lazy.map { n in Base32.encode(digest(domain, bytes + [n], length: 16)) }
    let text = ids.first { id in
      let short = id.prefix(shortLength)
      return short.first?.isLetter == true && short.contains(where: \.isNumber)
    }
    return TodoID(drawn: text ?? Base32.encode(digest(domain, bytes, length: 16)))
  }
}
