import CloudAPI
import Dates
import Formats
import Sharing
import Signing
import TodoCore
import Treesystem

extension ForeignTodo {
  /// Other programs know no place but a day or second, and give what is to be done at a time a start that is the same.
  fileprivate mutating func settle(_ zone: Zone, _ made: inout [Int64: Int64]) {
    if let start = new.start, let due = new.due, zone.start(of: start) >= zone.start(of: due) { new.start = nil }
    guard let time = createdAt else { return }
    createdAt = time + made[time, default: 0]
    made[time, default: 0] += 1
  }
}

extension Imported {
  /// Counts what was here already.
  fileprivate mutating func take(_ known: Todo, _ name: ForeignName) {
    self.known += 1
    if case .other = name { knownTitles.append(known.title) }
  }
}

/// What an import came to.
struct Imported {
  var added: [Todo] = []
  /// How many were here already.
  var known = 0
  /// What those of them are called that came from another program: it has no ids of ours to go by.
  var knownTitles: [String] = []
  /// What was not kept of those that were added, and of how many.
  var left: [String: Int] = [:]
  /// Names of lists that were made.
  var newLists: [String] = []
  /// What could not come along, for people.
  var remarks: [String] = []
}

extension CloudTransaction {
  /// So many levels of parts are kept; what is deeper stands beside the others. A server takes twice as many.
  private static var deepest: Int { 32 }

  /// Puts what a file has on its lists, each todo once, however often that is done.
  /// - Parameters:
  ///   - name: the list for a todo for which the file names none; nil: the default list.
  ///   - standard: what that is called, where none was chosen.
  func importEntries(
    _ entries: [TodoFile.Entry], format: ExchangeFormat, list name: String?, standard: ListName, zone: Zone,
    images: [String: SealedPicture] = [:]
  ) throws -> Imported {
    var imported = Imported()
    var lists: [String: TodoList] = [:]
    // Under which ids todos of the file are here.
    var here: [ForeignName: Todo] = [:]
    var seen: [String: Int] = [:]
    var unknownPeople = 0
    var depths: [TodoID: Int] = [:]
    var last = clock.now()
    // How many were made at the same time: they stay in the order of the file.
    var made: [Int64: Int64] = [:]
    let keys = try ownListKeys()
    let wanted = entries.map { Self.foreignName(of: $0, format, &seen) }
    let ids = Dictionary(zip(entries, wanted).compactMap { entry, id in entry.todo.id.map { ($0, id) } }) {
      first, _ in first
    }
    // A part may stand before what it is a part of.
    for index in Self.wholesFirst(entries) {
      let (entry, id) = (entries[index], wanted[index])
      let named = Self.listName(entry.todo.list) ?? name
      let found = try lists[named ?? ""] ?? listToLookIn(named, standard)
      if let known = try importedTodo(id, titled: entry.todo.title, to: found, keys: keys) {
        here[id] = known
        imported.take(known, id)
        continue
      }
      let list = try lists[named ?? ""] ?? listToImport(named, standard, &imported)
      lists[named ?? ""] = list
      var whole = try self.whole(of: entry, format, ids, here, on: list, keys)
      if let part = whole, part.list != list.node || depths[part.id, default: 0] >= Self.deepest { whole = nil }
      if whole == nil, entry.todo.parent != nil { imported.left["what it is a part of", default: 0] += 1 }
      let place = try placeToImport(id, titled: entry.todo.title, to: list, below: whole?.node)
      if let known = place.known {
        here[id] = known
        imported.take(known, id)
        continue
      }
      var foreign = try Self.foreign(entry, at: place, zone)
      if let rule = entry.todo.repetition, foreign.new.repetition == nil {
        imported.left["the rule \(rule)", default: 0] += 1
      }
      if format != .json { foreign.settle(zone, &made) }
      foreign.new.parent = whole?.node
      if let whole { depths[place.id] = depths[whole.id, default: 0] + 1 }
      foreign.new.assignee = try assignee(of: entry, on: list.node)
      if entry.todo.assignee != nil, foreign.new.assignee == nil { unknownPeople += 1 }
      let added = try importTodo(foreign, to: list.node, place: last)
      let image = entry.todo.id.flatMap { images[$0] }
      here[id] = added
      imported.added.append(try image.map { try setImage($0.file, of: added) } ?? added)
      last += 1
    }
    if unknownPeople > 0 {
      imported.remarks.append("\(counted(unknownPeople, "todo")) of people who are not on the list: nobody's now")
    }
    return imported
  }

  /// The images of those todos of our own file that are not here yet, by their ids.
  func newImages(_ entries: [TodoFile.Entry], list name: String?, standard: ListName) throws -> [String: String] {
    var images: [String: String] = [:]
    for entry in entries {
      guard let image = entry.image, let text = entry.todo.id, let id = TodoID(text: text) else { continue }
      let list = try listToLookIn(Self.listName(entry.todo.list) ?? name, standard)
      if try importedTodo(.own(id), titled: entry.todo.title, to: list, keys: []) == nil { images[text] = image }
    }
    return images
  }

