import CloudAPI
import Sharing
import TodoCore
import Treesystem

/// What a change that waits would do.
struct ChangeWords: Equatable {
  /// One word for scripts.
  enum Kind: String, CaseIterable {
    case added
    case retitled
    case done
    case reopened
    case removed
    case restored
    case moved
    case edited
    case commented
    case deleted
    case shared
    case unshared
    case invited
    case accepted
    case renewed
    case messaged
  }

  /// At least one.
  let kinds: [Kind]
  /// `renaming and ticking 'eggs' on Groceries`: what comes behind "give up". Not safe for a terminal.
  let text: String
  /// Of the todo that it is about.
  var title: String?
  /// Whether it attaches an image.
  var isImage = false
}

extension ChangeWords.Kind {
  init(_ kind: News.Kind) {
    self =
      switch kind {
      case .added: .added
      case .retitled: .retitled
      case .done: .done
      case .reopened: .reopened
      case .removed: .removed
      case .restored: .restored
      case .edited: .edited
      case .commented: .commented
      case .joined, .roleChanged, .handedOver: .shared
      case .left, .unshared, .declined: .unshared
      case .closed: .deleted
      }
  }

  /// Of what happens to a todo or list.
  fileprivate var gerund: String {
    switch self {
    case .added: "adding"
    case .retitled: "renaming"
    case .done: "ticking"
    case .reopened: "reopening"
    case .removed: "removing"
    case .restored: "restoring"
    case .moved: "moving"
    case .edited: "changing"
    case .commented: "commenting on"
    case .deleted: "deleting"
    case .shared: "sharing"
    case .unshared: "taking off"
    case .invited: "inviting"
    case .accepted: "accepting"
    case .renewed: "renewing"
    case .messaged: "saying"
    }
  }

  fileprivate var preposition: String {
    switch self {
    case .added: "to"
    case .removed, .deleted: "from"
    default: "on"
    }
  }
}

extension ChangeWords {
  /// A change of a todo.
  init(_ kinds: [Kind], todo title: String, on list: String) {
    // The last names the list: one changes what is on it, and removes from it.
    let order = kinds.filter { $0 != .removed } + kinds.filter { $0 == .removed }
    let gerunds = order.map(\.gerund).joined(separator: " and ")
    self.init(
      kinds: kinds, text: "\(gerunds) '\(Complaint.shortened(title))' \(order[order.count - 1].preposition) \(list)",
      title: title)
  }

  /// A change of a list itself.
  init(_ kinds: [Kind], list: String) {
    let gerunds = kinds.map { $0 == .added ? "naming" : $0.gerund }.joined(separator: " and ")
    self.init(kinds: kinds, text: "\(gerunds) the list \(list)")
  }
}

extension CloudTransaction {
  /// What a queued operation does, in words.
  func words(for operation: QueuedOperation, _ lists: [TodoList]) throws -> ChangeWords {
    let isOwnTrunk = try root(of: operation.branch)?.trunk != nil
    let list =
      lists.first { $0.branch == operation.branch }?.name ?? (isOwnTrunk ? "your account" : "a list that is gone")
    switch operation.kind {
    case .put: return try words(forPut: operation, list, lists)
    case .delete: return try words(forDeletion: operation, list)
    case .permit: return try words(forPermit: operation, list)
    case .copy:
      let message = try operation.node.flatMap { try messageKind(of: $0) }
      return ChangeWords(sending: message, to: try person(operation))
    }
  }

