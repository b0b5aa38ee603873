import CloudAPI
import Signing
import SwiftProtobuf
import Testing

@testable import CloudServer

/// What a batch remembers of the tree from one operation to the next, and what it forgets.
struct KnownPlacesTests {
  private let world: World
  private let alice: Person
  private var list: BranchHand
  /// From the root down, one below the other.
  private var chain: [(cloudID: CloudID, hash: Hash32, header: HeaderBody)] = []

  init() throws {
    world = try World()
    alice = try world.member("alice")
    list = try BranchHand.list(world, alice)
    for _ in 0..<4 { chain.append(try put(below: chain.last?.cloudID ?? list.branch)) }
  }

  private mutating func put(below parent: CloudID) throws -> (cloudID: CloudID, hash: Hash32, header: HeaderBody) {
    let put = list.put(list.header(parent: parent, alice), alice)
    guard word(try list.send(put, alice)) == "accepted" else { throw CloudFailure.nonsense }
    let record = try put.record
    let header = try HeaderBody(decoding: record.body)
    return (header.cloudID, record.hash, header)
  }

  private func words(_ operations: [WireOperation]) throws -> [String] {
    try world.batch(operations, as: alice).map { word($0) }
  }

  private func below(_ parent: CloudID, token: Hash32 = .random(entropy)) -> WireOperation {
    list.put(list.header(parent: parent, token: token, alice), alice)
  }

  /// One that is refused for its name, once its place was looked up.
  private mutating func looked(at parent: CloudID) throws -> WireOperation {
    let token = Hash32.random(entropy)
    guard word(try list.send(below(parent, token: token), alice)) == "accepted" else { throw CloudFailure.nonsense }
    return below(parent, token: token)
  }

  @Test mutating func nothingGrowsBelowWhatTheBatchDeleted() throws {
    let look = try looked(at: chain[3].cloudID)
    let delete = list.delete(chain[1].cloudID, version: 2, previous: chain[1].hash, alice)
    let found = try words([look, delete, below(chain[3].cloudID)])
    #expect(found == ["conflict name-taken", "accepted", "conflict parent-wrong"])
  }

  @Test mutating func whatTheBatchMovedHangsWhereItIsNow() throws {
    var deepest = list.branch
    for _ in 0..<Limits.depth - 3 { deepest = try put(below: deepest).cloudID }
    let look = try looked(at: chain[3].cloudID)
    var moved = chain[1].header
    (moved.parent, moved.version, moved.previous) = (deepest, 2, chain[1].hash)
    (moved.operation, moved.author) = (.random(entropy), alice.author(read: list.head))
    let found = try words([look, list.put(moved, alice), below(chain[3].cloudID), below(chain[1].cloudID)])
    #expect(found == ["conflict name-taken", "accepted", "refused limit-exceeded", "accepted"])
  }

  /// What was noted for a deletion that is refused is taken back with it, and noted again.
  @Test func aRefusedDeletionLosesNoNewestLine() throws {
    let new = below(chain[3].cloudID)
    let delete = list.delete(chain[0].cloudID, version: 2, previous: chain[0].hash, alice)
    #expect(try words([new, delete]) == ["accepted", "conflict unseen-children"])
    let newest = try world.storage.read { try $0.newestLine(below: chain[0].cloudID, in: list.branch) }
    #expect(newest == list.head.line + 1)
  }

  @Test func aDeletionBesideNewNodesIsAccepted() throws {
    let (inside, outside) = (below(chain[3].cloudID), below(list.branch))
    let delete = list.delete(chain[2].cloudID, version: 2, previous: chain[2].hash, alice)
    #expect(try words([outside, delete]) == ["accepted", "accepted"])
    #expect(try words([inside]) == ["conflict parent-wrong"])
  }
}
