import TodoCore

/// A todo that becomes a list, a comment or something that no version knows, and the other way round.
struct KindMutation: Mutation {
  let name = "kind"

  func change(_ forge: Forge) throws -> String? {
    guard let put = try forge.pick(where: { !$0.isRoot }), let content = try forge.content(of: put),
      let replica = forge.ownReplica
    else { return nil }
    let kind = forge.member.dice.pick(["list", "comment", "todo", "", "x"]) ?? ""
    var document = content.document
    let now = forge.now
    try document.write(Field.kind.rawValue, Array(kind.utf8), now: now, replica: replica)
    try forge.write(document, history: content.history, to: put)
    return "'\(kind)', of \(put.words)"
  }
}