  private func words(forPut operation: QueuedOperation, _ list: String, _ lists: [TodoList]) throws -> ChangeWords {
    guard let node = try operation.node.flatMap({ try self.node($0) }) else {
      return ChangeWords(kinds: [.edited], text: "changing something on \(list)")
    }
    if let target = node.pointer { return try words(forPointer: node, to: target, lists) }
    if node.trunk == .home, !node.isBranchRoot {
      return ChangeWords(kinds: [.messaged], text: "keeping what people said to you")
    }
    if node.trunk == .outbox, node.isConversation { return ChangeWords(writing: .post) }
    if node.trunk == .outbox { return ChangeWords(writing: try messageKind(of: node.id)) }
    if try comment(node) != nil, let todo = try node.parent.flatMap({ try self.todo($0) }) {
      return ChangeWords([.commented], todo: todo.title, on: list)
    }
    let change = try unsentChange(of: node.id)
    var kinds = change?.kinds.map { ChangeWords.Kind($0) } ?? []
    if change?.isMoved == true, !kinds.contains(.added) { kinds.append(.moved) }
    if kinds.isEmpty { kinds = [.edited] }
    if let todo = try todo(node.id) { return ChangeWords(kinds, todo: todo.title, on: list) }
    if node.isBranchRoot, node.trunk == nil { return ChangeWords(kinds, list: list) }
    if node.trunk == nil, let todo = try node.parent.flatMap({ try self.todo($0) }) {
      let title = Complaint.shortened(todo.title)
      return ChangeWords(
        kinds: [.edited], text: "attaching an image to '\(title)' on \(list)", title: todo.title, isImage: true)
    }
    return ChangeWords(kinds: [.edited], text: "changing your account")
  }

  private func words(forPointer node: Node, to target: BranchID, _ lists: [TodoList]) throws -> ChangeWords {
    let list = lists.first { $0.branch == target }?.name ?? "that was accepted"
    if node.author != nil { return ChangeWords(kinds: [.edited], text: "naming the list \(list) for yourself") }
    // The owner's first record is here, or still to be sent; that of others comes with the list.
    let owner = try permissions(of: target)?.body.owner
    let isOwn = try owner == account()?.user || permitOperations(of: target).contains { $0.user == nil }
    return isOwn
      ? ChangeWords(kinds: [.added], text: "putting the list \(list) among yours")
      : ChangeWords(kinds: [.accepted], text: "accepting the list \(list)")
  }

  private func words(forDeletion operation: QueuedOperation, _ list: String) throws -> ChangeWords {
    switch try root(of: operation.branch)?.trunk {
    case .home?: return ChangeWords(kinds: [.removed], text: "taking a list off yours")
    case .inbox?, .outbox?: return ChangeWords(kinds: [.deleted], text: "clearing up a message")
    case .prefs?: return ChangeWords(kinds: [.deleted], text: "changing your account")
    case nil:
      guard let taken = try taken(by: operation) else {
        return ChangeWords(kinds: [.deleted], text: "deleting something from \(list) for good")
      }
      let title = "'\(Complaint.shortened(taken.title))'"
      return taken.kind == .list
        ? ChangeWords(kinds: [.deleted], text: "deleting the list \(title) for good")
        : ChangeWords(kinds: [.deleted], text: "deleting \(title) from \(list) for good", title: taken.title)
    }
  }

  private func words(forPermit operation: QueuedOperation, _ list: String) throws -> ChangeWords {
    if operation.closes { return ChangeWords(kinds: [.deleted], text: "deleting the list \(list) for everybody") }
    guard let user = operation.user else { return ChangeWords(kinds: [.added], text: "making the list \(list)") }
    let person = try person(operation)
    if operation.isRenewal {
      let isOwn = try user == account()?.user
      return ChangeWords(
        kinds: [.renewed], text: "giving \(list) a new key because of \(isOwn ? "your devices" : person)")
    }
    if try root(of: operation.branch)?.trunk == .inbox {
      let text = operation.letters == [] ? "having the server refuse \(person)" : "having the server let \(person) in"
      return ChangeWords(kinds: [.edited], text: text)
    }
    if operation.handsOver { return ChangeWords(kinds: [.shared], text: "giving \(list) to \(person)") }
    if try isLeave(operation) { return ChangeWords(kinds: [.unshared], text: "leaving \(list)") }
    guard let letters = operation.letters, !letters.isEmpty else {
      return ChangeWords(kinds: [.unshared], text: "taking \(person) off \(list)")
    }
    guard try permissions(of: operation.branch)?.body.entry(of: user) != nil else {
      return ChangeWords(kinds: [.shared], text: "sharing \(list) with \(person)")
    }
    return ChangeWords(
      kinds: [.shared], text: "making \(person) \(Role(letters, isOwner: false).rawValue) of \(list)")
  }

  private func person(_ operation: QueuedOperation) throws -> String {
    try operation.user.map { try displayName(of: $0) } ?? "somebody"
  }
}
