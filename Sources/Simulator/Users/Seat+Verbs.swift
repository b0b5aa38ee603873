import CloudAPI
import GRDB
import Sharing
import Signing
import TodoCore
import Treesystem

extension Seat {
  /// Runs a command's transaction, and remembers what it was told is done. Returns whether it may have been done: a program
  /// that died over it, or could not sync its disk, does not know.
  @discardableResult
  func change(_ what: String, _ process: SimProcess, _ body: (CloudTransaction) throws -> [Oracle.Promise]) -> Bool {
    do {
      let promises = try process.database.write { try watched($0, body) }
      if process.isAlive, !isHostile { world.oracle.promise(promises) }
      log(process.isAlive ? what : "\(what): died")
      return true
    } catch {
      if process.isAlive { expect(error, what) } else { log("\(what): died") }
      switch error {
      case StoreError.diskFull, is Declined: return !process.isAlive
      default: return true
      }
    }
  }

  /// Runs a command's body under the eyes of whoever has to know what its user typed.
  private func watched(
    _ transaction: CloudTransaction, _ body: (CloudTransaction) throws -> [Oracle.Promise]
  ) throws -> [Oracle.Promise] {
    if let liar = world.liar { return try liar.honesty.watch(transaction, body) }
    guard let member = world.hostileMember else { return try body(transaction) }
    let promises = try member.authorship.watch(transaction, by: device.person.handle, on: device.name) { transaction in
      try transaction.asAction { try body(transaction) }
    }
    if !isHostile {
      try member.listBook.note(transaction, on: device.name)
      try member.todoNames.note(transaction, on: device.name)
    }
    return promises
  }

  /// What a verb wrote into a todo: the registers that were not there before.
  func promises(
    of todo: Todo, in list: TodoList, before: VersionedDocument?, _ transaction: CloudTransaction
  ) throws -> [Oracle.Promise] {
    guard let after = try transaction.content(of: todo.node)?.document else { return [] }
    let known = Set((before?.document.registers ?? []) + (before?.document.elements ?? []))
    return (after.registers + after.elements).filter { !known.contains($0) }.map { register in
      let isSingle = after.registers.contains(register)
      return Oracle.Promise(
        device: device.name, list: list.id, todo: todo.id.text, register: register,
        before: isSingle ? before?.document[register.field] : nil)
    }
  }

  /// A title that nobody used before, with the marker that no server may see.
  func newTitle() -> String {
    world.titles += 1
    return "\(Oracle.marker) \(world.titles) by \(name)"
  }

  /// A word of three, so that several people use one.
  func newTag() -> String { "\(["red", "green", "blue"][world.dice.roll(3)])\(Oracle.marker)" }

  func add(_ process: SimProcess, to list: TodoList) {
    let titles = (0...world.dice.roll(3)).map { _ in newTitle() }
    change("add \(titles.count) to \(list.name)", process) { transaction in
      guard try transaction.mayWrite(list.node) else { return [] }
      return try transaction.addTodos(try titles.map { try Title($0) }, to: list.node).flatMap {
        try promises(of: $0, in: list, before: nil, transaction)
      }
    }
  }

  /// Changes one todo of a list in one state, mostly one that is wanted.
  @discardableResult
  func edit(
    _ what: String, _ process: SimProcess, _ list: TodoList, _ states: [TodoState],
    preferring isWanted: (Todo) -> Bool = { _ in false },
    _ body: (CloudTransaction, Todo) throws -> Void
  ) -> Bool {
    change("\(what) in \(list.name)", process) { transaction in
      guard try transaction.mayWrite(list.node) else { return [] }
      let todos = try states.flatMap { try transaction.todos(in: list.node, $0) }
      let wanted = todos.filter(isWanted)
      guard let todo = world.dice.pick(wanted.isEmpty || world.dice.chance(300) ? todos : wanted) else { return [] }
      let before = try transaction.content(of: todo.node)
      world.network.traffic.changed(todo.node, on: device)
      try body(transaction, todo)
      return try promises(of: todo, in: list, before: before, transaction)
    }
  }

  func emptyTrash(_ process: SimProcess, _ list: TodoList) {
    var seen: [String: VersionedDocument] = [:]
    let isDone = change("empty the trash of \(list.name)", process) { transaction in
      guard try transaction.mayWrite(list.node) else { return [] }
      // Some may go with what is decided about others.
      for todo in try transaction.todos(in: list.node, .trash) where try transaction.node(todo.node) != nil {
        seen[todo.id.text] = try transaction.content(of: todo.node)
        try transaction.delete(todo.node)
      }
      return []
    }
    if isDone { world.oracle.purged(seen) }
  }

  func addList(_ process: SimProcess) {
    let name = newTitle()
    change("add a list", process) { transaction in
      _ = try transaction.addList(try ListName(name))
      return []
    }
  }

  func renameList(_ process: SimProcess, _ list: TodoList) {
    let name = newTitle()
    change("rename \(list.name)", process) { transaction in
      guard try transaction.mayWrite(list.node) else { return [] }
      _ = try transaction.renameList(list, to: try ListName(name))
      return []
    }
  }

  func trashList(_ process: SimProcess, _ list: TodoList) {
    change("put \(list.name) into the trash", process) { transaction in
      do {
        try transaction.trashList(list)
      } catch ShareError.ownerStays {
        throw Declined()
      }
      return []
    }
  }

  func restoreList(_ process: SimProcess) {
    guard let lists = look(process, { try $0.listsInTrash() }), let list = world.dice.pick(lists) else { return }
    change("take \(list.name) out of the trash", process) { transaction in
      _ = try transaction.restoreList(list)
      return []
    }
  }

