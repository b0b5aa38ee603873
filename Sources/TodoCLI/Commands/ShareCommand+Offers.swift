import Sharing
import Signing
import TodoCore
import Treesystem

/// Sharing that the other side has to answer first.
extension Session {
  /// Prints a code that lets one person into a list.
  func shareByCode(_ name: String, role: Role, note: String) async throws {
    let account = try requireAccount()
    let (list, code) = try database.write { transaction in
      let list = try transaction.requireList(name)
      return (list, try transaction.makeCode(for: list.node, role: role, title: list.offeredTitle, note: note))
    }
    try await syncAfterwards()
    let open = try read { transaction in
      try transaction.cloudID(of: list.branch).map { try transaction.openCodes(for: $0) }
    }
    try voice.tell(
      CodePage(list: list, code: "\(code.text)@\(account.server)", role: role, expires: open?.last?.expires))
  }

  /// Offers somebody to be the owner of a list.
  func offer(_ name: String, to person: Person) async throws {
    let list = try database.write { transaction in
      let list = try transaction.requireList(name)
      try transaction.offerOwnership(of: list.node, to: person.user, title: list.offeredTitle)
      return list
    }
    try await syncAfterwards()
    let (expires, isPending) = try read { transaction in
      let offers = try transaction.cloudID(of: list.branch).map { try transaction.offers(of: $0) } ?? []
      let unsent = try transaction.operations().contains { $0.kind == .copy && $0.user == person.user }
      return (offers.first { $0.successor == person.user }?.expires, unsent)
    }
    try voice.tell(OfferPage(list: list, person: person, expires: expires, isPending: isPending))
  }
}

/// A code, on a line of its own.
struct CodePage: Page {
  let list: TodoList
  let code: String
  let role: Role
  /// Milliseconds since 1970.
  let expires: Int64?

  func lines(_ style: Style) -> [String] { [harmless(code)] }

  var members: [JSON.Member] {
    [
      .init(key: "list", value: .string(list.name)), .init(key: "list_id", value: .string(list.id)),
      .init(key: "code", value: .string(code)), .init(key: "role", value: .string(role.rawValue)),
      .init(key: "expires_at", value: .time(expires)),
    ]
  }

  var hints: [String] {
    [
      "it lets one person into '\(Complaint.shortened(list.name))' within 7 days, with: todo accept <code>",
      "give it over a way that is safe; this device answers it when it syncs; todo unshare \(shellQuoted(harmless(list.name))) --codes withdraws it",
    ]
  }
}

/// A list that somebody may become the owner of.
struct OfferPage: Page {
  let list: TodoList
  let person: Person
  /// Milliseconds since 1970.
  let expires: Int64?
  /// Whether it was not sent yet.
  let isPending: Bool

  func lines(_ style: Style) -> [String] {
    let (list, person) = (style.heading(harmless(list.name)), harmless(person.display))
    let what =
      isPending ? "\(person) gets your offer of \(list) with the next 'todo sync'" : "offered \(list) to \(person)"
    return ["\(what): it is theirs when they accept, and you stay an admin"]
  }

  var members: [JSON.Member] {
    [
      .init(key: "list", value: .string(list.name)), .init(key: "list_id", value: .string(list.id)),
      .init(key: "to", value: .string(person.handle)), .init(key: "to_user", value: .string(person.user.description)),
      .init(key: "expires_at", value: .time(expires)), .init(key: "pending", value: .bool(isPending)),
    ]
  }
}
