import CloudAPI
import CloudServer
import Foundation
import Sharing
import Signing
import SwiftProtobuf
import TestSupport
import Testing
import TodoCore

@testable import Treesystem

/// An invitation never arrives before the branch is readable.
@Suite struct InvitationOrderTests {
  /// The push is stopped at one request after the other, before it arrives or after; with one operation in a request,
  /// that is after each operation in turn.
  @Test(arguments: [1, Limits.batchOperations], [InProcessTransport.Fate.lost, .replyLost])
  func theInvitationDependsOnThePermissionChange(_ size: Int, _ fate: InProcessTransport.Fate) async throws {
    var number = 0
    while true {
      number += 1
      let world = try World(seed: "order \(size) \(number)")
      let bob = try await world.person("bob")
      let alice = try await world.person("alice", batchOperations: size)
      try alice.add("Groceries", "Milk")
      try await alice.share("Groceries", with: "bob", note: "see you")
      let watch = try Watch(bob, branch: alice.branch("Groceries"), world)
      alice.transport.setTamper { _, response in
        watch.look()
        return response
      }
      let batches = alice.transport.setFate(fate, ofRequest: number) { $0.path == Route.batch.path }
      let wasStopped = try await alice.isStopped()
      watch.look()
      #expect(wasStopped == (batches.with { $0 } >= number))
      guard wasStopped else {
        #expect(number > (size == 1 ? 6 : 3), "the push takes that many requests at least")
        return
      }
      try await alice.sync()
      #expect(try alice.unsent() == 0)
      #expect(watch.premature.with { $0 } == 0, "after request \(number)")
      #expect(watch.invited.with { $0 })
      try await bob.sync()
      try bob.accept()
      try await settle(bob, alice)
      #expect(try bob.titles("Groceries") == ["Milk"])
      #expect(try bob.invites().isEmpty)
      #expect(try alice.quarantine().isEmpty && bob.quarantine().isEmpty)
    }
  }

  @Test func aRefusedPermissionChangeSendsNoInvitation() async throws {
    let (alice, bob, world) = try await sharedList()
    let carol = try await world.person("carol")
    try await alice.share("Groceries", with: "carol")
    alice.transport.setTamper { request, response in
      guard request.path == Route.batch.path, let batch = try? decode(WireBatch.self, request.body),
        var outcomes = try? decode(WireOutcomes.self, response.body)
      else { return response }
      for (index, operation) in batch.operations.enumerated() {
        guard case .permit = operation.change else { continue }
        outcomes.outcomes[index].refused = .with { $0.reason = Refusal.letterMissing.rawValue }
      }
      return CloudResponse(status: 200, headers: response.headers, body: encode(outcomes))
    }
    let report = try await alice.sync()
    #expect(report.refused == 1)
    #expect(report.unsent == 3, "the refused one, the message and its copy are kept")
    try await carol.sync()
    #expect(try carol.invites().isEmpty)
    #expect(try alice.titles("Groceries") == bob.titles("Groceries"))
  }
}

extension Device {
  /// Syncs; true if the network failed.
  func isStopped() async throws -> Bool {
    do {
      try await sync()
      return false
    } catch CloudFailure.unreachable {
      return true
    }
  }
}

/// Looks at what the server has for bob.
final class Watch: Sendable {
  let premature = Locked(0)
  let invited = Locked(false)
  private let question: @Sendable () -> (invited: Bool, closed: Bool)

  init(_ bob: Device, branch: CloudID, _ world: World) throws {
    let identity = try bob.database.read { try $0.identity() }
    let inbox = Trunk.inbox.cloudID(of: identity.user)
    let storage = world.storage
    question = {
      let state = try? storage.read { storage in
        let lines = try storage.lines(of: inbox, after: 0, limit: 100)
        let invited = try lines.contains { line in
          guard let node = try storage.node(line.cloudID, in: inbox) else { return false }
          return try HeaderBody(decoding: node.record.body).recipient == identity.user
        }
        return (invited, try !storage.letters(of: identity.user, on: branch).contains(.read))
      }
      return state ?? (false, true)
    }
  }

  func look() {
    let (invited, closed) = question()
    if invited { self.invited.with { $0 = true } }
    if invited, closed { premature.with { $0 += 1 } }
  }
}
