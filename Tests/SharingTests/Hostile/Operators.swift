import CloudAPI
import Lies
import Sharing
import Signing

extension Operator {
  /// Every way of lying that has a name.
  static let all: [Operator] = [
    records, histories, lives, closings, pages, rereads, heads, forgeries, members, contents, keyrings, logIns,
    approvals, pointers, nestings, answers, refusals, restorations, messages, posts, origins, newest, invitations,
    codes, transfers,
    events,
  ].flatMap { $0 }

  /// Every operator with every kind of record that it fits.
  static let cases = all.flatMap { lie in
    lie.fits.map { HostileCase(lie: lie, record: $0.record, end: $0.end) }
  }

  /// Those to be played: where the client goes without a check, those that it is there for.
  static let played = cases.filter { Mutant.defence == nil || $0.lie.defence == Mutant.defence }
}

extension Scene {
  /// Somebody writes a record of this kind onto the list, and the real server has it.
  func write(_ record: RecordKind) async throws {
    switch record {
    case .permissions:
      try await alice.share("Groceries", with: "bob", role: .viewer)
      try await alice.sync()
    case .tombstone:
      let hand = try Hand(mallory, on: branch)
      let (eggs, hash) = try hand.present("Eggs")
      try await require(hand.delete(eggs, after: hash))
    default:
      try mallory.add("Groceries", "Bread")
      try await mallory.sync()
    }
  }

  /// Sends a record that the server takes.
  func require(_ draft: Draft) async throws {
    guard try await stage.send(draft) == "accepted" else { throw CloudFailure.nonsense }
  }

  /// A record of the same kind, all right but for its place: it is one of another list of mallory's.
  func foreign(_ record: RecordKind) async throws -> SignedRecord {
    try mallory.add("Private", "Milk")
    try await mallory.sync()
    let hand = try Hand(mallory, on: mallory.branch("Private"))
    switch record {
    case .permissions: return hand.permit { _ in }.record
    case .tombstone:
      let (milk, hash) = try hand.present("Milk")
      return hand.delete(milk, after: hash).record
    default: return try hand.sign(hand.todo()).record
    }
  }
}
