import CloudAPI
import Foundation
import Signing
import TestSupport
import Testing

@testable import Treesystem

/// Records and answers of which one field is bent, and the records signed again by a member. Whatever comes of each, nobody stops: the server
/// answers the next request, and an honest device sends and reads on. `make fuzz` gives more rounds.
@Suite struct ProtocolFuzzTests {
  /// How many worlds, each with some twenty bent records.
  private static let rounds = ProcessInfo.processInfo.environment["TODO_FUZZ_ROUNDS"].flatMap(Int.init) ?? 3
  private static let first = ProcessInfo.processInfo.environment["TODO_FUZZ_FIRST"].flatMap(Int.init) ?? 0

  /// What a member sends.
  enum Kind: CaseIterable {
    case new, next, tombstone, permissions

    func draft(_ hand: Hand) throws -> (Draft, Domain) {
      switch self {
      case .new: return (hand.sign(try hand.todo()), HeaderBody.domain)
      case .next: return (hand.sign(try hand.next("Milk")), HeaderBody.domain)
      case .permissions: return (hand.permit { _ in }, PermissionsBody.domain)
      case .tombstone:
        let (header, hash) = try hand.present("Eggs")
        return (hand.delete(header, after: hash), TombstoneBody.domain)
      }
    }
  }

  @Test(arguments: Kind.allCases) func recordsThatAMemberBendsStopNobody(_ kind: Kind) async throws {
    for round in Self.first..<Self.first + Self.rounds {
      let stage = try await Stage()
      let mutation = WireMutation(entropy: SeededEntropy("fuzz \(kind) \(round)"))
      for _ in 0..<20 {
        try await stage.mallory.sync()
        let hand = try Hand(stage.mallory, on: stage.branch)
        guard let (whole, domain) = try? kind.draft(hand) else { break }
        var draft = whole
        let body = mutation.bent(draft.record.body)
        draft.record = SignedRecord(body: body, signature: hand.identity.signingKey.sign(domain, body))
        let answer = try await stage.send(draft)
        if answer == "accepted" { continue }
        // A server that verifies nothing shows it all the same.
        stage.pretend(draft, to: stage.carol)
        _ = try? await stage.carol.sync()
        stage.carol.transport.setTamper { _, response in response }
      }
      try await expectLife(stage, "\(kind), round \(round)")
    }
  }

  @Test func answersThatAreBentStopNobody() async throws {
    for round in Self.first..<Self.first + Self.rounds {
      let stage = try await Stage()
      let mutation = WireMutation(entropy: SeededEntropy("fuzz answers \(round)"))
      for number in 0..<20 {
        try stage.mallory.add("Groceries", "Bread \(number)")
        try await stage.mallory.sync()
        stage.carol.transport.setTamper { _, response in
          guard mutation.roll(3) == 0 else { return response }
          return CloudResponse(status: response.status, headers: response.headers, body: mutation.bent(response.body))
        }
        _ = try? await stage.carol.sync()
      }
      stage.carol.transport.setTamper { _, response in response }
      try await expectLife(stage, "answers, round \(round)")
    }
  }

  /// Alice, whom nobody lied to, goes on.
  private func expectLife(_ stage: Stage, _ what: Comment) async throws {
    try stage.alice.add("Groceries", "Bread of alice's")
    try await settle(stage.alice, stage.alice)
    #expect(try stage.alice.unsent() == 0, what)
    #expect(try stage.alice.titles("Groceries").contains("Bread of alice's"), what)
    #expect(try stage.alice.database.read { try $0.troubles() }.isEmpty, what)
    let tablet = try await stage.alice.second("tablet", "alice", in: stage.world)
    try await settle(tablet)
    #expect(try tablet.titles("Groceries").contains("Bread of alice's"), what)
  }
}
