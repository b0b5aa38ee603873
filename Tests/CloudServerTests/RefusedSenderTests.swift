import CloudAPI
import CloudServer
import Foundation
import Signing
import SwiftProtobuf
import Testing

/// Somebody whom the owner of an inbox has the server refuse (spec §3.6).
struct RefusedSenderTests {
  private let world: World
  private let alice: Person
  private let bob: Person
  private let carol: Person
  private var inbox: BranchHand

  init() throws {
    world = try World()
    (alice, bob, carol) = (try world.member("alice"), try world.member("bob"), try world.member("carol"))
    inbox = BranchHand(world, Trunk.inbox.cloudID(of: bob.user))
    inbox.permissions = bob.trunkRecords[3]
    inbox.version = 1
    let line = Line(number: 1, kind: .permissions, cloudID: inbox.branch, hash: bob.trunkRecords[3].hash)
    inbox.head = inbox.head.appending(line)
  }

  private var anyone: PermissionsEntry {
    PermissionsEntry(user: nil, letters: [.writeOnce, .burn], keyringPosition: 0, generation: 0, sealedKey: [])
  }

  private func message(by sender: Person) -> WireOperation {
    var message = inbox.header(parent: inbox.branch, sender)
    message.author.read = LogHead(startOf: inbox.branch)
    message.wrappedKey = entropy.bytes(80)
    message.recipient = bob.user
    message.recipientGeneration = 1
    return inbox.put(message, sender)
  }

  private mutating func refuse(_ refused: [Person]) throws -> String {
    let entries = [anyone, bob.entry([.read, .write, .share])] + refused.map { $0.entry([]) }
    return word(try inbox.send(inbox.permit(entries, bob), bob))
  }

  private mutating func send(by sender: Person) throws -> String {
    word(try inbox.send(message(by: sender), sender))
  }

  @Test mutating func theServerRefusesThemUntilTheyAreLetIn() throws {
    #expect(try send(by: alice) == "accepted")
    #expect(try refuse([alice]) == "accepted")
    #expect(try send(by: alice) == "refused letter-missing")
    #expect(try world.storage.read { try $0.letters(of: alice.user, on: inbox.branch) }.isEmpty)
    #expect(try send(by: carol) == "accepted")
    // Why, they read from the record: it is no secret from them.
    let request = WirePermissionsRequest.with { $0.branch = data(inbox.branch.bytes) }
    let history = try WirePermissionsHistory(serializedBytes: world.send(.permissions, request, as: alice).body)
    #expect(history.records.count == 2)
    #expect(try refuse([]) == "accepted")
    #expect(try send(by: alice) == "accepted")
  }

  /// Neither their own earlier messages are theirs to touch, nor does a copy pass what a put does not.
  @Test mutating func nothingOfTheirsPasses() throws {
    let before = message(by: alice)
    #expect(word(try inbox.send(before, alice)) == "accepted")
    #expect(try refuse([alice]) == "accepted")
    var list = try BranchHand.list(world, alice)
    let header = list.header(parent: list.branch, alice)
    #expect(word(try list.send(list.put(header, alice), alice)) == "accepted")
    let body = try HeaderBody(decoding: message(by: alice).record.body)
    let copy = WireOperation.with {
      $0.operation = data(body.operation.bytes)
      $0.copy.header = SignedRecord(signing: body, with: alice.device).wire
      $0.copy.sourceBranch = data(list.branch.bytes)
      $0.copy.sourceNode = data(header.cloudID.bytes)
    }
    let sent = try before.record
    let burn = TombstoneBody(
      branch: inbox.branch, cloudID: try HeaderBody(decoding: sent.body).cloudID, version: 2, previous: sent.hash,
      permissions: inbox.permissions?.hash ?? .zeros, epoch: 1,
      author: alice.author(read: LogHead(startOf: inbox.branch)), operation: .random(entropy), burned: sent)
    let delete = WireOperation.with {
      $0.operation = data(burn.operation.bytes)
      $0.delete.tombstone = SignedRecord(signing: burn, with: alice.device).wire
    }
    let words = try world.batch([copy, delete], as: alice).map { word($0) }
    #expect(words == ["refused letter-missing", "refused letter-missing"])
  }

  @Test mutating func onlyWhatAnyoneMayIsRefused() throws {
    var list = try BranchHand.list(world, bob)
    let entries = [bob.entry([.read, .write, .share]), alice.entry([])]
    #expect(word(try list.send(list.permit(entries, bob), bob)) == "refused malformed")
    // Nor is the owner refused, or anyone at all.
    var none = anyone
    none.letters = []
    let noOne = inbox.permit([none, bob.entry([.read, .write, .share])], bob)
    #expect(word(try inbox.send(noOne, bob)) == "refused malformed")
    #expect(word(try inbox.send(inbox.permit([anyone, bob.entry([])], bob), bob)) == "refused malformed")
  }

  @Test mutating func anAccountEndsThoughItRefusesSomebody() throws {
    #expect(try refuse([alice, carol]) == "accepted")
    var leaving = bob
    leaving.add(.deleteAccount, by: (bob.deviceID, bob.device))
    let append = WireKeyringAppend.with {
      $0.user = data(bob.user.bytes)
      $0.entries = [leaving.entries.last!.wire]
    }
    #expect(world.send(.keyringAppend, append, as: bob).status == 200)
  }
}
