import CloudAPI
import Foundation
import Sharing
import Signing
import TestSupport
import Testing
import TodoCore
import Treesystem

/// An acknowledged change is never lost, and never done twice, whatever the network loses.
@Suite struct LossTests {
  /// The two friends' story, with one request of all that both send lost, or its answer.
  @Test(arguments: [InProcessTransport.Fate.lost, .replyLost])
  func whicheverMessageOfTheStoryIsLostBothEndAlike(_ fate: InProcessTransport.Fate) async throws {
    var number = 0
    while true {
      number += 1
      let world = try World(seed: "loss \(number)")
      let story = Story(world, alice: try world.device("alice"), bob: try world.device("bob"))
      let count = Locked(0)
      let unlucky = number
      for device in [story.alice, story.bob] {
        device.transport.setFate { request in
          // Where nothing is changed it is one whether the request is lost or its answer.
          if fate == .replyLost, request.isReading { return .delivered }
          return count.with { count in
            count += 1
            return count == unlucky ? fate : .delivered
          }
        }
      }
      try await story.play()
      try story.expectOneEnd("request \(number)")
      if count.with({ $0 }) < number { break }
    }
    #expect(number > (fate == .lost ? 20 : 8), "the story has so many requests at least")
  }
}

extension CloudRequest {
  /// Whether it leaves the server as it was.
  var isReading: Bool {
    [Route.heads, .pull, .keyrings, .permissions].contains { $0.path == path } || method == "GET"
  }
}

/// The two friends' story; people try again when the network fails.
struct Story {
  let world: World
  let alice: Device
  let bob: Device

  init(_ world: World, alice: Device, bob: Device) {
    self.world = world
    self.alice = alice
    self.bob = bob
  }

  func play() async throws {
    try alice.add("Groceries", "Milk", "Öl", "🥑")
    try await alice.insist { try await signUp(alice, "alice") }
    try await bob.insist { try await signUp(bob, "bob") }
    try await alice.insist { try await alice.sync() }
    try await bob.insist { try await bob.sync() }
    try await alice.insist { try await alice.share("Groceries", with: "bob", note: "dinner") }
    try await alice.insist { try await alice.sync() }
    try await bob.insist { try await bob.sync() }
    try bob.accept()
    try await bob.insist { try await bob.sync() }
    try bob.add("Groceries", "BBQ sauce")
    try bob.tick("Öl")
    _ = try await bob.isStopped()
    try bob.edit("BBQ sauce", to: "Hot sauce")
    world.clock.advance(10)
    try alice.edit("Milk", to: "Oat milk")
    _ = try await alice.isStopped()
    try await bob.insist { try await bob.sync() }
    try await alice.insist { try await settle(alice, bob) }
  }

  private func signUp(_ device: Device, _ handle: String) async throws {
    try await device.session.signUp(handle: handle, server: "test")
  }

  func expectOneEnd(_ comment: String) throws {
    let end = ["Hot sauce", "Oat milk", "✓ Öl", "🥑"].sorted()
    for device in [alice, bob] {
      #expect(try device.titles("Groceries") == end, "\(comment)")
      #expect(try device.listNames() == ["Groceries"], "\(comment)")
      #expect(try device.quarantine().isEmpty, "\(comment)")
      #expect(try device.unsent() == 0, "\(comment)")
      #expect(try device.invites().isEmpty, "\(comment)")
    }
    #expect(try alice.database.read { try $0.members(of: try $0.lists()[0].node).map(\.name) } == ["alice", "bob"])
  }
}
