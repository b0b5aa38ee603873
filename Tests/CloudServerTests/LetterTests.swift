import CloudAPI
import Foundation
import Signing
import SwiftProtobuf
import Testing

/// What the server takes from somebody who has these letters and no others (spec §3.6).
struct LetterTests {
  private let world: World
  private let alice: Person
  private let dora: Person
  private let missing = "refused letter-missing"

  init() throws {
    world = try World()
    (alice, dora) = (try world.member("alice"), try world.member("dora"))
  }

  private func list(_ letters: Letters) throws -> BranchHand {
    try BranchHand.list(world, alice, with: [dora.entry(letters)])
  }

  /// A todo of somebody's with one section, accepted or not.
  private func put(
    _ list: inout BranchHand, _ person: Person, below parent: CloudID? = nil, section: Section = .metadata,
    id: CloudID = .random(entropy)
  ) throws -> (header: HeaderBody, record: SignedRecord, word: String) {
    let (content, reference) = sealedContent(section, entropy.bytes(296), by: person)
    var header = list.header(id, parent: parent ?? list.branch, person)
    header.contents = [reference]
    let operation = list.put(header, contents: [content], person)
    return (header, try operation.record, word(try list.send(operation, person)))
  }

  private func change(
    _ list: inout BranchHand, _ todo: (header: HeaderBody, record: SignedRecord, word: String), _ person: Person
  ) throws -> String {
    var next = list.next(todo.header, after: todo.record, person)
    next.contents = []
    return word(try list.send(list.put(next, person), person))
  }

  private func burn(
    _ list: inout BranchHand, _ todo: (header: HeaderBody, record: SignedRecord, word: String), _ person: Person
  ) throws -> String {
    let body = TombstoneBody(
      branch: list.branch, cloudID: todo.header.cloudID, version: todo.header.version + 1, previous: todo.record.hash,
      permissions: list.permissions?.hash ?? .zeros, epoch: 1, author: person.author(read: list.head),
      operation: .random(entropy), burned: todo.record)
    let operation = WireOperation.with {
      $0.operation = data(body.operation.bytes)
      $0.delete.tombstone = SignedRecord(signing: body, with: person.device).wire
    }
    return word(try list.send(operation, person))
  }

  @Test func whoMayWriteOncePutsAndNeverAgain() throws {
    var list = try list([.read, .writeOnce])
    let todo = try put(&list, dora)
    #expect(todo.word == "accepted")
    #expect(try change(&list, todo, dora) == missing)
    #expect(try burn(&list, todo, dora) == missing)
    let delete = list.delete(todo.header.cloudID, version: 2, previous: todo.record.hash, dora)
    #expect(word(try list.send(delete, dora)) == missing)
    let hers = try put(&list, alice)
    #expect(try change(&list, hers, dora) == missing)
    #expect(try change(&list, todo, alice) == "accepted", "whoever has w may change it")
  }

  @Test func whoMayWriteOnceMakesNoRoot() throws {
    var list = BranchHand(world)
    let first = list.permit([alice.entry([.read, .write, .share]), dora.entry([.read, .writeOnce])], alice)
    #expect(word(try list.send(first, alice)) == "accepted")
    #expect(word(try list.send(list.put(list.header(list.branch, parent: nil, dora), dora), dora)) == missing)
  }

  @Test func whoMayBurnTakesWhatIsTheirs() throws {
    var list = try list([.read, .writeOnce, .burn])
    let (mine, hers) = (try put(&list, dora), try put(&list, alice))
    #expect(try burn(&list, hers, dora) == missing)
    let bare = list.delete(mine.header.cloudID, version: 2, previous: mine.record.hash, dora)
    #expect(word(try list.send(bare, dora)) == missing, "the header is not shown")
    let below = try put(&list, alice, below: mine.header.cloudID)
    #expect(below.word == "accepted")
    #expect(try burn(&list, mine, dora) == missing, "something of alice's lives below it")
    let delete = list.delete(below.header.cloudID, version: 2, previous: below.record.hash, alice)
    #expect(word(try list.send(delete, alice)) == "accepted")
    #expect(try burn(&list, mine, dora) == "accepted")
  }

  @Test func whoMayBurnLosesWhatAnotherChanged() throws {
    var list = try list([.read, .writeOnce, .burn])
    let mine = try put(&list, dora)
    #expect(try change(&list, mine, alice) == "accepted")
    #expect(try burn(&list, mine, dora) == "conflict version-stale")
  }

  @Test func oneNodeIsNamedAfterItsUser() throws {
    var list = try list([.read, .userOnly])
    #expect(try put(&list, dora).word == missing)
    #expect(try put(&list, dora, id: CloudID(ownNodeOf: alice.user, in: list.branch)).word == missing)
    let mine = try put(&list, dora, id: CloudID(ownNodeOf: dora.user, in: list.branch))
    #expect(mine.word == "accepted")
    #expect(try change(&list, mine, dora) == "accepted")
    let above = try put(&list, alice)
    var moved = list.next(mine.header, after: mine.record, dora)
    moved.parent = above.header.cloudID
    #expect(word(try list.send(list.put(moved, dora), dora)) == missing)
  }

  @Test func recordsHaveNoData() throws {
    var list = try list([.read, .write, .recordsOnly])
    #expect(try put(&list, dora).word == "accepted")
    for section in [Section.data, .thumbnail, .history] {
      #expect(try put(&list, dora, section: section).word == missing)
    }
  }

  @Test func leavesHangBelowTheRoot() throws {
    var list = try list([.read, .write, .leavesOnly])
    let leaf = try put(&list, dora)
    #expect(leaf.word == "accepted")
    #expect(try put(&list, dora, below: leaf.header.cloudID).word == missing)
    #expect(try put(&list, alice, below: leaf.header.cloudID).word == "accepted")
  }

  @Test func aSenderBurnsTheirMessageAndNobodyElseDoes() throws {
    let bob = try world.member("bob")
    var inbox = BranchHand(world, Trunk.inbox.cloudID(of: bob.user))
    inbox.permissions = bob.trunkRecords[3]
    var message = inbox.header(parent: inbox.branch, alice)
    message.wrappedKey = entropy.bytes(80)
    message.recipient = bob.user
    message.recipientGeneration = 1
    let put = inbox.put(message, alice)
    #expect(word(try world.batch([put], as: alice)[0]) == "accepted")
    let sent = (header: message, record: try put.record, word: "")
    #expect(try burn(&inbox, sent, dora) == missing)
    #expect(try burn(&inbox, sent, alice) == "accepted")
  }
}
