import CloudAPI
import TodoCore
import Treesystem

/// A content that nobody can read: no document, a value too long, or written when all time is over. Her client would not send it.
struct ContentMutation: Mutation {
  let name = "content"

  func change(_ forge: Forge) throws -> String? {
    guard let put = try forge.pick(), let content = try forge.content(of: put), let replica = forge.ownReplica else {
      return nil
    }
    var data = NodeData(data: content.document.bytes, history: content.history.bytes)
    let end = Stamp(time: .max - UInt64(forge.member.dice.roll(3)), replica: replica)
    let what: String
    switch forge.member.dice.roll(5) {
    case 0:
      data.data = [0xFF] + forge.member.entropy.bytes(20)
      what = "no document"
    case 1:
      data.history = [0xFF] + forge.member.entropy.bytes(20)
      what = "no history"
    case 2:
      let long = Register(
        field: Field.kind.rawValue, value: [UInt8](repeating: 0x61, count: 129), stamp: end.at(forge.now))
      data.data = with(long, content.document).bytes
      what = "a value longer than any"
    case 3:
      data.data = with(Register(field: Field.title.rawValue, value: forge.text(), stamp: end), content.document).bytes
      what = "a title of the end of time"
    default:
      let entries = (0..<UInt64(TodoCore.History.limit)).map {
        Register(field: Field.title.rawValue, value: forge.text(), stamp: Stamp(time: .max - $0, replica: replica))
      }
      data.history = TodoCore.History(entries).bytes
      what = "a history of the end of time"
    }
    forge.member.sentInstead[put.cloudID] = data
    return "\(what), in \(put.words)"
  }

  private func with(_ register: Register, _ document: Document) -> Document {
    Document(
      registers: document.registers.filter { $0.field != register.field } + [register], elements: document.elements,
      context: document.context, deleted: document.deleted, unknown: document.unknown)
  }
}

extension Stamp {
  /// The same writer at another time, in milliseconds.
  fileprivate func at(_ time: Int64) -> Stamp { Stamp(time: UInt64(max(0, time)), replica: replica) }
}
