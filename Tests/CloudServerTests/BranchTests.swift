import CloudAPI
import Foundation
import Signing
import SwiftProtobuf
import Testing

struct BranchTests {
  @Test func aPutIsAcceptedOnceAndAStaleOneConflicts() throws {
    let world = try World()
    let alice = try world.member("alice")
    var list = try BranchHand.list(world, alice)
    let header = list.header(parent: list.branch, alice)
    let put = list.put(header, alice)
    let first = try list.send(put, alice)
    #expect(word(first) == "accepted")
    #expect(try list.send(put, alice) == first, "a repeat is answered with the same line")
    let stale = list.put(list.header(header.cloudID, parent: list.branch, alice), alice)
    #expect(word(try list.send(stale, alice)) == "conflict version-stale")
    let next = list.put(list.next(header, after: try put.record, alice), alice)
    #expect(word(try list.send(next, alice)) == "accepted")
  }

  @Test func aNewBranchNeedsItsPermissionsFirst() throws {
    let world = try World()
    let alice = try world.member("alice")
    var list = BranchHand(world)
    let root = list.put(list.header(list.branch, parent: nil, alice), alice)
    #expect(word(try list.send(root, alice)) == "refused permissions-unknown")
  }

  @Test func namesAreTakenAndParentsAreThere() throws {
    let world = try World()
    let alice = try world.member("alice")
    var list = try BranchHand.list(world, alice)
    let first = list.header(parent: list.branch, alice)
    #expect(word(try list.send(list.put(first, alice), alice)) == "accepted")
    let second = list.header(parent: list.branch, token: first.nameToken ?? .zeros, alice)
    #expect(word(try list.send(list.put(second, alice), alice)) == "conflict name-taken")
    let lost = list.header(parent: .random(entropy), alice)
    #expect(word(try list.send(list.put(lost, alice), alice)) == "conflict parent-wrong")
  }

  @Test func lettersAreEnforced() throws {
    let world = try World()
    let (alice, bob, eve) = (try world.member("alice"), try world.member("bob"), try world.member("eve"))
    var list = try BranchHand.list(world, alice, with: [bob.entry([.read])])
    #expect(try world.pull(list.branch, as: bob).headLine == 2)
    let byBob = list.put(list.header(parent: list.branch, bob), bob)
    #expect(word(try list.send(byBob, bob)) == "refused letter-missing")
    let start = LogHead(startOf: list.branch)
    let pull = WirePullRequest.with {
      $0.branch = data(list.branch.bytes)
      $0.afterHash = data(start.hash.bytes)
    }
    #expect(reason(world.send(.pull, pull, as: eve)) == "letter-missing")
    let heads = try WireHeads(
      serializedBytes: world.send(.heads, WireHeadsRequest.with { $0.branches = [pull.branch] }, as: eve).body)
    #expect(heads.branches.first?.denied == true)
    #expect(heads.branches.first?.line == 0)
    let history = WirePermissionsRequest.with { $0.branch = data(list.branch.bytes) }
    #expect(world.send(.permissions, history, as: bob).status == 200)
    #expect(world.send(.permissions, history, as: eve).status == 403)
    #expect(word(try list.send(byBob, eve)) == "refused user-mismatch")
  }

  @Test func aRemovalDeniesAtOnceAndSupersedes() throws {
    let world = try World()
    let (alice, bob) = (try world.member("alice"), try world.member("bob"))
    let owner = alice.entry([.read, .write, .share])
    var list = try BranchHand.list(world, alice, with: [bob.entry([.read, .write])])
    let before = list
    #expect(word(try list.send(list.permit([owner], epoch: 1, alice), alice)) == "refused epoch-wrong")
    #expect(word(try list.send(list.permit([owner], epoch: 2, alice), alice)) == "accepted")
    let late = before.put(before.header(parent: list.branch, bob), bob)
    #expect(word(try list.send(late, bob)) == "conflict permissions-superseded")
    let heads = try WireHeads(
      serializedBytes: world.send(.heads, WireHeadsRequest.with { $0.branches = [data(list.branch.bytes)] }, as: bob)
        .body)
    #expect(heads.branches.first?.denied == true)
  }

