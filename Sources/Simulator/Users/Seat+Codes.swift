import CloudAPI
import Sharing
import TodoCore
import Treesystem

extension Seat {
  /// Makes a code and shows it to everybody, of whom one can use it.
  func makeCode(_ process: SimProcess, _ list: TodoList) {
    let role = world.dice.pick([Role.viewer, .editor, .admin]) ?? .editor
    change("make a code for \(list.name) as \(role.rawValue)", process) { transaction in
      do {
        let code = try transaction.makeCode(for: list.node, role: role, title: list.title, note: Oracle.marker)
        world.codes.append((code, device.person))
      } catch ShareError.notPermitted, TreeError.noSuchNode {
        throw Declined()
      }
      return []
    }
  }

  /// Types a code that somebody else made.
  func claimCode(_ process: SimProcess) async {
    guard let (code, maker) = world.dice.pick(world.codes.filter { $0.maker !== device.person }) else { return }
    do {
      guard let inviter = try await process.session.lookUp(handle: maker.handle) else {
        return fail("nobody found \(maker.handle)")
      }
      change("type a code of \(maker.handle)", process) { transaction in
        do {
          try transaction.claim(code, of: inviter.user)
        } catch ShareError.blocked {
          // By this user: what the inviter thinks of them nobody tells.
          throw Declined()
        }
        return []
      }
    } catch {
      if process.isAlive { expect(error, "looking up") }
    }
  }

  /// Lets nothing of somebody in any more, or again.
  func block(_ process: SimProcess) {
    change("block or unblock", process) { transaction in
      guard let person = world.dice.pick(try transaction.people()) else { return [] }
      try transaction.setBlocked(person.user, !person.regard.isBlocked)
      log("\(person.regard.isBlocked ? "lets in" : "blocks") \(person.handle)")
      return []
    }
  }
}