  /// Our own ids stay; what other programs call it, or else what it says, is made one of ours.
  private static func foreignName(
    of entry: TodoFile.Entry, _ format: ExchangeFormat, _ seen: inout [String: Int]
  ) -> ForeignName {
    let todo = entry.todo
    if let text = todo.id, text.count == 26, let id = TodoID(text: text) { return .own(id) }
    if format != .markdown, let text = todo.id, !text.isEmpty { return .other("\(format.rawValue):\(text)") }
    // The same on another day, or done, is another thing, and so is the same twice in one file.
    let days = [todo.created, todo.due].map { $0.map { Zone.utc.day(of: $0).iso } ?? "" }
    let text = (["\(format.rawValue):\(todo.list ?? "")", todo.title, todo.state.rawValue] + days).joined(
      separator: "\n")
    seen[text, default: 0] += 1
    return .other("\(text)\n\(seen[text] ?? 1)")
  }

  /// What an entry is a part of: of this file, or of one that was imported before.
  private func whole(
    of entry: TodoFile.Entry, _ format: ExchangeFormat, _ ids: [String: ForeignName], _ here: [ForeignName: Todo],
    on list: TodoList, _ keys: [SecretBytes]
  ) throws -> Todo? {
    guard let parent = entry.todo.parent else { return nil }
    if let known = ids[parent].flatMap({ here[$0] }) { return known }
    if ids[parent] != nil { return nil }
    let name = TodoID(text: parent).map { ForeignName.own($0) } ?? .other("\(format.rawValue):\(parent)")
    return try importedTodo(name, titled: nil, to: list, keys: keys)
  }

  private static func wholesFirst(_ entries: [TodoFile.Entry]) -> [Int] {
    let ids = Dictionary(entries.enumerated().compactMap { index, entry in entry.todo.id.map { ($0, index) } }) {
      a, _ in a
    }
    var order: [Int] = []
    var isDone = [Bool](repeating: false, count: entries.count)
    for index in entries.indices {
      // Up to what is known, then down again; a ring ends where it began.
      var path = [index]
      var passed: Set = [index]
      while let last = path.last, let parent = entries[last].todo.parent.flatMap({ ids[$0] }), !isDone[parent],
        passed.insert(parent).inserted
      {
        path.append(parent)
      }
      for next in path.reversed() where !isDone[next] {
        isDone[next] = true
        order.append(next)
      }
    }
    return order
  }

  /// A name that a list may have; nil for none.
  private static func listName(_ text: String?) -> String? {
    guard let text else { return nil }
    let name = text.replacing("/", with: "-").drop { "-+@ ".contains($0) }
    return name.isEmpty ? nil : ListName.suiting(String(name))
  }

  /// Where a todo of the file may be already; nil where that list is yet to be made.
  private func listToLookIn(_ name: String?, _ standard: ListName) throws -> TodoList? {
    guard let name else { return try requireDefaultList(standard) }
    guard case .one(let list) = try findList(name) else { return nil }
    return list
  }

  private func listToImport(_ name: String?, _ standard: ListName, _ imported: inout Imported) throws -> TodoList {
    if let list = try listToLookIn(name, standard) {
      try requireWrite(list.node)
      return name == nil ? try settleDefaultList(list, standard) : list
    }
    let list = try name.map { try makeList($0) } ?? settleDefaultList(nil, standard)
    imported.newLists.append(list.name)
    return list
  }

  private func assignee(of entry: TodoFile.Entry, on list: NodeID) throws -> UserID? {
    if let id = entry.assigneeID.flatMap({ UserID(text: $0) }) { return id }
    return try entry.todo.assignee.flatMap { try assignees(of: list)[$0.lowercased()] }
  }

  private static func foreign(_ entry: TodoFile.Entry, at place: ImportPlace, _ zone: Zone) throws -> ForeignTodo {
    let todo = entry.todo
    var new = NewTodo(try Title(todo.title))
    new.tags = todo.tags.compactMap { try? Tag($0.replacing(" ", with: "-").replacing("+", with: "-")) }
    new.priority = todo.priority.flatMap { Priority(rawValue: $0.rawValue) }
    // A moment counts from 1970; of an earlier one the day is kept.
    func kept(_ when: When) -> When { zone.start(of: when) < 0 ? .day(zone.day(of: when)) : when }
    (new.due, new.start) = (todo.due.map(kept), todo.start.map(kept))
    new.clock = entry.clock.flatMap(ZonedTime.init(text:))
    let first = (todo.due ?? todo.start).map(zone.day(of:))
    new.repetition = todo.repetition.flatMap { Rule.followed($0, from: first) }
    if let day = first { new.repetition = new.repetition?.anchored(at: day) }
    var foreign = ForeignTodo(new, id: place.id, isDerived: place.isDerived)
    foreign.isRemoved = todo.state == .removed
    foreign.createdAt = todo.created.map { zone.start(of: $0) }
    if todo.state == .done || todo.done != nil && todo.state == .removed {
      foreign.doneAt = todo.done.map { zone.start(of: $0) } ?? 0
    }
    foreign.notes = try entry.notes.map { try Note($0) }.filter { !$0.text.isEmpty }
    foreign.order = entry.order
    foreign.comments = try entry.comments.map {
      // Who vouched for it is the one who can have written it.
      let writer = ($0.writer.viaID ?? $0.writer.id).flatMap { UserID(text: $0) }
      return ForeignTodo.Comment(time: $0.time, text: try Note($0.text), writer: writer)
    }
    return foreign
  }
}
