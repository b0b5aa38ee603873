import CloudAPI
import Sharing
import Signing
import TodoCore
import Treesystem

extension Deed {
  /// What changes who shares a list. In one world out of four people do little else.
  static let quarrels: [Deed] = [
    .share, .unshare, .leave, .answer, .offer, .close, .keep, .makeCode, .claimCode, .withdrawCodes, .endDevice,
  ]
}

extension Seat {
  /// Changes who shares a list, one that is shared already if there is any.
  func changeMembers(_ deed: Deed, _ process: SimProcess) async {
    if deed == .close, world.dice.chance(600) { await sync(process) }
    guard let list = pickList(for: deed, process) else { return }
    switch deed {
    case .share:
      guard let other = world.dice.pick(world.people.filter { $0 !== device.person }) else { return }
      await share(process, list, other)
    case .unshare: unshare(process, list)
    case .leave: leave(process, list)
    case .offer: offer(process, list)
    case .close:
      closeList(process, list)
      if world.dice.chance(500) { await sync(process) }
    case .keep: keep(process, list)
    case .makeCode: makeCode(process, list)
    case .withdrawCodes:
      change("withdraw the codes of \(list.name)", process) { transaction in
        if let branch = try transaction.cloudID(of: list.branch) { try transaction.withdrawCodes(for: branch) }
        return []
      }
    default: break
    }
  }

  private func pickList(for deed: Deed, _ process: SimProcess) -> TodoList? {
    let found = look(process) { transaction in
      let me = try transaction.requireAccount().user
      let lists = try transaction.lists()
      let fitting = try lists.filter { list in
        let body = try transaction.permissions(of: list.branch)?.body
        return switch deed {
        case .keep: try mayKeep(list, transaction)
        case .close, .offer: body?.owner == me && (body?.entries.count ?? 0) > 1
        default: (body?.entries.count ?? 0) > 1
        }
      }
      return (lists, fitting)
    }
    guard let (lists, fitting) = found else { return nil }
    // What only she has read so far others meet where she hung it, before they are let in.
    let isAny = fitting.isEmpty || deed == .share && isHostile || world.dice.chance(300) && deed != .keep
    return world.dice.pick(isAny ? lists : fitting)
  }

  private func offer(_ process: SimProcess, _ list: TodoList) {
    change("offer \(list.name)", process) { transaction in
      let me = try transaction.requireAccount().user
      guard let other = world.dice.pick(try transaction.members(of: list.node).filter { $0.user != me }) else {
        return []
      }
      do {
        try transaction.offerOwnership(of: list.node, to: other.user, title: list.title)
        log("to \(other.name)")
      } catch ShareError.notOwner, ShareError.notAMember {
        log("may not offer it")
      }
      return []
    }
  }

  /// Ends a list for everybody on it.
  func closeList(_ process: SimProcess, _ list: TodoList) {
    var seen: Set<String> = []
    let isDone = change("close \(list.name)", process) { transaction in
      seen = try allTodos(of: list, transaction)
      do {
        try transaction.close(list.node)
      } catch ShareError.notOwner, ShareError.closed, ShareError.unsentChanges, TreeError.notABranch {
        throw Declined()
      }
      return []
    }
    if isDone { world.oracle.removed(list.id, by: device.person.handle, seen: seen) }
  }

  /// Makes a list of one's own of one that was closed, or that one was taken off.
  private func keep(_ process: SimProcess, _ list: TodoList) {
    var seen: Set<String> = []
    var branch: CloudID?
    let isDone = change("keep \(list.name)", process) { transaction in
      guard try mayKeep(list, transaction) else { throw Declined() }
      seen = try allTodos(of: list, transaction)
      branch = try transaction.cloudID(of: list.branch)
      let states: [TodoState] = [.open, .done]
      let before = try states.map { try transaction.todos(in: list.node, $0).map(\.title) }
      let kept = try transaction.keepList(list)
      let after = try states.map { try transaction.todos(in: kept.node, $0).map(\.title) }
      if before.map({ $0.sorted() }) != after.map({ $0.sorted() }) || kept.name != list.name {
        fail("\(name) kept '\(list.name)' with \(before), and has '\(kept.name)' with \(after)")
      }
      return try states.flatMap { try transaction.todos(in: kept.node, $0) }.flatMap {
        try promises(of: $0, in: kept, before: nil, transaction)
      }
    }
    guard isDone else { return }
    world.oracle.removed(list.id, by: device.person.handle, seen: seen)
    if let branch { world.network.traffic.left(branch, on: device) }
  }

  private func mayKeep(_ list: TodoList, _ transaction: CloudTransaction) throws -> Bool {
    try transaction.isClosed(list.branch)
      || transaction.troubles().contains { $0.branch == list.branch && $0.reason == .branchDenied }
  }

  private func allTodos(of list: TodoList, _ transaction: CloudTransaction) throws -> Set<String> {
    try Set([.open, .done, .trash].flatMap { try transaction.todos(in: list.node, $0) }.map(\.id.text))
  }
}
