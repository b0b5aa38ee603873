import TodoCore

/// An entry of the history left out, or all of them, or one invented, or so many of the far future that no other has room.
struct HistoryMutation: Mutation {
  let name = "history"

  func change(_ forge: Forge) throws -> String? {
    guard let put = try forge.pick(), let content = try forge.content(of: put) else { return nil }
    var entries = content.history.overwritten
    let what: String
    switch forge.member.dice.roll(4) {
    case 0:
      guard !entries.isEmpty else { return nil }
      entries.remove(at: forge.member.dice.roll(entries.count))
      what = "one left out"
    case 1:
      guard !entries.isEmpty else { return nil }
      entries = []
      what = "all left out"
    case 2:
      guard let replica = forge.foreignReplica(content) else { return nil }
      entries.append(register(forge, Stamp(time: forge.time(content), replica: replica)))
      what = "one invented"
    default:
      guard let replica = forge.ownReplica else { return nil }
      entries = (0..<UInt64(TodoCore.History.limit)).map { register(forge, Stamp(time: .max - $0, replica: replica)) }
      what = "filled"
    }
    try forge.write(content.document, history: TodoCore.History(entries), to: put)
    return "\(what), of \(put.words)"
  }

  private func register(_ forge: Forge, _ stamp: Stamp) -> Register {
    Register(field: Field.title.rawValue, value: forge.text(), stamp: stamp)
  }
}
