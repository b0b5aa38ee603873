import TodoCore

/// The document of a list: deleted, of another kind, made at the beginning of time, called as others call theirs, before or behind all.
struct RootMutation: Mutation {
  let name = "root"

  func change(_ forge: Forge) throws -> String? {
    guard let put = try forge.pick(where: \.isRoot), let content = try forge.content(of: put),
      let replica = forge.ownReplica
    else { return nil }
    let now = forge.now
    var document = content.document
    let what: String
    switch forge.member.dice.roll(6) {
    case 0:
      document.delete()
      what = "deleted"
    case 1:
      let kind = forge.member.dice.pick(["todo", "comment", "", "x"]) ?? ""
      try document.write(Field.kind.rawValue, Array(kind.utf8), now: now, replica: replica)
      what = "kind '\(kind)'"
    case 2:
      let created: [UInt8] = forge.member.dice.chance(500) ? [UInt8](repeating: 0, count: 8) : []
      try document.write(Field.created.rawValue, created, now: now, replica: replica)
      what = "created at 0"
    case 3, 4:
      guard let title = try title(forge) else { return nil }
      try document.write(Field.title.rawValue, Array(title.utf8), now: now, replica: replica)
      what = "called \(title.isEmpty ? "nothing" : title)"
    default:
      let place = forge.member.dice.pick(["0", "~", "", "zzzzzzzz"]) ?? ""
      try document.write(Field.order.rawValue, Array(place.utf8), now: now, replica: replica)
      what = "put at '\(place)'"
    }
    try forge.write(document, history: content.history, to: put)
    return "\(what), \(put.words)"
  }

  /// The name of the list that others add to, or of one of theirs.
  private func title(_ forge: Forge) throws -> String? {
    let dice = forge.member.dice.roll(4)
    if dice == 0 { return ListName.standard.text }
    if dice == 1 { return forge.member.dice.pick(["", "a/b", "-x", "Todo\u{0}", "todo"]) }
    return forge.member.dice.pick(forge.member.authorship.titles)
  }
}
