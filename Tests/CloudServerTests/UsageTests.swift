import CloudAPI
import Foundation
import Signing
import SwiftProtobuf
import Testing

@testable import CloudServer

/// What each person makes a server keep is counted, and bounded (spec §6.7).
struct UsageTests {
  private static let day: Int64 = 24 * 3600 * 1000

  private func bytes(_ world: World, _ person: Person) throws -> UInt64 {
    try world.storage.read { try $0.bytes(of: person.user) }
  }

  private func isCounted(_ world: World) throws -> Bool { try world.storage.miscounted().isEmpty }

  /// Puts a node with one content of a size; returns what the server says.
  private func put(_ list: inout BranchHand, _ size: Int, _ person: Person) throws -> (String, HeaderBody, SignedRecord)
  {
    let (content, reference) = sealedContent(.data, entropy.bytes(size), by: person)
    var header = list.header(parent: list.branch, person)
    header.contents = [reference]
    let put = list.put(header, contents: [content], person)
    return (word(try list.send(put, person)), header, try put.record)
  }

  /// 80 MB in a few seconds were free, as long as none of it was a file.
  @Test func nobodyKeepsMoreThanTheirQuotaOfAnything() throws {
    let quota: UInt64 = 1 << 20
    let world = try World(fileRules: FileRules(quota: quota))
    let (alice, bob) = (try world.member("alice"), try world.member("bob"))
    var list = try BranchHand.list(world, alice, with: [bob.entry([.read, .write])])
    var (kept, last): ([(HeaderBody, SignedRecord)], String) = ([], "accepted")
    while last == "accepted" {
      let (word, header, record) = try put(&list, 60_000, alice)
      last = word
      if word == "accepted" { kept.append((header, record)) }
    }
    #expect(last == "refused quota-exceeded")
    #expect(try (quota...quota + quota / 8).contains(bytes(world, alice)))
    // Small words end too: lines and records count.
    last = "accepted"
    var count = 0
    while last == "accepted", count < 5000 {
      last = word(try list.send(list.put(list.header(parent: list.branch, alice), alice), alice))
      count += 1
    }
    #expect(last == "refused quota-exceeded" && count < 200)
    #expect(try bytes(world, alice) <= quota + quota / 8)
    #expect(try put(&list, 60_000, bob).0 == "accepted", "it is alice's room that is full")
    // Permissions may go on for a while, and deleting makes room.
    let permit = list.permit([alice.entry([.read, .write, .share])], epoch: 2, alice)
    #expect(word(try list.send(permit, alice)) == "accepted")
    let (header, record) = kept[0]
    let delete = BranchHand.tombstone(of: header, record, in: list, epoch: 2, alice)
    #expect(word(try list.send(delete, alice)) == "accepted")
    var small = list.header(parent: list.branch, epoch: 2, alice)
    small.operation = .random(entropy)
    #expect(word(try list.send(list.put(small, alice), alice)) == "accepted")
    #expect(try isCounted(world))
  }

  /// Lines whose records nobody has were free: a member could invent any number of them.
  @Test func whoGivesBackPaysForWhatHasNoAuthor() throws {
    let world = try World(fileRules: FileRules(quota: 200_000))
    let alice = try world.member("alice")
    let list = try BranchHand.list(world, alice)
    let before = try bytes(world, alice)
    #expect(try giveBack(versions: 1000, of: list, alice).status == 507)
    #expect(try bytes(world, alice) == before)
    #expect(try giveBack(versions: 500, of: list, alice).status == 200)
    #expect(try bytes(world, alice) > before + 500 * 256)
    #expect(try isCounted(world))
  }

  /// Gives a node back with so many versions of which only the last has a record.
  private func giveBack(versions: Int, of list: BranchHand, _ person: Person) throws -> CloudResponse {
    var (lines, head) = ([Line](), list.head)
    let node = CloudID.random(entropy)
    func append(_ hash: Hash32) {
      lines.append(Line(number: head.line + 1, kind: .header, cloudID: node, hash: hash))
      head = head.appending(lines[lines.count - 1])
    }
    for _ in 1..<versions { append(.random(entropy)) }
    var header = list.header(node, parent: list.branch, person)
    (header.version, header.previous) = (UInt64(versions), lines[lines.count - 1].hash)
    header.author = person.author(read: head)
    let record = SignedRecord(signing: header, with: person.device)
    append(record.hash)
    let restore = WireRestoreRequest.with {
      $0.branch = data(list.branch.bytes)
      $0.afterLine = list.head.line
      $0.afterHash = data(list.head.hash.bytes)
      $0.lines = data(lines.flatMap(\.encoded))
      $0.rows = [
        .with {
          $0.line = head.line
          $0.record = record.wire
        }
      ]
    }
    return list.world.send(.restore, restore, as: person)
  }

