import CloudAPI
import GRDB
import Signing
import Treesystem

/// Ids that follow from something, so that several devices make the same node. Everything about how they follow stands here.
///
/// Whoever knows what they follow from can put something else there first. So one is only wanted: what stands there already is asked
/// whether it is what was meant, and where it is not, the next one is taken (spec §7.10).
extension TodoID {
  /// The id of the todo that follows this one.
  package var next: TodoID { Self.derived(.occurrence, Base32.decode(text) ?? []) }

  /// The id of a todo of another program, by what tells it from all others there.
  public init(foreign name: String) { self = Self.derived(.imported, Array(name.utf8)) }

  /// The id of what is imported where something else has this one.
  var nextImported: TodoID { Self.derived(.imported, Base32.decode(text) ?? []) }

  /// The cloudID of a node whose name is derived.
  var cloudID: CloudID? { Base32.decode(text).flatMap { CloudID(bytes: $0) } }

  /// The id that follows from some bytes; its beginning is no word and no number either.
  static func derived(_ domain: Domain, _ bytes: [UInt8]) -> TodoID {
    let ids = (UInt8(0)...UInt8.max).lazy.map { n in Base32.encode(digest(domain, bytes + [n], length: 16)) }
    let text = ids.first { id in
      let short = id.prefix(shortLength)
      return short.first?.isLetter == true && short.contains(where: \.isNumber)
    }
    return TodoID(drawn: text ?? Base32.encode(digest(domain, bytes, length: 16)))
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

  /// Where the first of some ids that is free, or has what is meant, leads to below a parent.
  func place(
    wanting first: TodoID, after next: (TodoID) -> TodoID, below parent: NodeID, isMeant: (Todo) -> Bool
  ) throws -> WantedPlace {
    guard let branch = try node(parent)?.branch else { throw TreeError.noParent }
    var id = first
    for _ in 0..<Self.wantedIDs {
      let named = try child(named: id.text, of: parent)
      let known = try id.cloudID.flatMap { try node($0, in: branch) }
      for node in [named, known].compactMap(\.self) {
        if let todo = try todo(node.id), todo.state != .other, isMeant(todo) || Defect.occurrenceBelieved.isPlanted {
          return .there(todo)
        }
      }
      // What lies in quarantine has the id as well.
      let isTaken = try id.cloudID.map { try isLive($0, in: branch) } ?? false
      if named == nil, known == nil, !isTaken { return .free(id, isDerived: true) }
      id = next(id)
    }
    return .free(try TodoID.draw(entropy, isFree: isFree), isDerived: false)
  }
}
