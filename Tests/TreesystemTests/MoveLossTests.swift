import CloudAPI
import Testing
import TreeSupport

@testable import Treesystem

/// A subtree that goes from branch to branch, while somebody else writes in it, is whole at the end, whichever request or answer
/// was lost on the way.
@Suite struct SubtreeLossTests {
  @Test(arguments: [InProcessTransport.Fate.lost, .replyLost], 1...3)
  func everyWordArrivesOnce(_ fate: InProcessTransport.Fate, _ first: Int) async throws {
    for number in stride(from: first, to: .max, by: 3) {
      let rooms = try await Rooms()
      let count = Locked(0)
      for device in [rooms.alice, rooms.bob] {
        device.transport.setFate { request in
          // What is only read changes nothing on the server: losing the answer is losing the request.
          if fate == .replyLost, request.path != Route.batch.path { return .delivered }
          return count.with { count in
            count += 1
            return count == number ? fate : .delivered
          }
        }
      }
      try await play(rooms)
      try rooms.expectOneTree(
        ["list/a: apple", "list/a/new: new", "other/b: bob bread", "other/b/c: alice cheese later"],
        "\(fate) \(number)")
      let requests = count.with { $0 }
      #expect(requests >= 8, "the story has so many requests at least")
      if requests < number { break }
    }
  }

  /// Where the answer to its first put was lost, nobody here knows what it hangs below on the server.
  @Test func whatLeftBeforeItWasKnownToBeThereComesBackForAnEdit() async throws {
    let rooms = try await Rooms()
    try rooms.make(rooms.alice, "list/new", "new")
    rooms.alice.transport.setFate { $0.path == Route.batch.path ? .replyLost : .delivered }
    #expect(try await isStopped(rooms.alice))
    rooms.alice.transport.setFate { _ in .delivered }
    try rooms.move(rooms.alice, "list/new", to: "other")
    try rooms.remove(rooms.alice, "other/new")
    try await rooms.bob.sync()
    try rooms.write(rooms.bob, "bob", on: "list/new")
    try await rooms.bob.sync()
    try await rooms.alice.sync()
    try await rooms.settle()
    try rooms.expectOneTree([
      "list/a/b/c: cheese", "list/a/b: bread", "list/a: apple", "list/new: bob new",
    ])
  }

  /// A deletion that waits is withdrawn for an edit, and brings back all that it took but what somebody took elsewhere meanwhile.
  @Test func whatWasTakenElsewhereDoesNotComeBackWithItsWhole() async throws {
    let rooms = try await Rooms()
    try rooms.remove(rooms.alice, "list/a")
    try rooms.move(rooms.bob, "list/a/b", to: "other")
    try await rooms.bob.sync()
    // She reads of the one, and only later of the other.
    rooms.alice.transport.setFate { $0.path == Route.batch.path ? .lost : .delivered }
    #expect(try await isStopped(rooms.alice))
    rooms.alice.transport.setFate { _ in .delivered }
    try rooms.write(rooms.bob, "bob", on: "list/a")
    try await rooms.bob.sync()
    try await rooms.alice.sync()
    try await rooms.settle()
    try rooms.expectOneTree(["list/a: apple bob", "other/b/c: cheese", "other/b: bread"])
  }

  private func play(_ rooms: Rooms) async throws {
    let (alice, bob) = (rooms.alice, rooms.bob)
    try rooms.move(alice, "list/a", to: "other")
    _ = try await isStopped(alice)
    try rooms.write(bob, "bob", on: "list/a/b")
    try rooms.make(bob, "list/a/new", "new")
    _ = try await isStopped(bob)
    try await settle(rooms)
    // Back, while something is written far below.
    try rooms.move(bob, "other/a", to: "list")
    try rooms.write(alice, "alice", on: "other/a/b/c")
    _ = try await isStopped(alice)
    _ = try await isStopped(bob)
    try await settle(rooms)
    // A part of it goes elsewhere.
    try rooms.move(alice, "list/a/b", to: "other")
    try rooms.write(bob, "later", on: "list/a/b/c")
    _ = try await isStopped(bob)
    _ = try await isStopped(alice)
    try await settle(rooms)
  }

  private func isStopped(_ device: Device) async throws -> Bool {
    do {
      try await device.sync()
      return false
    } catch CloudFailure.unreachable {
      return true
    }
  }

  private func settle(_ rooms: Rooms) async throws {
    for _ in 0..<2 {
      for device in [rooms.bob, rooms.alice] where try await isStopped(device) { try await device.sync() }
    }
  }
}
