import CloudAPI
import CloudServer
import Foundation
import GRDB
import Lies
import Sealing
import Sharing
import Signing
import TestSupport
import Testing
import TodoCore

@testable import Treesystem

/// Mallory, an editor, writes a row of a todo that nobody can believe. Who reads the list for the first time has nothing of the todo then, and
/// an old and a new device show the same.
@Suite struct UnbelievableRowTests {
  enum Row: CaseIterable {
    /// A token that is not its name's, a key that is wrapped for nobody, a place below what is none, and no name at all.
    case name, key, place, nameless
  }

  private let stage: Stage

  init() async throws { stage = try await Stage() }

  @Test(arguments: [Row.name, .place, .nameless]) func whoHasTheTodoPutsItAgain(_ row: Row) async throws {
    try await send(row, of: "Milk")
    let tablet = try await stage.alice.second("tablet", "alice", in: stage.world)
    #expect(try tablet.titles("Groceries") == ["Eggs"], "nobody who had it has synced yet")
    try await settle(stage.alice, tablet, stage.carol)
    for device in [stage.alice, tablet, stage.carol] {
      #expect(try device.titles("Groceries") == ["Eggs", "Milk"])
      let reasons = try Set(device.quarantine().map(\.reason))
      #expect(try reasons.isSubset(of: [.nameTokenWrong, .malformed]) && device.unsent() == 0)
    }
  }

  @Test(arguments: [Row.name, .place, .nameless]) func whoMayOnlyReadShowsWhatTheListHas(_ row: Row) async throws {
    let alices = try stage.alice.todo("Milk")
    _ = try stage.alice.database.write { try $0.addComment(Note("half fat"), to: alices) }
    try await settle(stage.alice, stage.mallory, stage.carol)
    try await send(row, of: "Milk")
    try await stage.carol.sync()
    #expect(try stage.carol.titles("Groceries") == ["Eggs"])
    try await settle(stage.alice, stage.carol)
    #expect(try stage.carol.titles("Groceries") == ["Eggs", "Milk"])
    let milk = try stage.carol.todo("Milk")
    #expect(try stage.carol.database.read { try $0.comments(of: milk).map(\.text) } == ["half fat"])
  }

  /// Alice hung Eggs below Fruit, which mallory spoils. Who has neither from before does not put Eggs where it was: alice has Fruit.
  @Test func whatSomebodyElseHungBelowItWaitsForItsHolder() async throws {
    let alice = stage.alice
    let tablet = try await alice.second("tablet", "alice", in: stage.world)
    try alice.add("Groceries", "Fruit")
    let (eggs, fruit) = (try alice.todo("Eggs"), try alice.todo("Fruit"))
    _ = try alice.database.write { try $0.moveTodo(eggs, below: fruit) }
    try await settle(alice, stage.mallory)
    try await send(.name, of: "Fruit")
    try await tablet.sync()
    #expect(try tablet.unsent() == 0 && tablet.quarantine().map(\.reason).contains(.parentWrong))
    try await settle(alice, tablet)
    let below = try tablet.todo("Eggs")
    #expect(try tablet.database.read { try $0.node(below.node)?.parent } == tablet.todo("Fruit").node)
  }

