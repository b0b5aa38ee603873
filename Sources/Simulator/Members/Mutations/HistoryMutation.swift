import TodoCore

/// An entry of the history left out, or all of them, or one invented.
struct HistoryMutation: Mutation {
  let name = "history"

  func change(_ forge: Forge) throws -> String? {
    guard let put = try forge.pick(), let content = try forge.content(of: put) else { return nil }
    var entries = content.history.overwritten
    let what: String
    switch forge.member.dice.roll(3) {
    case 0:
      guard !entries.isEmpty else { return nil }
      entries.remove(at: forge.member.dice.roll(entries.count))
      what = "one left out"
    case 1:
      guard !entries.isEmpty else { return nil }
      entries = []
      what = "all left out"
    default:
      guard let replica = forge.foreignReplica(content) else { return nil }
      entries.append(register(forge, Stamp(time: forge.time(content), replica: replica)))
      what = "one invented"
    }
    try forge.write(content.document, history: TodoCore.History(entries), to: put)
    return "\(what), of \(put.words)"
  }

  private func register(_ forge: Forge, _ stamp: Stamp) -> Register {
    Register(field: Field.title.rawValue, value: forge.text(), stamp: stamp)
  }
}
