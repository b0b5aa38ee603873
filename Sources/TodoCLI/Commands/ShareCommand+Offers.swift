import Sharing
import TodoCore
import Treesystem

/// Sharing that the other side has to answer first.
extension Session {
  /// Prints a code that lets one person into a list.
  func shareByCode(_ name: String, role: Role, note: String) async throws {
    let account = try requireAccount()
    let (list, code) = try database.write { transaction in
      let list = try transaction.requireList(name)
      return (list, try transaction.makeCode(for: list.node, role: role, title: list.title, note: note))
    }
    try await syncAfterwards()
    try voice.tell(CodePage(list: list.name, code: "\(code.text)@\(account.server)", role: role))
  }

  /// Offers somebody to be the owner of a list.
  func offer(_ name: String, to person: Person) async throws {
    let list = try database.write { transaction in
      let list = try transaction.requireList(name)
      try transaction.offerOwnership(of: list.node, to: person.user, title: list.title)
      return list
    }
    try await syncAfterwards()
    try voice.tell(OfferPage(list: list.name, person: person))
  }
}

/// A code, on a line of its own.
struct CodePage: Page {
  let list: String
  let code: String
  let role: Role

  func lines(_ style: Style) -> [String] { [harmless(code)] }

  var members: [JSON.Member] {
    [
      .init(key: "list", value: .string(list)), .init(key: "code", value: .string(code)),
      .init(key: "role", value: .string(role.rawValue)),
    ]
  }

  var hints: [String] {
    [
      "it lets one person into '\(Complaint.shortened(list))' within 7 days, with: todo accept <code>",
      "give it over a way that is safe; this device answers it when it syncs; todo unshare <list> --codes withdraws it",
    ]
  }
}

/// A list that somebody may become the owner of.
struct OfferPage: Page {
  let list: String
  let person: Person

  func lines(_ style: Style) -> [String] {
    [
      "offered \(style.heading(harmless(list))) to \(harmless(person.display)): it is theirs when they accept, and you stay an admin"
    ]
  }

  var members: [JSON.Member] {
    [.init(key: "list", value: .string(list)), .init(key: "to", value: .string(person.handle))]
  }
}
