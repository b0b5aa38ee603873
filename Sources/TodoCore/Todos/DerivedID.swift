import CloudAPI
import GRDB
package import Signing
import Treesystem

/// Ids that follow from something, so that several devices make the same node. Everything about how they follow stands here.
///
/// Whoever knows what they follow from can put something else there first. So one is only wanted: what stands there already is asked
/// whether it is what was meant, and where it is not, the next one is taken (spec §7.10).
extension TodoID {
  /// The id of the todo that follows this one on a list with this key.
  package func next(by key: SecretBytes) -> TodoID { Self.derived(.occurrence, Base32.decode(text) ?? [], by: key) }

  /// The id of a todo of another program on a list with this key, by what tells it from all others there.
  package init(foreign name: String, by key: SecretBytes) { self = Self.derived(.imported, Array(name.utf8), by: key) }

  /// The id of what is imported where something else has this one.
  func nextImported(by key: SecretBytes) -> TodoID { Self.derived(.imported, Base32.decode(text) ?? [], by: key) }

  /// The cloudID of a node whose name is derived.
  var cloudID: CloudID? { Base32.decode(text).flatMap { CloudID(bytes: $0) } }

  /// The id that follows from some bytes for who has the key: what a server can compute it can find, a guessed title too.
  private static func derived(_ domain: Domain, _ bytes: [UInt8], by key: SecretBytes) -> TodoID {
    derived { CloudID(derived: domain, bytes + $0, by: key).bytes }
  }

  /// The first of the ids of 16 bytes that a hash gives for a last byte whose beginning is no word and no number either.
  static func derived(_ hash: ([UInt8]) -> [UInt8]) -> TodoID {
    for last in UInt8(0)...UInt8.max {
      let text = Base32.encode(hash([last]))
      let short = text.prefix(shortLength)
      if short.first?.isLetter == true, short.contains(where: \.isNumber) { return TodoID(drawn: text) }
    }
    return TodoID(drawn: Base32.encode(hash([])))
  }
}

/// What a wanted id came to.
enum WantedPlace {
  case free(TodoID, isDerived: Bool)
  /// What was wanted is there.
  case there(Todo)
}

extension CloudTransaction {
  /// So many ids are tried; whoever has taken more gets a random one.
  private static var wantedIDs: Int { 64 }

  /// Where the first of the ids that follow a todo's that is free, or has what is meant, leads to below a parent.
  func place(
    following todo: TodoID, below parent: NodeID, isMeant: (Todo) -> Bool
  ) throws -> WantedPlace {
    guard let branch = try node(parent)?.branch else { throw TreeError.noParent }
    guard let key = try derivationKey(of: branch) else {
      return .free(try TodoID.draw(entropy, isFree: isFree), isDerived: false)
    }
    var id = todo.next(by: key)
    for _ in 0..<Self.wantedIDs {
      let named = try child(named: id.text, of: parent)
      let known = try id.cloudID.flatMap { try node($0, in: branch) }
      for node in [named, known].compactMap(\.self) {
        if let known = try self.todo(node.id), known.state != .other,
          isMeant(known) || Defect.occurrenceBelieved.isPlanted
        {
          return .there(known)
        }
      }
      // What lies in quarantine has the id as well.
      let isTaken = try id.cloudID.map { try isLive($0, in: branch) } ?? false
      if named == nil, known == nil, !isTaken { return .free(id, isDerived: true) }
      id = id.next(by: key)
    }
    return .free(try TodoID.draw(entropy, isFree: isFree), isDerived: false)
  }
}