  func removeList(_ process: SimProcess, _ list: TodoList) {
    var seen: Set<String> = []
    var branch: CloudID?
    var isOwnAndShared = false
    let isDone = change("remove \(list.name)", process) { transaction in
      seen = try Set([.open, .done, .trash].flatMap { try transaction.todos(in: list.node, $0) }.map(\.id.text))
      branch = try transaction.cloudID(of: list.branch)
      do {
        try transaction.removeList(list)
      } catch ShareError.ownerStays {
        isOwnAndShared = true
        throw Declined()
      }
      return []
    }
    if isOwnAndShared { return closeList(process, list) }
    guard isDone else { return }
    world.oracle.removed(list.id, by: device.person.handle, seen: seen)
    if let branch { world.network.traffic.left(branch, on: device) }
  }

  /// Tells what is here, or nil where the disk does not let it.
  func look<Result>(_ process: SimProcess, _ body: (CloudTransaction) throws -> Result) -> Result? {
    do {
      return try process.database.read(body)
    } catch {
      if process.isAlive { expect(error, "looking") }
      return nil
    }
  }

  func share(_ process: SimProcess, _ list: TodoList, _ other: Human) async {
    let role = world.dice.pick([Role.viewer, .editor, .admin]) ?? .editor
    do {
      guard let person = try await process.session.lookUp(handle: other.handle) else {
        return fail("nobody found \(other.handle)")
      }
      change("share \(list.name) with \(other.handle) as \(role.rawValue)", process) { transaction in
        do {
          try transaction.share(
            list.node, with: person.user, role: role, title: list.title, note: Oracle.marker)
        } catch ShareError.notPermitted, ShareError.ownerStays, ShareError.withOneself {
          log("may not share")
        } catch TreeError.noSuchNode {
          // Another program of this profile removed the list while the person was looked up.
          throw Declined()
        }
        return []
      }
    } catch {
      if process.isAlive { expect(error, "looking up") }
    }
  }

  func unshare(_ process: SimProcess, _ list: TodoList) {
    change("unshare \(list.name)", process) { transaction in
      let me = try transaction.requireAccount().user
      let others = try transaction.members(of: list.node).filter { $0.user != me && $0.role != .owner }
      guard let other = world.dice.pick(others) else { return [] }
      do {
        try transaction.unshare(list.node, with: other.user)
        world.network.traffic.removed(somebodyFrom: list.branch, on: device)
        log("removes \(other.name)")
      } catch ShareError.notPermitted, ShareError.ownerStays {
        log("may not unshare")
      }
      return []
    }
  }

  func leave(_ process: SimProcess, _ list: TodoList) {
    var seen: Set<String> = []
    var branch: CloudID?
    let isDone = change("leave \(list.name)", process) { transaction in
      seen = try Set([.open, .done, .trash].flatMap { try transaction.todos(in: list.node, $0) }.map(\.id.text))
      branch = try transaction.cloudID(of: list.branch)
      do {
        try transaction.leave(list.node)
      } catch ShareError.ownerStays, ShareError.unsentChanges, TreeError.noSuchNode {
        throw Declined()
      }
      return []
    }
    guard isDone else { return }
    world.oracle.removed(list.id, by: device.person.handle, seen: seen)
    if let branch { world.network.traffic.left(branch, on: device) }
  }

  func answerInvite(_ process: SimProcess) {
    change("answer an invitation", process) { transaction in
      guard let invite = world.dice.pick(try transaction.invites()) else { return [] }
      if world.dice.chance(850) {
        try transaction.graftInvite(invite.number)
        log("accepts \(invite.title) from \(invite.senderName)")
      } else {
        try transaction.declineInvite(invite.number)
      }
      return []
    }
  }

  /// An honest server gives no cause for any other trouble, once it is well.
  func judge(_ report: SyncReport) {
    if isHostile { return }
    if let liar = world.liar { return liar.judge(report, of: self) }
    for (branch, trouble) in report.troubles where trouble != .branchDenied && !(world.isHostile && trouble.isPassing) {
      // Messages wait for the inbox of somebody who has ended a device, until another of theirs gives it a new key.
      if trouble == .keyringStale, world.server.isInbox(branch, of: world.people) { continue }
      if trouble == .firstRecordWrong, isHerDeed(branch) { continue }
      // A device that was ended meanwhile may write nowhere.
      if trouble == .deviceUnknown, world.mayHaveEnded(device) { continue }
      fail("\(name): an honest branch is in trouble: \(trouble)")
    }
  }

  /// Whoever may write in a list can hang another one there that was not made there. It is refused, and nobody misses it (spec §3.8).
  private func isHerDeed(_ branch: CloudID) -> Bool {
    guard let member = world.hostileMember, let process else { return false }
    return look(process) { try member.mayBreak(branch, $0) } ?? false
  }

  func sync(_ process: SimProcess) async {
    device.requests = 0
    if isHostile { world.hostileMember?.strike(process, self) }
    do {
      try await sendPictures(process)
      let report = try await process.session.sync()
      guard process.isAlive else { return log("sync: died") }
      judge(report)
      let troubles = report.troubles.map { "\($0.value)" }.sorted().joined(separator: " ")
      log(
        "sync: \(report.received) in, \(report.sent) out, \(report.unsent) left, \(report.refused) refused \(troubles)")
      if !isHostile { world.oracle.checkCursors(of: process, in: world) }
      world.hostileMember?.look(process, self)
    } catch {
      if process.isAlive { expect(error, "syncing") } else { log("sync: died") }
    }
  }
}
