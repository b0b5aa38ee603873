import CloudAPI
import Treesystem

extension CloudTransaction {
  /// Keeps as news what a pull has changed. What one's own device did changes nothing here, and what is only new to this device,
  /// because it reads the list for the first time, is no news either.
  func noteChange(of node: Node, from before: Document?, to after: Document) throws {
    guard before != after, try isCaughtUp(node.branch), let list = try root(of: node.branch) else { return }
    if Kind(node) == .comment { return before == nil ? try noteComment(at: node, after, on: list) : () }
    let changed = after.registers.filter { before?[$0.field] != $0 }
    let now = clock.now()
    let time = changed.map(\.stamp.time).max().map { min(Int64(clamping: $0), now) } ?? now
    for kind in News.Kind.between(before, after, node.isBranchRoot) {
      for (deed, writes) in try deeds(of: kind, at: node, from: before, to: after) {
        let isImage = kind != .edited || writes.contains { $0.field == Field.image.rawValue }
        try addNews(
          kind, node.id, on: list.id, by: deed, at: time, title: after.title,
          detail: isImage ? News.detail(of: kind, from: before, to: after) : "")
      }
    }
  }

  /// Those who did what is told of a change, each with the writes that say so: of several, an edit is told of each.
  private func deeds(
    of kind: News.Kind, at node: Node, from before: Document?, to after: Document
  ) throws -> [(Deed, [Register])] {
    let writes = after.writes(of: kind, since: before)
    // Nobody says who did it, and whoever signed may only have passed it on.
    if writes.isEmpty { return [(Deed(nil, via: node.author), [])] }
    var deeds: [(Deed, [Register])] = []
    for write in writes {
      let deed = try known(deed(of: write, at: node.id), on: node.branch)
      if let index = deeds.firstIndex(where: { $0.0 == deed }) {
        deeds[index].1.append(write)
      } else {
        deeds.append((deed, [write]))
      }
    }
    return deeds
  }

  /// A deed as it is told of a list: nobody who never shared it did anything there.
  private func known(_ deed: Deed, on branch: BranchID) throws -> Deed {
    guard let user = deed.user, deed.via != nil else { return deed }
    let wasThere = try permissionsHistory(of: branch).contains { $0.entry(of: user) != nil }
    return wasThere ? deed : Deed(nil, via: deed.via)
  }

  /// Whoever takes a todo to another list takes what others said about it along: that is no news. What was said about one that was removed
  /// afterwards is: both may come at once.
  private func noteComment(at node: Node, _ document: Document, on list: Node) throws {
    guard let todo = try node.parent.flatMap({ try self.todo($0) }),
      let comment = try comment(node), !comment.isPassedOn
    else { return }
    try addNews(
      .commented, todo.node, on: list.id, by: Deed(node.author), at: min(comment.time, clock.now()), title: todo.title,
      detail: comment.text)
  }

  /// Keeps as news that a todo is gone for good, if it was not in the trash before: the deed of who signed that, where it is one record's word.
  func noteDeletion(of node: Node) throws {
    guard !node.isBranchRoot, try isCaughtUp(node.branch), let list = try root(of: node.branch),
      let document = try document(of: node.id, in: .todos)?.document, Kind(node) == .todo,
      !document.isDeleted
    else { return }
    try addNews(
      .removed, nil, on: list.id, by: Deed(node.device == nil ? nil : node.author), at: clock.now(),
      title: document.title)
  }
}

extension News {
  /// What there is to say of a change beyond its kind.
  static func detail(of kind: Kind, from before: Document?, to after: Document) -> String {
    if kind == .retitled { return before?.title ?? "" }
    guard kind == .edited, let before, before.image != after.image else { return "" }
    return after.image == nil ? imageRemoved : imageAttached
  }
}

extension News.Kind {
  /// What makes one document of another, in the eyes of a person.
  static func between(_ before: Document?, _ after: Document, _ isList: Bool) -> [News.Kind] {
    guard let before else { return isList || after.isDeleted ? [] : [.added] }
    // A list is there as long as it hangs in home, whatever stands in its document (spec §7.14).
    let wasDeleted = !isList && before.isDeleted
    if !isList, after.isDeleted { return wasDeleted ? [] : [.removed] }
    // Somebody's edit may have beaten the removal: then they did more than bring it back.
    var kinds: [News.Kind] = wasDeleted ? [.restored] : []
    if before.title != after.title { kinds.append(.retitled) }
    if (before.doneAt == nil) != (after.doneAt == nil) { kinds.append(after.doneAt == nil ? .reopened : .done) }
    if kinds.isEmpty, isEdited(before, after) { kinds.append(.edited) }
    return kinds
  }

  /// Whether something was written that a person did: not only the place among the others.
  private static func isEdited(_ before: Document, _ after: Document) -> Bool {
    let elements = { (document: Document) in Set(document.elements.map { [UInt8($0.field & 0xFF)] + $0.value }) }
    return elements(before) != elements(after)
      || after.registers.contains { Document.isEdit($0.field) && before[$0.field]?.value != $0.value }
  }
}

extension Document {
  /// True for a field whose change is a person's edit: neither the place among the others, nor who took something away, nor the clock that
  /// goes with a moment.
  fileprivate static func isEdit(_ field: UInt32) -> Bool {
    ![Field.order, .taken, .clock].contains { $0.rawValue == field }
  }

  /// The writes that say who made this of another document; none where nobody can tell.
  fileprivate func writes(of kind: News.Kind, since before: Document?) -> [Register] {
    switch kind {
    // The title is what is shown.
    case .added, .retitled: return [self[Field.title.rawValue]].compactMap { $0 }
    case .done, .reopened: return [self[Field.done.rawValue]].compactMap { $0 }
    case .removed: return [deletion].compactMap { $0 }
    case .restored:
      return [writes.filter { !deleted.covers($0.stamp) && !(before?.holds($0) ?? false) }.max()].compactMap { $0 }
    default: return edits(since: before ?? Document())
    }
  }

  /// What was written anew, and who says that they took elements away.
  private func edits(since before: Document) -> [Register] {
    let registers = registers.filter { Self.isEdit($0.field) && before[$0.field]?.value != $0.value }
    let written = registers + elements.filter { !before.holds($0) }
    let gone = before.elements.filter { !holds($0) && !isReplaced($0, by: written) }
    guard let taken = self[Field.taken.rawValue], before[taken.field] != taken, !gone.isEmpty else { return written }
    let named = Taken.stamps(in: taken.value)
    return gone.contains { named.contains($0.stamp) } ? written + [taken] : written
  }

  /// True where something else of the field was written: its writer put it in the place of what was there.
  private func isReplaced(_ element: Register, by written: [Register]) -> Bool {
    written.contains { $0.field == element.field }
  }
}
