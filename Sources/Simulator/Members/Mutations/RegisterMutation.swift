import TodoCore

/// A value rewritten under its stamp, written under somebody else's, or at a time that is not now.
struct RegisterMutation: Mutation {
  let name = "register"

  func change(_ forge: Forge) throws -> String? {
    guard let put = try forge.pick(), let content = try forge.content(of: put) else { return nil }
    let document = content.document
    guard let old = document[Field.title.rawValue] ?? forge.member.dice.pick(document.registers) else { return nil }
    var new = old
    let what: String
    switch forge.member.dice.roll(4) {
    case 0:
      new.value = forge.text()
      what = "under the same stamp"
    case 1:
      guard let replica = forge.foreignReplica(content) else { return nil }
      new.value = forge.text()
      new.stamp = Stamp(time: forge.time(content), replica: replica)
      what = "as somebody else"
    case 2:
      guard let replica = forge.ownReplica else { return nil }
      new.value = forge.text()
      new.stamp = Stamp(time: forge.time(content), replica: replica)
      what = "at another time"
    default:
      guard document.registers.count > 1 else { return nil }
      let rest = document.registers.filter { $0.field != old.field }
      try forge.write(replacing(document, with: rest), history: content.history, to: put)
      return "one left out, of \(put.words)"
    }
    let registers = document.registers.map { $0.field == new.field ? new : $0 }
    try forge.write(replacing(document, with: registers), history: content.history, to: put)
    return "\(what), of \(put.words)"
  }

  private func replacing(_ document: Document, with registers: [Register]) -> Document {
    Document(
      registers: registers, elements: document.elements, context: document.context, deleted: document.deleted,
      unknown: document.unknown)
  }
}
