import CloudAPI
import CloudServer
import Foundation
import Signing
import SwiftProtobuf
import Testing

/// What a server tells of a branch before somebody reads its log (spec §6.6).
@Suite struct NewestTests {
  private func ask(
    _ branch: CloudID, below parents: [CloudID], _ count: UInt32, as person: Person, in world: World
  ) throws -> WireNewest {
    let response = world.send(.newest, request(branch, below: parents, count), as: person)
    try #require(response.status == 200, "\(reason(response))")
    return try WireNewest(serializedBytes: response.body)
  }

  private func request(_ branch: CloudID, below parents: [CloudID], _ count: UInt32) -> WireNewestRequest {
    .with {
      $0.branch = data(branch.bytes)
      $0.parents = parents.map { data($0.bytes) }
      $0.count = count
    }
  }

  @Test func theNewestChildrenComeFirstAndNoneThatWent() throws {
    let world = try World()
    let alice = try world.member("alice")
    var list = try BranchHand.list(world, alice)
    var lines: [CloudID: UInt64] = [:]
    var first: (node: CloudID, record: SignedRecord)?
    for number in 0..<6 {
      let (content, reference) = sealedContent(.data, [UInt8](repeating: UInt8(number), count: 100), by: alice)
      var header = list.header(parent: list.branch, alice)
      header.contents = [reference]
      let put = list.put(header, contents: [content], alice)
      #expect(word(try list.send(put, alice)) == "accepted")
      lines[header.cloudID] = list.head.line
      if first == nil { first = (header.cloudID, try put.record) }
    }
    let deepest = try #require(lines.max { $0.value < $1.value }?.key)
    let below = list.header(parent: deepest, alice)
    #expect(word(try list.send(list.put(below, alice), alice)) == "accepted")
    let gone = try #require(first)
    let deletion = list.delete(gone.node, version: 2, previous: gone.record.hash, alice)
    #expect(word(try list.send(deletion, alice)) == "accepted")
    let newest = try ask(list.branch, below: [list.branch, gone.node, deepest], 3, as: alice, in: world)
    #expect(newest.answered == 3 && newest.permissions.isEmpty)
    #expect(newest.headLine == list.head.line && newest.headHash == data(list.head.hash.bytes))
    // The root, three of its five children, and the one that has a child with that.
    #expect(newest.rows.map(\.line) == [2, 8, 7, 6, 8, 9])
    #expect(newest.rows[1].contents.map(\.ciphertext.count) == [100])
    let all = try ask(list.branch, below: [list.branch], 1000, as: alice, in: world)
    #expect(all.rows.map(\.line) == [2, 8, 7, 6, 5, 4])
    let records = try ask(list.branch, below: [], 0, as: alice, in: world)
    #expect(records.permissions.count == 1 && records.rows.isEmpty && records.answered == 0)
  }

  @Test func anAnswerIsNoLongerThanAPage() throws {
    let world = try World()
    let alice = try world.member("alice")
    var list = try BranchHand.list(world, alice)
    for _ in 0..<20 {
      let (content, reference) = sealedContent(.data, [UInt8](repeating: 7, count: 60_000), by: alice)
      var header = list.header(parent: list.branch, alice)
      header.contents = [reference]
      #expect(word(try list.send(list.put(header, contents: [content], alice), alice)) == "accepted")
    }
    let newest = try ask(list.branch, below: [list.branch, list.branch], 1000, as: alice, in: world)
    #expect(newest.answered == 1)
    #expect((10..<19).contains(newest.rows.count))
    #expect(newest.rows[1].line == list.head.line)
    // Nor is more read than that, whatever is asked for.
    let before = world.storage.work().bytes
    _ = try ask(list.branch, below: Array(repeating: list.branch, count: 100), 1000, as: alice, in: world)
    #expect(world.storage.work().bytes - before <= Limits.pageBytes + Limits.recordBytes)
  }

  @Test func onlyReadersAreTold() throws {
    let world = try World()
    let (alice, bob, eve) = (try world.member("alice"), try world.member("bob"), try world.member("eve"))
    let list = try BranchHand.list(world, alice, with: [bob.entry([.read])])
    #expect(try ask(list.branch, below: [list.branch], 5, as: bob, in: world).rows.count == 1)
    let wanted = request(list.branch, below: [list.branch], 5)
    #expect(reason(world.send(.newest, wanted, as: eve)) == "letter-missing")
    let many = (0...1000).map { _ in CloudID.random(entropy) }
    #expect(reason(world.send(.newest, request(list.branch, below: many, 1), as: alice)) == "limit-exceeded")
  }
}
