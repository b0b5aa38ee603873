import CloudAPI
import Foundation
import Signing
import SwiftProtobuf
import Synchronization
import Testing

@testable import CloudServer

/// Whoever sends much waits for themselves: others wait for at most one request of each account, whatever it has sent.
struct TurnsTests {
  /// A line whose jobs are done when the test says so, one after the other.
  private final class Line: Sendable {
    private let jobs = Mutex<[Turns.Job]>([])
    private let done = Mutex<[String]>([])

    var names: [String] { done.withLock { $0 } }

    func put(_ job: @escaping Turns.Job) { jobs.withLock { $0.append(job) } }

    func note(_ name: String) { done.withLock { $0.append(name) } }

    /// Does the first; false where there is none.
    @discardableResult
    func step() -> Bool {
      guard let job = jobs.withLock({ $0.isEmpty ? nil : $0.removeFirst() }) else { return false }
      job()
      return true
    }

    func run() { while step() {} }
  }

  private let line = Line()
  private let turns: Turns

  init() { turns = Turns(limit: 8) { [line] in line.put($0) } }

  private func take(_ name: String, of party: Party) -> Bool {
    turns.take({ [line] in line.note(name) }, of: party)
  }

  private func account() -> Party { .account(UserID(exactly: entropy.bytes(20))) }

  @Test func turnsGoRoundParties() {
    let (mallory, oscar, alice) = (account(), account(), Party.origin("192.0.2.1"))
    for number in 1...4 {
      #expect(take("m\(number)", of: mallory))
      #expect(take("o\(number)", of: oscar))
    }
    #expect(take("a1", of: alice))
    #expect(take("a2", of: alice))
    line.run()
    #expect(line.names == ["m1", "o1", "a1", "m2", "o2", "a2", "m3", "o3", "m4", "o4"])
  }

  @Test func oneJobOfAPartyIsInTheLine() {
    let mallory = account()
    for number in 1...5 { _ = take("m\(number)", of: mallory) }
    var steps = 0
    while line.step() {
      steps += 1
      #expect(line.names.count == steps)
      if steps == 2 { _ = take("late", of: mallory) }
    }
    #expect(line.names == ["m1", "m2", "m3", "m4", "m5", "late"])
  }

  @Test func tooManyOfAPartyAreRefusedAndNobodyElse() {
    let (mallory, alice) = (account(), account())
    let taken = (0..<12).map { take("m\($0)", of: mallory) }
    #expect(taken == Array(repeating: true, count: 9) + [false, false, false], "one in the line, and eight that wait")
    #expect(take("a", of: alice))
    line.run()
    #expect(line.names.count == 10)
    #expect(take("m", of: mallory), "there is room again")
  }

  // MARK: With a server

  /// What a server does with a request that comes: it finds out for whom it works, and puts the work in line.
  private func arrive(_ request: CloudRequest, _ name: String, at cloud: Cloud) {
    line.put { [line, turns] in
      let isTaken = turns.take(
        {
          let response = cloud.handle(request)
          line.note("\(name) \(response.status)")
        }, of: cloud.party(of: request))
      if !isTaken { line.note("\(name) 429") }
    }
  }

  /// Someone else's request that comes while a batch is carried out is answered before the same account's second batch.
  @Test func anotherAccountIsAnsweredBeforeTheSecondBatch() throws {
    let world = try World()
    let (mallory, alice) = (try world.member("mallory"), try world.member("alice"))
    let (crowd, list) = (try BranchHand.list(world, mallory), try BranchHand.list(world, alice))
    let batches = (0..<3).map { _ in
      let puts = (0..<40).map { _ in crowd.put(crowd.header(parent: crowd.branch, mallory), mallory) }
      return world.request(
        .batch, encode(WireBatch.with { $0.operations = puts }), as: mallory.signer, mallory.device)
    }
    for (number, batch) in batches.enumerated() { arrive(batch, "mallory \(number)", at: world.cloud) }
    let put = WireBatch.with { $0.operations = [list.put(list.header(parent: list.branch, alice), alice)] }
    arrive(world.request(.batch, encode(put), as: alice.signer, alice.device), "alice", at: world.cloud)
    line.run()
    #expect(line.names == ["mallory 0 200", "alice 200", "mallory 1 200", "mallory 2 200"])
  }

  /// Who claims to be somebody else takes none of their turns.
  @Test func aForgedNameTakesNobodysTurn() throws {
    let world = try World()
    let alice = try world.member("alice")
    let honest = world.request(.openLogins, [], as: alice.signer, alice.device)
    var forged = world.request(.openLogins, [], as: alice.signer, SigningKey(entropy))
    forged.origin = "192.0.2.7"
    #expect(world.cloud.party(of: honest) == .account(alice.user))
    #expect(world.cloud.party(of: forged) == .origin("192.0.2.7"))
    for number in 0..<20 { arrive(forged, "forged \(number)", at: world.cloud) }
    arrive(honest, "alice", at: world.cloud)
    line.run()
    #expect(line.names.contains("alice 200"))
    let place = try #require(line.names.filter { !$0.hasSuffix("429") }.firstIndex(of: "alice 200"))
    #expect(place == 1, "behind one of them")
  }
}