  /// What a server keeps back is not its writer's fault, and takes nothing from anybody.
  @Test func aRowThatIsKeptBackIsNoReason() async throws {
    let alice = stage.alice
    let branch = stage.branch
    try stage.mallory.add("Groceries", "Fruit")
    try await settle(stage.mallory)
    let line = try #require(try stage.world.storage.read { try $0.head(of: branch) }).line
    let hand = try Hand(stage.mallory, on: branch)
    let (name, fruit, key) = try stage.mallory.database.read { transaction in
      let eggs = try #require(try transaction.node(stage.mallory.todo("Eggs", transaction).node))
      let fruit = try #require(try transaction.node(stage.mallory.todo("Fruit", transaction).node))
      let key = try #require(try transaction.nameKey(of: fruit.id))
      return (eggs.name, try #require(fruit.cloudID), SecretBytes(column: key))
    }
    let eggs = try hand.next("Eggs") { ($0.parent, $0.nameToken) = (fruit, nameToken(name, key: key)) }
    #expect(try await stage.send(hand.sign(eggs)) == "accepted")
    alice.transport.setTamper { request, response in
      Lie(branch: branch).page(response, to: request) { page in page.rows.removeAll { $0.line == line } }
    }
    try await alice.sync()
    #expect(try Set(alice.quarantine().map(\.reason)) == [.rowMissing, .parentWrong])
    #expect(try alice.titles("Groceries") == ["Eggs", "Milk"] && alice.unsent() == 0)
  }

  /// The todo went to another list, and its id came back as something else: what is here of it is from before.
  @Test(arguments: [Row.name, .key]) func whatWasDeletedBeforeIsNotPutAgain(_ row: Row) async throws {
    let (alice, mallory) = (stage.alice, stage.mallory)
    try alice.add("Private", "Bread")
    try await settle(alice, mallory)
    let tablet = try await alice.second("tablet", "alice", in: stage.world)
    let id = try #require(try alice.database.read { try $0.node(alice.todo("Milk", $0).node)?.cloudID })
    try alice.move("Milk", to: "Private")
    try await settle(alice, mallory)
    let hand = try Hand(mallory, on: stage.branch)
    let state = try mallory.database.read { transaction in
      try #require(try transaction.branch(stage.branch).flatMap { try transaction.state(of: id, in: $0) })
    }
    let sheet = try hand.todo(like: "Eggs", node: id) {
      ($0.version, $0.previous, $0.revived) = (state.lines + 1, state.hash, state.lines + 1)
      switch row {
      case .key: $0.wrappedKey = hand.entropy.bytes($0.wrappedKey.count)
      case .name, .place, .nameless: $0.nameToken = digest(.contentHash, [0])
      }
    }
    #expect(try await stage.send(hand.sign(sheet)) == "accepted")
    try await settle(tablet, alice)
    for device in [tablet, alice] {
      #expect(try device.titles("Groceries") == ["Eggs"] && device.titles("Private") == ["Bread", "Milk"])
      #expect(try device.unsent() == 0)
    }
  }

  /// Mallory hangs the todo below what hangs below a pointer to a list of alice's that was not made there: alice's devices refuse it, and it leads nobody anywhere.
  @Test func whatHangsBelowARefusedPointerIsPutAgain() async throws {
    let (alice, entropy) = (stage.alice, SystemEntropy())
    try alice.add("Private", "Bread")
    try await settle(alice)
    let hand = try Hand(stage.mallory, on: stage.branch)
    let pointer = try hand.pointer(
      named: CloudID.random(entropy).description, to: alice.branch("Private"), of: alice.user(), first: .random(entropy)
    )
    #expect(try await stage.send(hand.sign(pointer)) == "accepted")
    let between = try hand.todo { ($0.parent, $0.nameToken) = (pointer.header.cloudID, digest(.contentHash, [1])) }
    #expect(try await stage.send(hand.sign(between)) == "accepted")
    let milk = try hand.next("Milk") {
      ($0.parent, $0.nameToken) = (between.header.cloudID, digest(.contentHash, [0]))
    }
    #expect(try await stage.send(hand.sign(milk)) == "accepted")
    try await settle(alice)
    let tablet = try await alice.second("tablet", "alice", in: stage.world)
    try await settle(tablet, stage.carol)
    for device in [alice, tablet, stage.carol] {
      #expect(try device.titles("Groceries") == ["Eggs", "Milk"] && device.unsent() == 0)
    }
    for device in [alice, tablet] {
      #expect(try Set(device.quarantine().map(\.reason)) == [.firstRecordWrong, .parentWrong])
    }
  }

  /// Alice is about to end the list, and may think again: until she has, nothing is put, and nothing of hers goes.
  @Test func whoIsAboutToEndTheListKeepsTheTodo() async throws {
    let alice = stage.alice
    let milk = try alice.todo("Milk").node
    try await send(.name, of: "Milk")
    let list = try alice.database.read { try alice.todo("Milk", $0).list }
    try alice.database.write { _ = try $0.close(list) }
    alice.transport.setStandIn { $0.path == Route.batch.path ? CloudResponse(status: 503) : nil }
    _ = try? await alice.sync()
    #expect(try alice.quarantine().map(\.reason) == [.nameTokenWrong])
    #expect(try alice.database.read { try $0.node(milk) } != nil)
  }

  private func send(_ row: Row, of title: String) async throws {
    let hand = try Hand(stage.mallory, on: stage.branch)
    let sheet: Hand.Sheet
    switch row {
    case .name: sheet = try hand.next(title) { $0.nameToken = digest(.contentHash, [0]) }
    case .key: sheet = try hand.next(title) { $0.wrappedKey = hand.entropy.bytes($0.wrappedKey.count) }
    case .nameless:
      var bent = try hand.next(title)
      var metadata = SealedNodeMetadata()
      metadata.nameKey = data(hand.entropy.bytes(32))
      let sealed = hand.seal(encode(metadata), .metadata, bent.key)
      bent.header.contents = bent.header.contents.filter { $0.section != .metadata } + [sealed.0]
      bent.contents = [sealed.1]
      let key = try stage.mallory.database.read { transaction in
        let todo = try transaction.node(stage.mallory.todo(title, transaction).node)
        return try #require(try todo?.parent.flatMap { try transaction.nameKey(of: $0) })
      }
      bent.header.nameToken = nameToken("", key: SecretBytes(column: key))
      sheet = bent
    case .place:
      let nothing = try hand.todo { $0.nameToken = digest(.contentHash, [1]) }
      #expect(try await stage.send(hand.sign(nothing)) == "accepted")
      sheet = try hand.next(title) {
        $0.parent = nothing.header.cloudID
        $0.nameToken = digest(.contentHash, [0])
      }
    }
    let outcome = try await stage.send(hand.sign(sheet))
    #expect(outcome == "accepted")
  }
}
