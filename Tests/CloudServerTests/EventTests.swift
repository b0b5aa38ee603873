import CloudAPI
import Foundation
import Signing
import SwiftProtobuf
import Testing

@testable import CloudServer

/// Who hears what (spec §6.5), without a network.
struct EventTests {
  private let world: World
  private let alice: Person
  private let bob: Person

  init() throws {
    world = try World()
    alice = try world.member("alice")
    bob = try world.member("bob")
  }

  @Test func aReaderHearsOfEachNewLineAndNobodyElseDoes() throws {
    let eve = try world.member("eve")
    var list = try BranchHand.list(world, alice, with: [bob.entry([.read])])
    let (ofBob, ofEve) = (try listen(bob), try listen(eve))
    for person in [bob, eve] { ask(person, list.branch) }
    try write(&list)
    #expect(ofBob.take() == [BranchEvent(branch: list.branch, line: 3)])
    #expect(ofBob.take() == [])
    #expect(ofEve.take() == [])
    #expect(heads(ofBob).contains(BranchEvent(branch: list.branch, line: 3)))
    #expect(heads(ofEve).map(\.branch) == ownTrunks(eve))
  }

  @Test func aSlowListenerHearsTheLatestOnly() throws {
    var list = try BranchHand.list(world, alice)
    let listener = try listen(alice)
    ask(alice, list.branch)
    for _ in 0..<5 { try write(&list) }
    #expect(listener.take() == [BranchEvent(branch: list.branch, line: 7)])
  }

  @Test func whatWasRefusedOrRepeatedIsNoNews() throws {
    var list = try BranchHand.list(world, alice, with: [bob.entry([.read])])
    let listener = try listen(alice)
    ask(alice, list.branch)
    let byBob = list.put(list.header(parent: list.branch, bob), bob)
    #expect(word(try list.send(byBob, bob)) == "refused letter-missing")
    #expect(listener.take() == [])
  }

  @Test func aNewMemberHearsAndARemovedOneHearsNothingMoreNotEvenWhatWaits() throws {
    var list = try BranchHand.list(world, alice)
    let listener = try listen(bob)
    ask(bob, list.branch)
    let owner = alice.entry([.read, .write, .share])
    #expect(word(try list.send(list.permit([owner, bob.entry([.read])], alice), alice)) == "accepted")
    #expect(listener.take() == [BranchEvent(branch: list.branch, line: 3)])
    try write(&list)
    #expect(word(try list.send(list.permit([owner], epoch: 2, alice), alice)) == "accepted")
    try write(&list, epoch: 2)
    #expect(listener.take() == [])
    #expect(!heads(listener).map(\.branch).contains(list.branch))
  }

  @Test func aRevokedDeviceHearsNothingMore() throws {
    var person = bob
    let listener = try listen(bob)
    let other = SigningKey(entropy)
    let box = PublicKey(exactly: entropy.bytes(32))
    person.add(.addDevice(Person.newDevice(other.publicKey, box)))
    let id = DeviceID(signKey: other.publicKey, boxKey: box)
    person.add(.revokeDevice(bob.deviceID, since: 2))
    person.add(.rotateUserKey(Person.userKey(2, for: [nil, id])))
    let append = WireKeyringAppend.with {
      $0.user = data(bob.user.bytes)
      $0.entries = person.entries.dropFirst(4).map(\.wire)
    }
    let request = world.request(
      .keyringAppend, encode(append), as: Caller(user: bob.user, device: nil), bob.root.signing)
    let response = world.cloud.handle(request)
    #expect(response.status == 200, "\(reason(response))")
    #expect(listener.isOver)
  }

  @Test func placesAreLimitedAndGivenBack() throws {
    let listeners = try (0..<ServerLimits.streamsOfUser).map { _ in try listen(alice) }
    guard case .refused(let response) = world.cloud.listen(request(alice)) else {
      Issue.record("one more was admitted")
      return
    }
    #expect(response.status == 429)
    #expect(reason(response) == "too-many")
    _ = try listen(bob)
    world.cloud.endListening(listeners[0])
    _ = try listen(alice)
  }

  @Test func strangersAndTheRootMayNotListen() throws {
    let nobody = Person("nobody")
    guard case .refused(let response) = world.cloud.listen(request(nobody)) else {
      Issue.record("a stranger was admitted")
      return
    }
    #expect(reason(response) == "device-unknown")
  }

