import Sharing
import Signing
import Treesystem

/// People, with the ids that their handles mean here.
struct PeoplePage: Page {
  let people: [Person]
  /// Those whose account is no more.
  let deleted: Set<UserID>

  init(_ people: [Person], in transaction: CloudTransaction) throws {
    self.people = people
    deleted = try Set(people.map(\.user).filter { try transaction.hasDeletedAccount($0) })
  }

  func lines(_ style: Style) -> [String] {
    if people.isEmpty { return ["you have met nobody yet"] }
    let width = people.map(\.display.count).max() ?? 0
    return people.map { person in
      let name = style.heading(pad(harmless(person.display), to: width))
      return "\(name)  \(style.quiet(person.user.description + remark(on: person)))"
    }
  }

  var members: [JSON.Member] { [.init(key: "users", value: .array(people.map(json(of:))))] }

  private func remark(on person: Person) -> String {
    person.remark + (deleted.contains(person.user) ? ", has deleted their account" : "")
  }

  private func json(of person: Person) -> JSON {
    .object(person.members + [.init(key: "account_deleted", value: .bool(deleted.contains(person.user)))])
  }
}

/// The number to compare with somebody.
struct SafetyPage: Page {
  let person: Person
  let number: SafetyNumber
  /// Whether the server means another person by this handle than was met under it.
  var hasChanged = false

  func lines(_ style: Style) -> [String] {
    let name = style.heading(harmless(person.display))
    let groups = number.groups
    let rows = stride(from: 0, to: groups.count, by: 4).map { "  " + groups[$0..<$0 + 4].joined(separator: " ") }
    let warning = hasChanged ? ["the server says that \(name) is somebody else now than the one you met"] : []
    if person.regard.isVerified { return warning + ["verified \(name)"] + rows }
    let state = person.regard.isOther ? "compared before, and not the same" : "not compared yet"
    return warning + ["the number of you and \(name), \(state):"] + rows
  }

  var members: [JSON.Member] {
    person.members + [
      .init(key: "number", value: .string(number.description)), .init(key: "has_changed", value: .bool(hasChanged)),
    ]
  }
}

extension Person {
  fileprivate var remark: String {
    (regard.isVerified ? ", verified" : "") + (regard.isOther ? ", the numbers were not the same" : "")
      + (regard.isBlocked ? ", blocked" : "")
  }

  fileprivate var members: [JSON.Member] {
    [
      .init(key: "handle", value: .string(handle)), .init(key: "user", value: .string(user.description)),
      .init(key: "verified", value: .bool(regard.isVerified)),
      .init(key: "other_number", value: .bool(regard.isOther)), .init(key: "blocked", value: .bool(regard.isBlocked)),
    ]
  }
}