  @Test func onlyTheNextLineTakesAPermissionsRecord() throws {
    let world = try World()
    let alice = try world.member("alice")
    var list = try BranchHand.list(world, alice)
    let stale = list.permit([alice.entry([.read, .write, .share])], alice) {
      $0.author.read = LogHead(startOf: $0.branch)
    }
    #expect(word(try list.send(stale, alice)) == "conflict permissions-superseded")
  }

  @Test func aDeleteNeedsAllBelowToBeSeenAndTakesTheContents() throws {
    let world = try World()
    let alice = try world.member("alice")
    var list = try BranchHand.list(world, alice)
    let parent = list.header(parent: list.branch, alice)
    let putParent = list.put(parent, alice)
    #expect(word(try list.send(putParent, alice)) == "accepted")
    let seen = list.head
    var child = list.header(parent: parent.cloudID, alice)
    let (content, reference) = sealedContent(.data, entropy.bytes(300), by: alice)
    child.contents = [reference]
    let putChild = list.put(child, contents: [content], alice)
    #expect(word(try list.send(putChild, alice)) == "accepted")
    #expect(world.send(.content(branch: list.branch, reference.content), as: alice).body == Array(content.ciphertext))
    let hash = try putParent.record.hash
    let blind = list.delete(parent.cloudID, version: 2, previous: hash, read: seen, alice)
    #expect(word(try list.send(blind, alice)) == "conflict unseen-children")
    let delete = list.delete(parent.cloudID, version: 2, previous: hash, alice)
    #expect(word(try list.send(delete, alice)) == "accepted")
    #expect(world.send(.content(branch: list.branch, reference.content), as: alice).status == 404)
    let page = try world.pull(list.branch, as: alice)
    #expect(page.rows.map(\.line) == [1, 2, 4, 5], "the rows below a tombstone stay")
    #expect(page.rows.allSatisfy { $0.contents.isEmpty })
    let gone = list.delete(child.cloudID, version: 2, previous: try putChild.record.hash, alice)
    #expect(word(try list.send(gone, alice)) == "conflict version-stale")
    var orphan = list.next(child, after: try putChild.record, alice)
    orphan.revived = orphan.version
    #expect(word(try list.send(list.put(orphan, alice), alice)) == "conflict parent-wrong")
    var back = list.next(parent, after: try delete.record, alice)
    back.version = 3
    #expect(
      word(try list.send(list.put(back, alice), alice)) == "conflict version-stale", "it was deleted, and hides it")
    back.revived = 3
    #expect(word(try list.send(list.put(back, alice), alice)) == "accepted")
    #expect(word(try list.send(list.put(orphan, alice), alice)) == "refused content-missing", "its bytes are gone")
    var again = orphan
    again.revived = 0
    #expect(word(try list.send(list.put(again, alice), alice)) == "conflict version-stale", "it went, and hides it")
    again.revived = again.version
    again.contents = []
    let putAgain = list.put(again, alice)
    #expect(word(try list.send(putAgain, alice)) == "accepted")
    var forgetful = list.next(again, after: try putAgain.record, alice)
    forgetful.revived = 0
    #expect(word(try list.send(list.put(forgetful, alice), alice)) == "conflict version-stale")
  }

  @Test func contentsAreNewCarriedOrBorrowed() throws {
    let world = try World()
    let alice = try world.member("alice")
    var list = try BranchHand.list(world, alice)
    let (content, reference) = sealedContent(.metadata, entropy.bytes(296), by: alice)
    var header = list.header(parent: list.branch, alice)
    header.contents = [reference]
    #expect(word(try list.send(list.put(header, alice), alice)) == "refused content-missing")
    var wrong = content
    wrong.ciphertext[0] ^= 1
    #expect(word(try list.send(list.put(header, contents: [wrong], alice), alice)) == "refused content-mismatch")
    let put = list.put(header, contents: [content], alice)
    #expect(word(try list.send(put, alice)) == "accepted")
    let carried = list.next(header, after: try put.record, alice)
    #expect(word(try list.send(list.put(carried, alice), alice)) == "accepted")
    var borrower = list.header(parent: list.branch, alice)
    borrower.contents = [reference]
    var borrow = list.put(borrower, alice)
    borrow.put.borrowed = [
      .with {
        $0.content = content.content
        $0.branch = data(list.branch.bytes)
        $0.cloudID = data(header.cloudID.bytes)
      }
    ]
    #expect(word(try list.send(borrow, alice)) == "accepted")
  }

  @Test func aFailedDependencyStopsItsDependents() throws {
    let world = try World()
    let alice = try world.member("alice")
    let list = try BranchHand.list(world, alice)
    let bad = list.put(list.header(parent: .random(entropy), alice), alice)
    var dependent = list.put(list.header(parent: list.branch, alice), alice)
    dependent.dependsOn = [bad.operation]
    var free = list.put(list.header(parent: list.branch, alice), alice)
    free.dependsOn = [data(entropy.bytes(16))]
    let outcomes = try world.batch([bad, dependent, free], as: alice)
    #expect(outcomes.map { word($0) } == ["conflict parent-wrong", "dependency-failed", "accepted"])
    #expect(outcomes.map(\.operation) == [bad, dependent, free].map(\.operation))
  }

  @Test func aPullComesInPagesWhoseLinesMakeTheHead() throws {
    let world = try World()
    let alice = try world.member("alice")
    var list = try BranchHand.list(world, alice)
    for _ in 0..<20 {
      _ = try list.send(list.put(list.header(parent: list.branch, alice), alice), alice)
    }
    var cursor = LogHead(startOf: list.branch)
    var pages = 0
    while cursor != list.head {
      let page = try world.pull(list.branch, after: cursor, limit: 5, as: alice)
      for line in try Line.decode(Array(page.lines)) { cursor = cursor.appending(line) }
      #expect(page.headLine == 22)
      pages += 1
      try #require(pages <= 5)
    }
    #expect(pages == 5)
  }

  @Test func aPageIsBoundedInBytes() throws {
    let world = try World()
    let alice = try world.member("alice")
    var list = try BranchHand.list(world, alice)
    for _ in 0..<20 {
      let (content, reference) = sealedContent(.data, [UInt8](repeating: 1, count: Limits.contentBytes), by: alice)
      var header = list.header(parent: list.branch, alice)
      header.contents = [reference]
      #expect(word(try list.send(list.put(header, contents: [content], alice), alice)) == "accepted")
    }
    let page = try world.pull(list.branch, as: alice)
    #expect(page.rows.count < 22)
    #expect(page.rows.count > 10)
    #expect(encode(page).count < Limits.pageBytes + 100_000)
  }

  @Test func aMessageIsCopiedIntoAnInbox() throws {
    let world = try World()
    let (alice, bob) = (try world.member("alice"), try world.member("bob"))
    var outbox = BranchHand(world, Trunk.outbox.cloudID(of: alice.user))
    outbox.permissions = alice.trunkRecords[2]
    outbox.head = LogHead(line: 1, hash: try fixed(try world.pull(outbox.branch, as: alice).headHash))
    let (content, reference) = sealedContent(.data, entropy.bytes(296), by: alice)
    var sent = outbox.header(parent: outbox.branch, alice)
    sent.contents = [reference]
    #expect(word(try outbox.send(outbox.put(sent, contents: [content], alice), alice)) == "accepted")
    var inbox = BranchHand(world, Trunk.inbox.cloudID(of: bob.user))
    inbox.permissions = bob.trunkRecords[3]
    var message = inbox.header(parent: inbox.branch, alice)
    message.contents = [reference]
    message.wrappedKey = entropy.bytes(80)
    message.recipient = bob.user
    message.recipientGeneration = 1
    let copy = { (header: HeaderBody, source: CloudID) in
      WireOperation.with {
        $0.operation = data(header.operation.bytes)
        $0.copy.header = SignedRecord(signing: header, with: alice.device).wire
        $0.copy.sourceBranch = data(outbox.branch.bytes)
        $0.copy.sourceNode = data(source.bytes)
      }
    }
    #expect(word(try world.batch([copy(message, .random(entropy))], as: alice)[0]) == "refused content-missing")
    #expect(word(try world.batch([copy(message, sent.cloudID)], as: alice)[0]) == "accepted")
    #expect(try world.pull(inbox.branch, as: bob).rows.last?.contents.first == content)
    let plain = inbox.put(inbox.header(parent: inbox.branch, alice), alice)
    #expect(word(try world.batch([plain], as: alice)[0]) == "refused letter-missing")
  }
}