  @Test func aListenerThatTakesNothingIsLetGoAtTheLimit() throws {
    let listener = try listen(alice)
    for _ in 0...ServerLimits.waitingEvents { listener.tell(BranchEvent(branch: .random(entropy), line: 1)) }
    #expect(listener.isOver)
    #expect(listener.take() == [])
  }

  /// Eve makes lists and names bob in them: no device of his has asked about any.
  @Test func whoIsNamedByAStrangerHearsNothing() throws {
    let eve = try world.member("eve")
    let listener = try listen(bob)
    for _ in 0..<20 {
      var list = try BranchHand.list(world, eve, with: [bob.entry([.read])])
      let put = list.put(list.header(parent: list.branch, eve), eve)
      #expect(word(try list.send(put, eve)) == "accepted")
    }
    #expect(listener.take() == [])
    #expect(heads(listener).map(\.branch) == ownTrunks(bob))
  }

  /// Bob accepts an invitation: his first pull of the list is the first that the server hears of it from him.
  @Test func aListIsToldOfFromItsFirstPullOn() throws {
    var list = try BranchHand.list(world, alice, with: [bob.entry([.read])])
    let listener = try listen(bob)
    try write(&list)
    #expect(listener.take() == [])
    let pull = WirePullRequest.with {
      $0.branch = data(list.branch.bytes)
      $0.afterHash = data(LogHead(startOf: list.branch).hash.bytes)
    }
    #expect(world.send(.pull, pull, as: bob).status == 200)
    try write(&list)
    #expect(listener.take() == [BranchEvent(branch: list.branch, line: 4)])
  }

  /// It is remembered while somebody listens, for whichever device of theirs, and not longer.
  @Test func whatWasAskedGoesWithTheLastListener() throws {
    var list = try BranchHand.list(world, alice, with: [bob.entry([.read])])
    ask(bob, list.branch)
    let first = try listen(bob)
    #expect(heads(first).map(\.branch) == ownTrunks(bob))
    ask(bob, list.branch)
    let second = try listen(bob)
    world.cloud.endListening(first)
    #expect(heads(second).contains(BranchEvent(branch: list.branch, line: 2)))
    try write(&list)
    #expect(second.take() == [BranchEvent(branch: list.branch, line: 3)])
    world.cloud.endListening(second)
    #expect(heads(try listen(bob)).map(\.branch) == ownTrunks(bob))
  }

  @Test func ofTooManyBranchesThoseGoThatWereAskedAboutFirst() {
    var listeners = Listeners(of: bob.user)
    let branches = (0..<ServerLimits.askedBranches + 2).map { _ in CloudID.random(entropy) }
    for branch in branches + branches.suffix(5) { listeners.ask(branch) }
    #expect(branches.map { listeners.hear(of: $0) } == [false, false] + branches.dropFirst(2).map { _ in true })
    #expect(listeners.branches.count == ServerLimits.askedBranches + Trunk.allCases.count)
    #expect(ownTrunks(bob).allSatisfy { listeners.hear(of: $0) })
  }

  private func ask(_ person: Person, _ branch: CloudID) {
    let request = WireHeadsRequest.with { $0.branches = [data(branch.bytes)] }
    #expect(world.send(.heads, request, as: person).status == 200)
  }

  private func request(_ person: Person) -> CloudRequest {
    world.request(.events, [], as: person.signer, person.device)
  }

  private func listen(_ person: Person) throws -> BranchSubscription {
    switch world.cloud.listen(request(person)) {
    case .admitted(_, let subscription): return subscription
    case .refused(let response): throw try #require(Refusal(rawValue: reason(response)))
    }
  }

  private func heads(_ subscription: BranchSubscription) -> [BranchEvent] {
    world.cloud.heads(for: subscription, after: nil)
  }

  private func ownTrunks(_ person: Person) -> [CloudID] { Trunk.allCases.map { $0.cloudID(of: person.user) }.sorted() }

  private func write(_ list: inout BranchHand, epoch: UInt64 = 1) throws {
    let put = list.put(list.header(parent: list.branch, epoch: epoch, alice), alice)
    #expect(word(try list.send(put, alice)) == "accepted")
  }
}
