import Sharing
import TodoCore
import Treesystem

/// What people do, and how often, in relation to each other.
enum Deed: CaseIterable {
  case add, retitle, tick, untick, remove, restore, emptyTrash, note, tag, untag, move, moveToList
  case addList, renameList, removeList, trashList, restoreList, moveList, archive
  case share, unshare, leave, answer, sync, logIn, retry, discard
  case offer, close, keep, makeCode, claimCode, withdrawCodes, endDevice, block
  case comment, `repeat`, undo, addUnnamed, picture

  var weight: Int {
    switch self {
    case .add: 14
    case .retitle: 12
    case .tick: 8
    case .untick: 4
    case .remove: 5
    case .restore: 4
    case .emptyTrash: 3
    case .note: 5
    case .tag: 4
    case .untag: 2
    case .move: 5
    case .moveToList: 5
    case .addList: 3
    case .renameList: 3
    case .removeList: 3
    case .moveList, .trashList, .restoreList: 2
    case .archive: 1
    case .share: 5
    case .unshare: 2
    case .leave: 1
    case .answer: 6
    case .sync: 30
    case .logIn: 1
    case .retry: 2
    case .discard: 2
    case .offer, .keep, .claimCode: 3
    case .makeCode, .close, .endDevice: 2
    case .withdrawCodes, .block: 1
    case .comment, .repeat, .undo, .addUnnamed, .picture: 0
    }
  }

  private static let cards = allCases.flatMap { Array(repeating: $0, count: $0.weight) }
  private static let quarrelCards = cards + quarrels.flatMap { Array(repeating: $0, count: 5 * $0.weight) }

  /// Beside hostile members people do what such members reach through: they take todos elsewhere, tick what comes back, and undo.
  private static let besideHostile =
    cards + Array(repeating: .moveToList, count: 25) + Array(repeating: .comment, count: 6)
    + Array(repeating: .repeat, count: 10) + Array(repeating: .undo, count: 5)
    + Array(repeating: .addUnnamed, count: 10) + Array(repeating: .picture, count: 6)

  /// The hostile member writes a lot, so that there is something to mutate, and sends it at once.
  private static let ofHostile: [Deed] = [
    .add, .add, .retitle, .tick, .remove, .emptyTrash, .note, .tag, .move, .moveToList, .moveToList, .renameList,
    .share,
    .answer, .comment, .repeat, .picture, .sync, .sync, .sync, .sync, .sync, .sync, .sync, .sync, .sync, .sync,
  ]

  static func draw(_ dice: inout Dice, in world: World, isHostile: Bool) -> Deed {
    if let deeds = world.hostileMember?.favourite?.deeds, dice.chance(400), let deed = dice.pick(deeds) { return deed }
    if isHostile { return dice.pick(ofHostile) ?? .sync }
    if world.hostileMember != nil { return dice.pick(besideHostile) ?? .sync }
    return dice.pick(world.isQuarrel ? quarrelCards : cards) ?? .sync
  }
}

extension Seat {
  /// One thing that a person does.
  func act(_ process: SimProcess) async {
    if await approveLogin(process) { return }
    let deed = Deed.draw(&world.dice, in: world, isHostile: isHostile)
    switch deed {
    case .sync: return await sync(process)
    case .addList: return addList(process)
    case .answer: return answerInvite(process)
    case .logIn: return world.buyDevice(for: device.person)
    case .retry: return retry(process)
    case .discard: return discard(process)
    case .claimCode: return await claimCode(process)
    case .endDevice: return await endDevice(process)
    case .block: return block(process)
    case .undo: return undo(process)
    case .addUnnamed: return addUnnamed(process)
    case .restoreList: return restoreList(process)
    default: break
    }
    if Deed.quarrels.contains(deed) { return await changeMembers(deed, process) }
    guard let lists = look(process, { try $0.lists() }), let list = pick(for: deed, from: lists) else { return }
    switch deed {
    case .renameList: renameList(process, list)
    case .removeList:
      removeList(process, list)
      if world.dice.chance(700) { await sync(process) }
    case .emptyTrash: emptyTrash(process, list)
    case .moveList: moveList(process, list, among: lists)
    case .trashList: trashList(process, list)
    case .archive: archive(process, list)
    case .moveToList: moveToList(process, list, among: lists)
    case .add: add(process, to: list)
    case .comment: comment(process, list)
    case .picture: picture(process, list)
    case .repeat: tickRepeating(process, list)
    default: editTodo(deed, process, list)
    }
  }

  /// Any list; for what a hostile member reaches people through, mostly one where she may write.
  private func pick(for deed: Deed, from lists: [TodoList]) -> TodoList? {
    guard let member = world.hostileMember, member.favourite?.deeds.contains(deed) == true, world.dice.chance(700)
    else {
      return world.dice.pick(lists)
    }
    let within = lists.filter { member.mayHaveWritten(list: $0.id) }
    return world.dice.pick(within.isEmpty ? lists : within)
  }

  private func editTodo(_ deed: Deed, _ process: SimProcess, _ list: TodoList) {
    switch deed {
    case .retitle:
      let title = newTitle()
      edit("retitle", process, list, [.open, .done]) { transaction, todo in
        let after = try transaction.setTitle(try Title(title), of: todo)
        if after.title != title { fail("\(name) gave a todo a title, and it has another") }
      }
    case .tick:
      edit("tick", process, list, [.open]) { transaction, todo in
        if try transaction.setDone(true, todo).doneAt == nil { fail("\(name) ticked a todo, and it is open") }
      }
    case .untick:
      edit("untick", process, list, [.done]) { transaction, todo in
        if try transaction.setDone(false, todo).doneAt != nil { fail("\(name) opened a todo, and it is done") }
      }
    case .remove:
      edit("remove", process, list, [.open, .done]) { transaction, todo in
        if try transaction.removeTodo(todo).state != .trash { fail("\(name) removed a todo, and it is there") }
      }
    case .restore:
      edit("restore", process, list, [.trash]) { transaction, todo in
        if try transaction.restoreTodo(todo).state == .trash { fail("\(name) restored a todo in vain") }
      }
    case .note:
      let note = newTitle()
      edit("note", process, list, [.open, .done]) { _ = try $0.setNote(try Note(note), of: $1) }
    case .tag: edit("tag", process, list, [.open]) { _ = try $0.addTag(try Tag(newTag()), to: $1) }
    case .untag:
      edit("untag", process, list, [.open]) { transaction, todo in
        // What a hostile member makes of a tag may be no word, and nobody types it.
        let words = try transaction.tags(of: todo).compactMap { try? Tag($0) }
        guard let tag = world.dice.pick(words) else { return }
        _ = try transaction.removeTag(tag, from: todo)
      }
    case .move: edit("move", process, list, [.open]) { try reorder($1, $0) }
    default: break
    }
  }

  private func reorder(_ todo: Todo, _ transaction: CloudTransaction) throws {
    switch world.dice.roll(3) {
    case 0: _ = try transaction.moveTodoToTop(todo)
    case 1: _ = try transaction.moveTodoToBottom(todo)
    default:
      let others = try transaction.todos(in: todo.list, .open).filter { $0.node != todo.node }
      if let other = world.dice.pick(others) { _ = try transaction.moveTodo(todo, after: other) }
    }
  }
}
