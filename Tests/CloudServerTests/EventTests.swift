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
    for _ in 0..<5 { try write(&list) }
    #expect(listener.take() == [BranchEvent(branch: list.branch, line: 7)])
  }

  @Test func whatWasRefusedOrRepeatedIsNoNews() throws {
    var list = try BranchHand.list(world, alice, with: [bob.entry([.read])])
    let listener = try listen(alice)
    let byBob = list.put(list.header(parent: list.branch, bob), bob)
    #expect(word(try list.send(byBob, bob)) == "refused letter-missing")
    #expect(listener.take() == [])
  }

  @Test func aNewMemberHearsAndARemovedOneHearsNothingMoreNotEvenWhatWaits() throws {
    var list = try BranchHand.list(world, alice)
    let listener = try listen(bob)
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
