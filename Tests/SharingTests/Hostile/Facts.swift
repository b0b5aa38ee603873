import CloudAPI
import Lies
import Sharing
import Signing
import TestSupport
import TodoCore

@testable import Treesystem

/// Everything that a client shows or believes, one fact a line.
struct Facts: CustomStringConvertible {
  /// What people see.
  let shown: [String]
  /// Whose keys are whose. Those of whoever a page names are fetched and verified before the page is.
  let keys: [String]

  init(of device: Device) throws {
    (shown, keys) = try device.database.read { transaction in
      guard try transaction.account() != nil else { return (["nobody"], []) }
      return try ((Self.lists(transaction) + Self.people(transaction)).sorted(), Self.keyrings(transaction).sorted())
    }
  }

  private var all: [String] { shown + keys }

  /// Those that are in neither of the others as often.
  func beyond(_ before: Facts, _ honest: Facts) -> [String] {
    var counts: [String: Int] = [:]
    for fact in all { counts[fact, default: 0] += 1 }
    return counts.filter { fact, count in
      count > max(before.all.count { $0 == fact }, honest.all.count { $0 == fact })
    }.keys.sorted()
  }

  var description: String { all.joined(separator: "\n") }

  private static func lists(_ transaction: CloudTransaction) throws -> [String] {
    try transaction.lists().flatMap { list in
      let open = try transaction.todos(in: list.node, .open).map { "open \(list.name)/\($0.title)" }
      let done = try transaction.todos(in: list.node, .done).map { "done \(list.name)/\($0.title)" }
      let members = try transaction.members(of: list.node).map {
        "member of \(list.name): \($0.user) \($0.role.rawValue) \($0.pending) \($0.isLeaving) \($0.hasDeclined)"
      }
      return ["list \(list.name)"] + open + done + members
    }
  }

  private static func people(_ transaction: CloudTransaction) throws -> [String] {
    let people = try transaction.people().map {
      "person \($0.display) \($0.user) \($0.regard.isVerified) \($0.regard.isBlocked)"
    }
    let invites = try transaction.invites().map {
      "invite to \($0.title) from \($0.sender): \($0.branch) \($0.role.rawValue) \($0.note) \($0.isOwnership)"
    }
    return try people + invites + posts(transaction)
  }

  /// What people say to each other.
  private static func posts(_ transaction: CloudTransaction) throws -> [String] {
    let said = try transaction.conversations().flatMap { conversation in
      try transaction.messages(in: conversation.id, limit: 1000).map {
        "post in \(conversation.id) by \($0.sender): \($0.text) \($0.isRead)"
      }
    }
    return try said
      + transaction.requests().flatMap { request in
        request.posts.map { "request of \(request.sender): \($0.text)" }
      }
  }

  /// Whose device is whose, and what is sealed to whom.
  private static func keyrings(_ transaction: CloudTransaction) throws -> [String] {
    try transaction.knownUsers().flatMap { user -> [String] in
      guard let keyring = try transaction.keyring(user) else { return [] }
      let devices = keyring.devices.values.map {
        "device of \(user) since \($0.added): \($0.ended.map { "ended \($0)" } ?? "active")"
      }
      return devices + keyring.generations.map { "key of \(user): \($0.number) \($0.publicKey)" }
        + ["handle of \(user): \(keyring.handle)"]
    }
  }
}