  @Test func permissionsEndAtAQuarterMore() throws {
    let quota: UInt64 = 200_000
    let world = try World(fileRules: FileRules(quota: quota))
    let (alice, bob) = (try world.member("alice"), try world.member("bob"))
    var list = try BranchHand.list(world, alice)
    var (last, isIn) = ("accepted", false)
    var count = 0
    while last == "accepted", count < 2000 {
      let entries = [alice.entry([.read, .write, .share])] + (isIn ? [] : [bob.entry([.write])])
      last = word(try list.send(list.permit(entries, alice), alice))
      (isIn, count) = (!isIn, count + 1)
    }
    #expect(last == "refused quota-exceeded")
    #expect(try (quota...quota + quota / 4).contains(bytes(world, alice)))
  }

  @Test func whoBroughtSomethingPaysUntilItGoes() throws {
    let world = try World()
    let (alice, bob) = (try world.member("alice"), try world.member("bob"))
    var list = try BranchHand.list(world, alice, with: [bob.entry([.read, .write])])
    let (_, header, record) = try put(&list, 50_000, alice)
    let (before, bobs) = (try bytes(world, alice), try bytes(world, bob))
    // An edit that carries the content over.
    let edit = list.put(list.next(header, after: record, bob), bob)
    #expect(word(try list.send(edit, bob)) == "accepted")
    #expect(try bytes(world, bob) - bobs < 2000)
    #expect(try before - bytes(world, alice) < 2000)
    #expect(try isCounted(world))
    try list.remove((list.next(header, after: record, bob), edit.record), bob)
    #expect(try before - bytes(world, alice) > 50_000, "it is gone, whoever took it away")
    #expect(try isCounted(world))
  }

  /// What somebody sealed once and lists in two nodes counts for both: each keeps it from going.
  @Test func aBorrowedContentCountsAgain() throws {
    let world = try World()
    let bob = try world.member("bob")
    var (list, other) = (try BranchHand.list(world, bob), try BranchHand.list(world, bob))
    let (_, header, record) = try put(&list, 50_000, bob)
    let before = try bytes(world, bob)
    var copy = other.header(parent: other.branch, bob)
    copy.contents = header.contents
    var borrow = other.put(copy, bob)
    borrow.put.borrowed = [
      .with {
        $0.content = data(header.contents[0].content.bytes)
        $0.branch = data(list.branch.bytes)
        $0.cloudID = data(header.cloudID.bytes)
      }
    ]
    #expect(word(try other.send(borrow, bob)) == "accepted")
    #expect(try (50_000..<52_000).contains(bytes(world, bob) - before))
    try list.remove((header, record), bob)
    #expect(try bytes(world, bob) < before + 2000)
    #expect(try isCounted(world))
  }

  /// A file is paid for once by each who brought it somewhere, and by its uploader only while nobody else lists it.
  @Test func aBorrowedFileCountsForWhoBorrowsIt() throws {
    let world = try World()
    let (alice, bob) = (try world.member("alice"), try world.member("bob"))
    let file = try TestFile(data: 300_000)
    var list = try BranchHand.list(world, alice, with: [bob.entry([.read, .write])])
    var other = try BranchHand.list(world, bob)
    let (alices, bobs) = (try bytes(world, alice), try bytes(world, bob))
    try world.upload(file, as: alice)
    #expect(try bytes(world, alice) - alices == file.layout.length)
    let node = try list.attach(file, alice)
    #expect(try (file.layout.length..<file.layout.length + 2000).contains(bytes(world, alice) - alices))
    let lent = WireBorrowed.with {
      $0.content = data(file.content.bytes)
      $0.branch = data(list.branch.bytes)
      $0.cloudID = data(node.header.cloudID.bytes)
    }
    for _ in 0..<3 {
      #expect(try other.tryToAttach(file.reference(by: bob), borrowed: [lent], bob) == "accepted")
    }
    #expect(try (file.layout.length..<file.layout.length + 5000).contains(bytes(world, bob) - bobs), "once")
    try list.remove(node, alice)
    #expect(try bytes(world, alice) - alices < 3000, "bob alone has it now")
    #expect(try isCounted(world))
    world.send(.upload(file.content), as: alice)
    for _ in 0..<10 {
      world.clock.move(by: Self.day)
      try world.anything(as: bob)
    }
    #expect(world.read(file, in: other.branch, as: bob).body == file.bytes)
    #expect(try isCounted(world))
  }

  @Test func aQuotaThatFilesFillTakesWordsForAWhile() throws {
    let world = try World(fileRules: FileRules(quota: 1 << 20))
    let alice = try world.member("alice")
    var list = try BranchHand.list(world, alice)
    while world.put(0, of: try TestFile(data: 0, metadata: 0, thumbnail: 0), as: alice).status == 204 {}
    #expect(try put(&list, 50_000, alice).0 == "accepted")
    #expect(world.put(0, of: try TestFile(data: 0, metadata: 0, thumbnail: 0), as: alice).status == 507)
  }

