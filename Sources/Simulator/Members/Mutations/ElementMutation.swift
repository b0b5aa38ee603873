import TodoCore

/// An element left out without a word, or invented: a tag, a note, what a comment says, as somebody else's or as one's own.
struct ElementMutation: Mutation {
  let name = "element"

  func change(_ forge: Forge) throws -> String? {
    guard let put = try forge.pick(where: { !$0.isRoot }), let content = try forge.content(of: put) else { return nil }
    var elements = content.document.elements
    let what: String
    switch forge.member.dice.roll(3) {
    case 0:
      guard !elements.isEmpty else { return nil }
      elements.remove(at: forge.member.dice.roll(elements.count))
      what = "one left out"
    case 1:
      guard !elements.isEmpty else { return nil }
      elements[forge.member.dice.roll(elements.count)].value = forge.text()
      what = "one rewritten"
    default:
      guard let replica = forge.foreignReplica(content) else { return nil }
      let field = forge.member.dice.chance(500) ? Field.note : .tag
      let stamp = Stamp(time: forge.time(content), replica: replica)
      elements.append(Register(field: field.rawValue, value: forge.text(), stamp: stamp))
      what = "one invented"
    }
    let document = Document(
      registers: content.document.registers, elements: elements, context: content.document.context,
      deleted: content.document.deleted, unknown: content.document.unknown)
    try forge.write(document, history: content.history, to: put)
    return "\(what), of \(put.words)"
  }
}
