import CloudAPI
import CloudServer
import Foundation
import Signing
import SwiftProtobuf
import Testing

/// How long files are kept, and what keeps them (spec §10.5).
@Suite struct FileCollectTests {
  private static let day: Int64 = 24 * 3600 * 1000
  private static let hour: Int64 = 3600 * 1000

  private let world: World
  private let alice: Person
  private let bob: Person
  private let file: TestFile

  init() throws {
    world = try World()
    (alice, bob) = (try world.member("alice"), try world.member("bob"))
    file = try TestFile(data: 300_000)
  }

  private func list(_ letters: Letters = [.read, .write]) throws -> BranchHand {
    try BranchHand.list(world, alice, with: [bob.entry(letters)])
  }

  /// Lets time go by while somebody asks for something now and then.
  private func wait(_ time: Int64) throws {
    for _ in 0..<time / (6 * Self.hour) {
      world.clock.move(by: 6 * Self.hour)
      try world.anything(as: alice)
    }
  }

  private var blobCount: Int { get throws { try world.blobs.list().count } }

  @Test func anUploadGoesAWeekAfterItsLastPart() throws {
    let large = try TestFile(data: 11 << 20)
    world.put(0, of: large, as: alice)
    try world.upload(file, as: bob)
    try wait(6 * Self.day)
    world.put(1, of: large, as: alice)
    try wait(2 * Self.day)
    #expect(try world.parts(of: large, as: alice) == [0, 1])
    #expect(try world.parts(of: file, as: bob) == nil)
    try wait(6 * Self.day)
    #expect(try world.parts(of: large, as: alice) == nil)
    #expect(try blobCount == 0)
    // It can begin anew, also as something else.
    let other = try TestFile(data: 1, content: large.content)
    try world.upload(other, as: alice)
    #expect(try world.parts(of: other, as: alice) == [0])
  }

