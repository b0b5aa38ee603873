import CloudAPI
import Foundation
import Signing
import SwiftProtobuf
import Testing

@testable import CloudServer

/// Whoever wants to be added to an account is a stranger (spec §2.6): how many of them wait, and how much they say.
struct LoginDeskTests {
  private let desk = LoginDesk()

  @discardableResult
  private func start(_ user: UserID, from origin: String, now: Int64 = 0) throws -> Login {
    try desk.start(.random(entropy), for: user, .random(entropy), from: origin, now: now)
  }

  private func end(_ login: Login, _ verdict: Login.Verdict) throws {
    _ = try desk.change(login.id, now: 0) { $0.verdict = verdict }
  }

  @Test func oneAccountIsAskedByThreeAtATime() throws {
    let user = UserID.random(entropy)
    let first = try start(user, from: "192.0.2.0")
    for number in 1..<ServerLimits.loginsOfUser { try start(user, from: "192.0.2.\(number)") }
    #expect(throws: Refusal.tooMany) { try start(user, from: "192.0.2.99") }
    try start(.random(entropy), from: "192.0.2.99")
    try end(first, .added([]))
    try start(user, from: "192.0.2.99")
    #expect(throws: Refusal.tooMany) { try start(user, from: "192.0.2.98", now: Limits.loginLife - 1) }
    try start(user, from: "192.0.2.98", now: Limits.loginLife)
  }

  @Test func oneAddressAsksForFiveAtATime() throws {
    for _ in 0..<ServerLimits.loginsOfOrigin { try start(.random(entropy), from: "192.0.2.1") }
    #expect(throws: Refusal.tooMany) { try start(.random(entropy), from: "192.0.2.1") }
    try start(.random(entropy), from: "192.0.2.2")
  }

  /// Whom an account has denied takes no more of its owner's time.
  @Test func whoWasDeniedCounts() throws {
    let user = UserID.random(entropy)
    for _ in 0..<ServerLimits.loginsOfOrigin { try end(start(user, from: "192.0.2.1"), .denied) }
    #expect(throws: Refusal.tooMany) { try start(user, from: "192.0.2.1") }
    try start(.random(entropy), from: "192.0.2.1")
    try start(user, from: "192.0.2.2")
  }

  @Test func soManyWaitInAll() throws {
    for number in 0..<ServerLimits.logins { try start(.random(entropy), from: "a\(number)") }
    #expect(throws: Refusal.tooMany) { try start(.random(entropy), from: "late") }
  }

  /// Those that are over are kept until their time is up, as long as there is room.
  @Test func ofThoseThatAreOverTheOldestGo() throws {
    var over: [Login] = []
    for number in 0..<2 * ServerLimits.logins {
      over.append(try start(.random(entropy), from: "a\(number)", now: Int64(number)))
      try end(over[number], .added([]))
    }
    _ = try desk.change(over[0].id, now: 0) { _ in }
    try start(.random(entropy), from: "late", now: 2000)
    #expect(throws: Refusal.notFound) { try desk.change(over[0].id, now: 0) { _ in } }
    _ = try desk.change(over[1].id, now: 0) { _ in }
  }

  @Test func neitherSideSaysMuch() throws {
    let world = try World()
    let alice = try world.member("alice")
    let login = LoginID.random(entropy)
    let start = WireLoginStart.with {
      $0.handle = "alice"
      $0.login = data(login.bytes)
      $0.commitment = data(entropy.bytes(32))
    }
    #expect(world.send(.logins, start).status == 200)
    let poll = WireLoginPoll.with {
      $0.login = data(login.bytes)
      $0.opening = Data(count: Limits.openingBytes + 1)
    }
    #expect(reason(world.send(.loginPoll, poll)) == "limit-exceeded")
    let answer = WireLoginAnswer.with {
      $0.login = data(login.bytes)
      $0.userKeys = Data(count: Limits.sealedUserKeysBytes + 1)
    }
    #expect(reason(world.send(.loginAnswer, answer, as: alice)) == "limit-exceeded")
  }
}
