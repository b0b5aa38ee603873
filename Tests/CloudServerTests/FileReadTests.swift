import CloudAPI
import CloudServer
import Foundation
import Signing
import SwiftProtobuf
import Testing

/// Who reads files, and how much of one at a time (spec §10.4).
@Suite struct FileReadTests {
  private let world: World
  private let alice: Person
  private let bob: Person
  private let file: TestFile
  private let start: BranchHand

  init() throws {
    world = try World()
    (alice, bob) = (try world.member("alice"), try world.member("bob"))
    file = try TestFile(data: 11 << 20)
    try world.upload(file, as: alice)
    var list = try BranchHand.list(world, alice, with: [bob.entry([.read])])
    _ = try list.attach(file, alice)
    start = list
  }

  @Test func anyRangeIsTheSameBytes() throws {
    let length = Int(file.layout.length)
    let seam = Int(file.parts.range(of: 0)?.upperBound ?? 0)
    let ranges = [
      0..<1, 0..<80, 79..<81, length - 1..<length, 0..<length, seam - 1..<seam + 1, seam..<seam + 1, seam - 1..<seam,
      1..<seam + 5_000_000, 300_000..<900_000,
    ]
    for range in ranges {
      let response = world.read(
        file, in: start.branch, range: "bytes=\(range.lowerBound)-\(range.upperBound - 1)", as: bob)
      #expect(response.status == 206)
      #expect(
        response.headers["content-range"] == "bytes \(range.lowerBound)-\(range.upperBound - 1)/\(length)")
      #expect(response.body == Array(file.bytes[range]), "\(range)")
    }
  }

  @Test func aRangeIsWithinAndHasBothEnds() throws {
    let length = file.layout.length
    for range in [
      "bytes=\(length)-\(length)", "bytes=0-\(length)", "bytes=2-1", "bytes=-1", "bytes=0-", "bytes=0-1,3-4",
      "bytes=00-1", "bytes=0-18446744073709551616", "bytes=+0-1", "bytes= 0-1", "items=0-1", "", "bytes=0-1-2",
    ] {
      let response = world.read(file, in: start.branch, range: range, as: bob)
      #expect(response.status == 416 && reason(response) == "malformed", "\(range)")
      #expect(response.headers["content-range"] == "bytes */\(length)")
    }
    #expect(world.read(file, in: start.branch, as: bob).body == file.bytes)
  }

  @Test func aSmallContentHasRangesToo() throws {
    var list = start
    let (content, reference) = sealedContent(.data, entropy.bytes(300), by: alice)
    var todo = list.header(parent: list.branch, alice)
    todo.contents = [reference]
    #expect(word(try list.send(list.put(todo, contents: [content], alice), alice)) == "accepted")
    var request = world.request(.content(branch: list.branch, reference.content), [], as: bob.signer, bob.device)
    request.headers["range"] = "bytes=10-12"
    let response = world.cloud.handle(request)
    #expect(response.status == 206 && response.body == Array(content.ciphertext[10..<13]))
  }

  @Test func leavesAreTheOnesOfTheTree() throws {
    let leaves = file.leaves.dropFirst(3).map(\.bytes)
    #expect(leaves.count == 11)
    for from in 0...12 {
      let response = world.leaves(of: file, in: start.branch, from: UInt64(from), as: bob)
      #expect(response.status == 200)
      #expect(response.body == leaves.dropFirst(from).flatMap { $0 }, "\(from)")
    }
    #expect(world.leaves(of: file, in: start.branch, from: .max, as: bob).body == [])
    let small = try TestFile(data: 3 << 20)
    try world.upload(small, as: alice)
    var list = start
    _ = try list.attach(small, alice)
    #expect(
      world.leaves(of: small, in: list.branch, from: 1, as: bob).body
        == small.leaves.dropFirst(4).flatMap(\.bytes))
    for query in ["", "from=", "from=-1", "from=1&from=2", "from=01"] {
      let request = world.request(
        .leaves(branch: start.branch, file.content), query: query, [], as: bob.signer, bob.device)
      #expect(reason(world.cloud.handle(request)) == "malformed")
    }
  }

  @Test func onlyReadersRead() throws {
    let eve = try world.member("eve")
    #expect(world.read(file, in: start.branch, as: eve).status == 403)
    #expect(world.leaves(of: file, in: start.branch, from: 0, as: eve).status == 403)
    #expect(try world.parts(of: file, as: eve) == nil)
    var hers = try BranchHand.list(world, eve)
    // Knowing all that a header says is not having the file.
    #expect(try hers.tryToAttach(file.reference(by: eve), eve) == "refused content-missing")
    let lent = WireBorrowed.with {
      $0.content = data(file.content.bytes)
      $0.branch = data(start.branch.bytes)
      $0.cloudID = data(start.branch.bytes)
    }
    #expect(try hers.tryToAttach(file.reference(by: eve), borrowed: [lent], eve) == "refused content-missing")
    #expect(world.read(file, in: hers.branch, as: eve).status == 404)
    var list = start
    #expect(
      word(try list.send(list.permit([alice.entry([.read, .write, .share])], epoch: 2, alice), alice)) == "accepted")
    #expect(world.read(file, in: list.branch, as: bob).status == 403)
    #expect(world.read(file, in: list.branch, range: "bytes=0-0", as: bob).status == 403)
    #expect(world.leaves(of: file, in: list.branch, from: 0, as: bob).status == 403)
    #expect(world.read(file, in: list.branch, as: alice).body == file.bytes)
  }

  @Test func whatTheDiskLostIsNotFoundAndCanBeSentAgain() throws {
    let blob = try #require(try world.blobs.list().first)
    try world.blobs.delete(BlobPart(blob, 1))
    let first = try #require(file.parts.range(of: 1)?.lowerBound)
    #expect(world.read(file, in: start.branch, range: "bytes=\(first)-\(first)", as: bob).status == 404)
    #expect(world.read(file, in: start.branch, range: "bytes=0-9", as: bob).body == Array(file.bytes[0..<10]))
    #expect(try world.parts(of: file, as: alice) == [0, 2])
    var bytes = file.part(1)
    bytes[5] ^= 1
    #expect(reason(world.put(1, of: file, bytes, as: alice)) == "fork")
    #expect(try world.parts(of: file, as: alice) == [0, 2])
    #expect(world.put(1, of: file, as: alice).status == 204)
    #expect(world.read(file, in: start.branch, as: bob).body == file.bytes)
  }
}
