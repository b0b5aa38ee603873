import TodoCore

/// A replica left out of the context, or one named with more than it wrote.
struct ContextMutation: Mutation {
  let name = "context"

  func change(_ forge: Forge) throws -> String? {
    guard let put = try forge.pick(), let content = try forge.content(of: put) else { return nil }
    var stamps = content.document.context.stamps
    let what: String
    switch forge.member.dice.roll(3) {
    case 0:
      guard let replica = forge.foreignReplica(content) else { return nil }
      stamps.removeAll { $0.replica == replica }
      what = "one left out"
    case 1:
      guard let replica = forge.foreignReplica(content) else { return nil }
      stamps.append(Stamp(time: forge.time(content), replica: replica))
      what = "one invented"
    default:
      guard let replica = Replica(bytes: forge.member.entropy.bytes(8)) else { return nil }
      stamps.append(Stamp(time: forge.time(content), replica: replica))
      what = "a stranger"
    }
    let document = Document(
      registers: content.document.registers, elements: content.document.elements, context: CausalContext(stamps),
      deleted: content.document.deleted, unknown: content.document.unknown)
    try forge.write(document, history: content.history, to: put)
    return "\(what), of \(put.words)"
  }
}
