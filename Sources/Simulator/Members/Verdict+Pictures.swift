import Signing
import TodoCore
import Treesystem

/// Whose picture a todo has.
extension Verdict {
  /// No device shows somebody for a picture that their client never gave to a todo.
  func judgePictures(_ member: HostileMember) {
    var handles: [UserID: String] = [:]
    for person in world.people {
      if let user = try? world.server.user(handle: person.handle) { handles[user] = person.handle }
    }
    for seat in seats {
      seen(seat) { transaction in
        for list in try transaction.lists() {
          for todo in try [.open, .done, .trash].flatMap({ try transaction.todos(in: list.node, $0) }) {
            guard let image = try transaction.image(of: todo) else { continue }
            let deed = try transaction.attacher(of: image, to: todo)
            guard deed.via == nil, let person = deed.user.flatMap({ handles[$0] }), person != HostileMember.handle,
              !member.authorship.hasGiven(person, image.file)
            else { continue }
            world.fail("\(seat.name) shows \(person) for a picture that their client never gave to '\(todo.title)'")
          }
        }
      }
    }
  }

  /// No two todos here are called by one id (spec §7.12).
  func judgeOwnIDs() {
    for seat in seats {
      seen(seat) { transaction in
        var known: [TodoID: String] = [:]
        for list in try transaction.lists() {
          for todo in try [.open, .done, .trash].flatMap({ try transaction.todos(in: list.node, $0) }) {
            if let other = known[todo.ownID] {
              world.fail("\(seat.name) calls two todos \(todo.ownID): '\(other)' and '\(todo.title)'")
            }
            known[todo.ownID] = todo.title
          }
        }
      }
    }
  }
}