  /// Everything that stores or drops anything, and then the end of the account.
  @Test func theCountIsWhatARecountFinds() throws {
    let world = try World()
    let (alice, bob) = (try world.member("alice"), try world.member("bob"))
    var list = try BranchHand.list(world, alice, with: [bob.entry([.read, .write])])
    var nodes: [(header: HeaderBody, record: SignedRecord)] = []
    for round in 0..<30 {
      let person = round.isMultiple(of: 3) ? bob : alice
      if round % 5 == 4 {
        let file = try TestFile(data: UInt64(round) * 5000)
        try world.upload(file, as: person)
        nodes.append(try list.attach(file, person))
      } else {
        let (word, header, record) = try put(&list, round * 100, person)
        #expect(word == "accepted")
        nodes.append((header, record))
      }
      if round % 4 == 3 { try list.remove(nodes.removeFirst(), alice) }
      #expect(try isCounted(world), "\(round)")
    }
    _ = try list.send(list.permit([alice.entry([.read, .write, .share])], epoch: 2, alice), alice)
    let entries = try PermissionsBody(decoding: list.permissions?.body ?? []).entries
    let older = try PermissionsBody(decoding: list.permissions?.body ?? []).olderKeys
    let close = list.permit(entries, epoch: 2, alice) { ($0.isClosed, $0.olderKeys) = (true, older) }
    #expect(word(try list.send(close, alice)) == "accepted")
    for _ in 0..<60 {
      world.clock.move(by: Self.day)
      try world.anything(as: bob)
    }
    #expect(try isCounted(world))
    let before = try bytes(world, alice)
    var leaving = alice
    leaving.add(.deleteAccount, by: (alice.deviceID, alice.device))
    let append = WireKeyringAppend.with {
      $0.user = data(alice.user.bytes)
      $0.entries = [leaving.entries.last!.wire]
    }
    #expect(world.send(.keyringAppend, append, as: alice).status == 200)
    #expect(try isCounted(world))
    #expect(try bytes(world, alice) < before)
  }

  /// Contents and accounts go in pieces: each gives back what it was to whoever brought it.
  @Test func whatGoesInPiecesIsGivenBack() throws {
    let world = try World()
    let (alice, bob) = (try world.member("alice"), try world.member("bob"))
    let bobs = try bytes(world, bob)
    let (closed, list) = (try fullList(world, alice, bob), try fullList(world, alice, bob))
    #expect(try bytes(world, bob) - bobs > 2 * 600 * 1000)
    var hand = closed
    let body = try PermissionsBody(decoding: closed.permissions?.body ?? [])
    let close = hand.permit(body.entries, epoch: 2, alice) { ($0.isClosed, $0.olderKeys) = (true, body.olderKeys) }
    #expect(word(try hand.send(close, alice)) == "accepted")
    let before = try bytes(world, bob)
    world.clock.move(by: 31 * Self.day)
    try world.anything(as: bob)
    #expect(try (500_000..<600_000).contains(before - bytes(world, bob)), "a piece of the closed list's contents")
    #expect(try isCounted(world))
    for _ in 0..<5 { try world.anything(as: bob) }
    #expect(try (600_000..<700_000).contains(before - bytes(world, bob)))
    #expect(try isCounted(world))
    var leaving = alice
    leaving.add(.deleteAccount, by: (alice.deviceID, alice.device))
    let append = WireKeyringAppend.with {
      $0.user = data(alice.user.bytes)
      $0.entries = [leaving.entries.last!.wire]
    }
    let left = try bytes(world, bob)
    #expect(world.send(.keyringAppend, append, as: alice).status == 200)
    #expect(try world.storage.read { try $0.nodes(of: list.branch).isEmpty })
    #expect(try left - bytes(world, bob) > 600 * (1000 + 256), "lines, records and contents of the open list")
    #expect(try bytes(world, bob) > bobs, "lines and records of the closed one stay")
    #expect(try isCounted(world))
  }

  /// A list in which somebody else put more than goes at once, and which only its owner may read by now.
  private func fullList(_ world: World, _ owner: Person, _ other: Person) throws -> BranchHand {
    var list = try BranchHand.list(world, owner, with: [other.entry([.read, .write])])
    for _ in 0..<2 {
      let puts = (0..<300).map { _ in
        let (content, reference) = sealedContent(.data, entropy.bytes(1000), by: other)
        var header = list.header(parent: list.branch, other)
        header.contents = [reference]
        return list.put(header, contents: [content], other)
      }
      let outcomes = try world.batch(puts, as: other)
      guard case .accepted(let accepted)? = outcomes.last?.result else { throw CloudFailure.nonsense }
      list.head = LogHead(line: accepted.line, hash: try fixed(accepted.logHash))
    }
    let alone = list.permit([owner.entry([.read, .write, .share])], epoch: 2, owner)
    guard word(try list.send(alone, owner)) == "accepted" else { throw CloudFailure.nonsense }
    return list
  }
}

extension BranchHand {
  /// The deletion of a node in another epoch than the first.
  fileprivate static func tombstone(
    of header: HeaderBody, _ record: SignedRecord, in list: BranchHand, epoch: UInt64, _ author: Person
  ) -> WireOperation {
    let body = TombstoneBody(
      branch: list.branch, cloudID: header.cloudID, version: header.version + 1, previous: record.hash,
      permissions: list.permissions?.hash ?? .zeros, epoch: epoch, author: author.author(read: list.head),
      operation: .random(entropy))
    return .with {
      $0.operation = data(body.operation.bytes)
      $0.delete.tombstone = SignedRecord(signing: body, with: author.device).wire
    }
  }
}
