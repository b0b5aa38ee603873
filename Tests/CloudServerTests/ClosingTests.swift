import CloudAPI
import CloudServer
import Signing
import Testing

/// What a server keeps of a list that its owner has deleted for everybody, and for how long (spec §3.7).
struct ClosingTests {
  private static let day: Int64 = 24 * 3600 * 1000

  private let world: World
  private let alice: Person
  private let bob: Person
  private let start: BranchHand
  private let entries: [PermissionsEntry]

  init() throws {
    world = try World()
    (alice, bob) = (try world.member("alice"), try world.member("bob"))
    entries = [alice.entry([.read, .write, .share]), bob.entry([.read, .write, .share])]
    var list = BranchHand(world)
    let first = list.permit(entries, alice)
    try #require(word(try list.send(first, alice)) == "accepted")
    let (content, reference) = sealedContent(.data, entropy.bytes(296), by: alice)
    var todo = list.header(parent: list.branch, alice)
    todo.contents = [reference]
    let put = list.put(todo, contents: [content], alice)
    try #require(word(try list.send(put, alice)) == "accepted")
    start = list
  }

  private func close(
    _ list: inout BranchHand, _ person: Person, _ bend: (inout PermissionsBody) -> Void = { _ in }
  ) throws -> String {
    let kept = list.permissions.flatMap { try? PermissionsBody(decoding: $0.body).entries } ?? []
    let permit = list.permit(kept, person) {
      $0.isClosed = true
      bend(&$0)
    }
    return word(try list.send(permit, person))
  }

  private func contents() throws -> Int { try world.pull(start.branch, as: bob).rows.flatMap(\.contents).count }

  @Test func nothingFollows() throws {
    var list = start
    #expect(try close(&list, bob) == "refused letter-missing")
    #expect(try close(&list, alice) { $0.entries.removeAll { $0.user == bob.user } } == "refused malformed")
    #expect(try close(&list, alice) == "accepted")
    let put = list.put(list.header(parent: list.branch, alice), alice)
    #expect(word(try list.send(put, alice)) == "refused branch-closed")
    let permit = list.permit(entries, alice)
    #expect(word(try list.send(permit, alice)) == "refused branch-closed")
    #expect(try contents() == 1)
  }

  @Test func theContentsGoWhenTheyHaveBeenKeptForLongEnough() throws {
    var list = start
    #expect(try close(&list, alice) == "accepted")
    world.clock.move(by: Limits.closedLife)
    _ = try world.batch([], as: bob)
    #expect(try contents() == 1)
    world.clock.move(by: Self.day)
    _ = try world.batch([], as: bob)
    #expect(try contents() == 0)
    #expect(try world.pull(list.branch, as: bob).rows.count == 3, "rows and lines stay")
  }

  @Test func anOpenListKeepsItsContents() throws {
    world.clock.move(by: 400 * Self.day)
    _ = try world.batch([], as: bob)
    #expect(try contents() == 1)
  }
}
