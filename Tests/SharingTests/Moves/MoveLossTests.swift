import CloudAPI
import Sharing
import TestSupport
import Testing
import TodoCore
import Treesystem

/// A todo that goes from list to list, while somebody else writes on it, is in one place with every word at the end,
/// whatever is lost or killed on the way.
@Suite struct MoveLossTests {
  /// Every occasion in turn; a few worlds at a time, because there are many.
  @Test(arguments: Mishap.Kind.allCases, 1...3)
  func oneMishapMovesNothingElsewhere(_ kind: Mishap.Kind, _ first: Int) async throws {
    for number in stride(from: first, to: .max, by: 3) {
      let mishap = Mishap(kind: kind, number: number)
      let story = try await MoveStory(mishap)
      try await story.play()
      try story.expectOneEnd("\(kind) \(number)")
      let occasions = mishap.occasions.with { $0 }
      #expect(occasions >= 8, "the story has so many occasions at least")
      if occasions < number { break }
    }
  }
}

/// Alice and bob take one todo through their lists, and each writes on it where it stood before the other moved it.
struct MoveStory {
  private let world: World
  private let alice: Mortal
  private let bob: Mortal

  init(_ mishap: Mishap) async throws {
    world = try await Movers().world
    alice = try Mortal("alice", in: world, mishap)
    bob = try Mortal("bob", in: world, mishap)
  }

  func play() async throws {
    // There, while bob writes on it and has not seen that it goes.
    try alice.device.move("Milk", to: "Party")
    try await alice.sync()
    try bob.device.write("from the farm", on: "Milk")
    try await bob.sync()
    try await settle()
    // Back, while alice calls it something else.
    try bob.device.move("Milk", to: "Groceries")
    try alice.device.edit("Milk", to: "Oat milk")
    try await alice.sync()
    try await bob.sync()
    try await settle()
    // And on, while bob sends what he did before alice does.
    try alice.device.move("Oat milk", to: "Work")
    try bob.device.tag("urgent", on: "Oat milk")
    try await bob.sync()
    try await alice.sync()
    try bob.device.tick("Oat milk")
    try await settle()
  }

  private func settle() async throws {
    for _ in 0..<2 { for person in [bob, alice] { try await person.insist() } }
  }

  func expectOneEnd(_ comment: Comment) throws {
    for device in [alice.device, bob.device] {
      #expect(try device.lists() == ["Work/✓ Oat milk"], comment)
      let todo = try device.todo("Oat milk", in: "Work")
      let (notes, tags, titles) = try device.database.read {
        try ($0.notes(of: todo), $0.tags(of: todo), $0.earlierTitles(of: todo))
      }
      #expect(notes == ["from the farm"] && tags == ["urgent"] && titles == ["Milk"], comment)
      #expect(try device.unsent() == 0, comment)
      #expect(try device.quarantine().isEmpty, comment)
      #expect(try device.database.read { try $0.troubles() }.isEmpty, comment)
    }
  }
}

extension Device {
  fileprivate func write(_ note: String, on title: String) throws {
    let todo = try todo(title)
    try database.write { _ = try $0.setNote(try Note(note), of: todo) }
  }

  fileprivate func tag(_ tag: String, on title: String) throws {
    let todo = try todo(title)
    try database.write { _ = try $0.addTag(try Tag(tag), to: todo) }
  }
}
