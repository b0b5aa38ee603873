import CloudAPI
import Foundation
import Lies
import Signing
import SwiftProtobuf
import Synchronization
import TestSupport
import Testing
import TodoCore

@testable import Treesystem

/// What lives is what authors signed: no server gives a node a new life, or takes what hangs below it (spec §5.1, 6, 8 and 10).
@Suite struct LivenessTests {
  /// The stage with something below Milk, which everybody has read.
  private func stageWithOats() async throws -> (Stage, CloudID) {
    let stage = try await Stage()
    let oats = try Hand(stage.alice, on: stage.branch).todo(named: "oats", below: "Milk", like: "Eggs")
    #expect(try await stage.send(Hand(stage.alice, on: stage.branch).sign(oats)) == "accepted")
    try await settle(stage.alice, stage.mallory)
    #expect(try isThere(oats.header.cloudID, stage.alice, stage))
    return (stage, oats.header.cloudID)
  }

  private func isThere(_ cloudID: CloudID, _ device: Device, _ stage: Stage) throws -> Bool {
    try device.database.read { transaction in
      try transaction.branch(stage.branch).flatMap { try transaction.node(cloudID, in: $0) } != nil
    }
  }

  private func tell(_ retelling: Retelling, to device: Device) {
    let (page, start) = (retelling.page, retelling.cursor.line)
    device.transport.setTamper { request, response in
      let lie = Lie(branch: retelling.branch)
      let answer = lie.head(response, to: request) { head in
        head.line = page.headLine
        head.logHash = page.headHash
      }
      guard let asked = try? decode(WirePullRequest.self, request.body), asked.afterLine == start else { return answer }
      return lie.page(answer, to: request) { $0 = page }
    }
  }

  /// Two versions in a row, of which the server calls the first, whose row it need not show any more, a tombstone.
  @Test func aLineThatTheServerCallsATombstoneTakesNothing() async throws {
    let (stage, oats) = try await stageWithOats()
    let hand = try Hand(stage.mallory, on: stage.branch)
    let second = try hand.next("Milk")
    let draft = hand.sign(second)
    #expect(try await stage.send(draft) == "accepted")
    let third = try hand.next("Milk") {
      $0.version = second.header.version + 1
      $0.previous = draft.record.hash
    }
    #expect(try await stage.send(hand.sign(third)) == "accepted")
    var retelling = try Retelling(of: stage.branch, to: stage.alice, in: stage.world)
    #expect(retelling.told.map { $0.record == nil } == [true, false])
    retelling.told[0].kind = .tombstone
    tell(retelling, to: stage.alice)
    try await stage.alice.sync()
    #expect(try stage.alice.quarantine().map(\.reason) == [.versionStale])
    #expect(try isThere(oats, stage.alice, stage))
    // Whoever hears the truth has all of it.
    try await stage.carol.sync()
    #expect(try stage.carol.quarantine().isEmpty && isThere(oats, stage.carol, stage))
  }

  /// Lines of a deletion and of a return that nobody saw: the next edit would vouch for both.
  @Test func nobodySignsOnTopOfADeletionAndAReturnThatTheyHaveNotSeen() async throws {
    let (stage, oats) = try await stageWithOats()
    let milk = try Hand(stage.alice, on: stage.branch).present("Milk").0.cloudID
    var retelling = try Retelling(of: stage.branch, to: stage.alice, in: stage.world)
    for kind in [Line.Kind.tombstone, .header] {
      retelling.told.append(Told(kind: kind, node: milk, record: nil, hash: .random(SystemEntropy())))
    }
    tell(retelling, to: stage.alice)
    try await stage.alice.sync()
    try stage.alice.edit("Milk", to: "Oat milk")
    let sent = Mutex(0)
    let page = retelling.page
    stage.alice.transport.setTamper { request, response in
      if request.path == Route.batch.path { sent.withLock { $0 += 1 } }
      return Lie(branch: stage.branch).head(response, to: request) { head in
        head.line = page.headLine
        head.logHash = page.headHash
      }
    }
    try await stage.alice.sync()
    #expect(sent.withLock { $0 } == 0)
    #expect(try stage.alice.titles("Groceries").contains("Oat milk"))
    #expect(try stage.alice.unsent() == 1 && isThere(oats, stage.alice, stage))
    try stage.alice.database.read { transaction in
      let branch = try #require(try transaction.branch(stage.branch))
      #expect(throws: Refusal.rowMissing) { try transaction.stateToFollow(of: milk, in: branch) }
    }
  }

  /// A member lets a node begin anew that never went, so that what others put below it meanwhile is gone. An honest server knows
  /// better; with the help of another one it takes nothing that its author had not read.
  @Test func nobodyBeginsANodeAnewOverWhatTheyHaveNotSeen() async throws {
    let stage = try await Stage()
    let hand = try Hand(stage.mallory, on: stage.branch)
    let anew = hand.sign(try hand.next("Milk") { $0.revived = $0.version })
    let oats = try Hand(stage.alice, on: stage.branch).todo(named: "oats", below: "Milk")
    #expect(try await stage.send(Hand(stage.alice, on: stage.branch).sign(oats)) == "accepted")
    #expect(try await stage.send(anew) == "conflict version-stale")
    try stage.plant(anew)
    for device in [stage.alice, stage.carol] {
      try await device.sync()
      #expect(try device.quarantine().map(\.reason) == [.unseenChildren])
      #expect(try isThere(oats.header.cloudID, device, stage))
    }
  }

  /// A todo that was deleted and comes back says so under its author's name, and what hung below it stays gone for everybody.
  @Test func whatComesBackAfterItsOwnDeletionSaysSo() async throws {
    let (stage, oats) = try await stageWithOats()
    try await settle(stage.mallory, stage.alice)
    let milk = try stage.alice.todo("Milk")
    try stage.mallory.edit("Milk", to: "Soy milk")
    try stage.alice.database.write { try $0.delete(milk.node) }
    try await stage.alice.sync()
    // Mallory's edit was not sent when it went: it brings Milk back.
    try await settle(stage.mallory, stage.alice, stage.carol)
    let (header, _) = try Hand(stage.alice, on: stage.branch).present("Soy milk")
    #expect(header.version == 3 && header.revived == 3)
    for device in [stage.alice, stage.mallory, stage.carol] {
      #expect(try device.titles("Groceries") == ["Eggs", "Soy milk"])
      #expect(try !isThere(oats, device, stage) && device.quarantine().isEmpty)
    }
    try stage.carol.database.read { transaction in
      let branch = try #require(try transaction.branch(stage.branch))
      #expect(try !LocalTree(transaction: transaction, branch: branch, line: .max).lives(oats))
    }
  }
}