  @Test func whoGivesAnUploadUpHasItsRoomAtOnce() throws {
    let large = try TestFile(data: 11 << 20)
    world.put(1, of: large, as: alice)
    try world.upload(file, as: alice)
    try world.upload(file, as: bob)
    var list = try list()
    let node = try list.attach(file, alice)
    for person in [alice, bob] { #expect(world.send(.abandonedUpload(large.content), as: person).status == 204) }
    #expect(try world.parts(of: large, as: alice) == nil)
    #expect(try blobCount == 2)
    // What somebody sees stays, and another's is another's.
    #expect(world.send(.abandonedUpload(file.content), as: alice).status == 204)
    #expect(world.read(file, in: list.branch, as: bob).body == file.bytes)
    #expect(world.send(.abandonedUpload(file.content), as: bob).status == 204)
    #expect(try world.parts(of: file, as: bob) == nil)
    #expect(world.read(file, in: list.branch, as: bob).body == file.bytes)
    #expect(try blobCount == 1)
    try list.remove(node, alice)
    #expect(world.send(.abandonedUpload(file.content), as: alice).status == 204)
    #expect(try blobCount == 0)
    // It can begin anew.
    try world.upload(large, as: alice)
    #expect(try world.parts(of: large, as: alice) == [0, 1, 2])
  }

  @Test func aFileStaysWhileItIsListedAndAWeekLonger() throws {
    try world.upload(file, as: alice)
    var list = try list()
    let node = try list.attach(file, alice)
    try wait(30 * Self.day)
    #expect(world.read(file, in: list.branch, as: bob).body == file.bytes)
    try list.remove(node, bob)
    #expect(world.read(file, in: list.branch, as: bob).status == 404)
    try wait(7 * Self.day - 6 * Self.hour)
    #expect(try blobCount == 1)
    try wait(Self.day)
    #expect(try blobCount == 0)
    #expect(try world.parts(of: file, as: alice) == nil)
  }

  @Test func itsUploaderMayListItAgainMeanwhile() throws {
    try world.upload(file, as: alice)
    var list = try list()
    let node = try list.attach(file, alice)
    try list.remove(node, alice)
    try wait(6 * Self.day)
    #expect(try list.tryToAttach(file.reference(by: bob), bob) == "refused content-missing")
    let again = try list.attach(file, alice)
    try wait(30 * Self.day)
    #expect(world.read(file, in: list.branch, as: bob).body == file.bytes)
    // The time counts from the last one.
    try list.remove(again, alice)
    try wait(6 * Self.day)
    #expect(try blobCount == 1)
    try wait(2 * Self.day)
    #expect(try blobCount == 0)
  }

  @Test func aNewPictureReplacesTheOldOne() throws {
    try world.upload(file, as: alice)
    var list = try list()
    let node = try list.attach(file, alice)
    let newer = try TestFile(data: 400_000)
    try world.upload(newer, as: bob)
    var next = list.next(node.header, after: node.record, bob)
    next.contents = [newer.reference(by: bob)]
    let put = list.put(next, bob)
    #expect(word(try list.send(put, bob)) == "accepted")
    #expect(world.read(file, in: list.branch, as: bob).status == 404)
    #expect(world.read(newer, in: list.branch, as: alice).body == newer.bytes)
    // Carried over by somebody else's edit, under their device or the one that listed it first.
    var edit = list.next(next, after: try put.record, alice)
    #expect(edit.contents[0].device == bob.deviceID)
    let carried = list.put(edit, alice)
    #expect(word(try list.send(carried, alice)) == "accepted")
    edit = list.next(edit, after: try carried.record, alice)
    edit.contents[0].device = alice.deviceID
    #expect(word(try list.send(list.put(edit, alice), alice)) == "accepted")
    try wait(8 * Self.day)
    #expect(try blobCount == 1)
    #expect(world.read(newer, in: list.branch, as: alice).body == newer.bytes)
  }

  @Test func whatIsBorrowedIsStoredOnceAndOutlivesItsSource() throws {
    try world.upload(file, as: alice)
    var (list, other) = (try list(), try BranchHand.list(world, bob))
    let node = try list.attach(file, alice)
    let lent = WireBorrowed.with {
      $0.content = data(file.content.bytes)
      $0.branch = data(list.branch.bytes)
      $0.cloudID = data(node.header.cloudID.bytes)
    }
    #expect(try other.tryToAttach(file.reference(by: bob), bob) == "refused content-missing")
    #expect(try other.tryToAttach(file.reference(by: bob), borrowed: [lent], bob) == "accepted")
    #expect(try blobCount == 1)
    try list.remove(node, alice)
    try wait(30 * Self.day)
    #expect(world.read(file, in: list.branch, as: alice).status == 404)
    #expect(world.read(file, in: other.branch, as: bob).body == file.bytes)
    // A source that is gone lends nothing.
    #expect(try other.tryToAttach(file.reference(by: bob), borrowed: [lent], bob) == "refused content-missing")
    // The upload stays its uploader's, who may list it again; who borrowed it pays for it.
    #expect(try world.parts(of: file, as: alice) == [0])
    #expect(try world.parts(of: file, as: bob) == nil)
  }

  @Test func aCopyInAnInboxIsTheSameFile() throws {
    try world.upload(file, as: alice)
    var list = try list()
    let node = try list.attach(file, alice)
    var inbox = BranchHand(world, Trunk.inbox.cloudID(of: bob.user))
    inbox.permissions = bob.trunkRecords[3]
    var message = inbox.header(parent: inbox.branch, alice)
    message.recipient = bob.user
    message.recipientGeneration = 1
    message.wrappedKey = entropy.bytes(80)
    message.contents = [file.reference(by: alice)]
    let copy = WireOperation.with {
      $0.operation = data(message.operation.bytes)
      $0.copy.header = SignedRecord(signing: message, with: alice.device).wire
      $0.copy.sourceBranch = data(list.branch.bytes)
      $0.copy.sourceNode = data(node.header.cloudID.bytes)
    }
    #expect(word(try world.batch([copy], as: alice).first) == "accepted")
    try list.remove(node, alice)
    try wait(30 * Self.day)
    #expect(world.read(file, in: inbox.branch, as: bob).body == file.bytes)
    #expect(world.read(file, in: inbox.branch, as: alice).status == 403)
    #expect(try blobCount == 1)
  }

  /// What goes with a node above it, with its list, with its list's grace period or with an account.
  @Test func aFileGoesWithTheNodeAboveItsOwnAndWithAListThatEnds() throws {
    try world.upload(file, as: alice)
    var list = try list()
    let parent = list.header(parent: list.branch, alice)
    let put = list.put(parent, alice)
    #expect(word(try list.send(put, alice)) == "accepted")
    var child = list.header(parent: parent.cloudID, alice)
    child.contents = [file.reference(by: alice)]
    #expect(word(try list.send(list.put(child, alice), alice)) == "accepted")
    try list.remove((parent, try put.record), alice)
    try wait(8 * Self.day)
    #expect(try blobCount == 0)

    let closed = try TestFile(data: 1)
    try world.upload(closed, as: alice)
    var ended = try self.list()
    _ = try ended.attach(closed, alice)
    let entries = try PermissionsBody(decoding: try #require(ended.permissions).body).entries
    #expect(word(try ended.send(ended.permit(entries, alice) { $0.isClosed = true }, alice)) == "accepted")
    try wait(29 * Self.day)
    #expect(world.read(closed, in: ended.branch, as: bob).body == closed.bytes)
    try wait(9 * Self.day)
    #expect(try blobCount == 0)
  }
}
