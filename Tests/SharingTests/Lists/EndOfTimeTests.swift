import CloudAPI
import Foundation
import GRDB
import Signing
import SwiftProtobuf
import TestSupport
import Testing
import Treesystem

@testable import Sharing
@testable import TodoCore

/// Stamps that no honest clock gives: nobody has the last word for ever.
@Suite struct EndOfTimeTests {
  private static let hour: UInt64 = 60 * 60 * 1000
  private static let replica = Replica(bytes: [UInt8](repeating: 0xFF, count: 8))

  /// Mallory's next version of a todo, as their changed client writes it.
  private func version(
    _ stage: Stage, of todo: String = "Milk", title: String, at time: UInt64, history: [Register] = []
  ) throws -> Draft {
    let hand = try Hand(stage.mallory, on: stage.branch)
    let (written, replica) = (try stage.mallory.todo(todo), try #require(Self.replica))
    let stored = try stage.mallory.database.read { try $0.document(of: written.node, in: .todos) }
    var document = try #require(stored).document
    let stamp = Stamp(time: time, replica: replica)
    document = Document(
      registers: document.registers + [Register(field: Field.title.rawValue, value: Array(title.utf8), stamp: stamp)],
      elements: document.elements, context: document.context, deleted: document.deleted, unknown: [])
    var sheet = try hand.next(todo)
    let sealed = [hand.seal(document.bytes, .data, sheet.key), hand.seal(History(history).bytes, .history, sheet.key)]
    sheet.header.contents = sheet.header.contents.filter { $0.section == .metadata } + sealed.map(\.0)
    sheet.contents = sealed.map(\.1)
    return hand.sign(sheet)
  }

  private func now(_ stage: Stage) -> UInt64 { UInt64(stage.world.clock.now()) }

  private func reasons(_ device: Device) throws -> [Refusal] { try device.quarantine().map(\.reason) }

  @Test func aTitleFromTheEndOfTimeIsAnswered() async throws {
    let stage = try await Stage()
    #expect(try await stage.send(version(stage, title: "mine for ever", at: .max)) == "accepted")
    try await stage.alice.sync()
    #expect(try reasons(stage.alice) == [.stampAhead])
    // An hour later it is put again as it was, by whoever had it and may write.
    stage.world.clock.advance(Int64(Self.hour))
    try await stage.alice.sync()
    #expect(try stage.alice.titles("Groceries") == ["Eggs", "Milk"])
    #expect(try reasons(stage.alice).isEmpty)
    try stage.alice.edit("Milk", to: "Oat milk")
    try await settle(stage.alice, stage.carol, stage.mallory)
    for device in [stage.alice, stage.carol, stage.mallory] {
      #expect(try device.titles("Groceries") == ["Eggs", "Oat milk"])
      #expect(try device.quarantine().isEmpty && device.unsent() == 0)
    }
  }

  /// Clocks are wrong by hours, and a zone is taken for another one.
  @Test func hoursAheadAreBelieved() async throws {
    let stage = try await Stage()
    _ = try await stage.send(version(stage, title: "Oat milk", at: now(stage) + 23 * Self.hour))
    try await stage.alice.sync()
    #expect(try stage.alice.titles("Groceries") == ["Eggs", "Oat milk"])
    try stage.alice.edit("Oat milk", to: "Soy milk")
    try await settle(stage.alice, stage.carol)
    #expect(try stage.carol.titles("Groceries") == ["Eggs", "Soy milk"])
  }

  /// Clocks differ, so nobody writes over it at once. A device that comes meanwhile has the todo, and not its text.
  @Test func itIsJudgedAgainWhenItsTimeHasCome() async throws {
    let stage = try await Stage()
    _ = try await stage.send(version(stage, title: "Oat milk", at: now(stage) + 25 * Self.hour))
    try await stage.alice.sync()
    #expect(try reasons(stage.alice) == [.stampAhead] && stage.alice.titles("Groceries") == ["Eggs", "Milk"])
    let tablet = try await stage.alice.second("tablet", "alice", in: stage.world)
    try await tablet.sync()
    #expect(try tablet.titles("Groceries") == ["", "Eggs"] && stage.alice.unsent() == 0)
    stage.world.clock.advance(Int64(Self.hour))
    for device in [stage.alice, tablet] {
      try await device.sync()
      #expect(try device.quarantine().isEmpty && device.titles("Groceries") == ["Eggs", "Oat milk"])
    }
  }

  /// Else nobody waits: who has the todo puts it again, so that a device that comes later has its text too.
  @Test func whatIsDaysAheadIsPutAgainAfterAnHour() async throws {
    let stage = try await Stage()
    _ = try await stage.send(version(stage, title: "Oat milk", at: now(stage) + 48 * Self.hour))
    try await stage.alice.sync()
    stage.world.clock.advance(Int64(Self.hour) - 1)
    try await stage.alice.sync()
    #expect(try reasons(stage.alice) == [.stampAhead] && stage.alice.unsent() == 0)
    stage.world.clock.advance(Int64(Self.hour))
    try await settle(stage.alice, stage.carol)
    let tablet = try await stage.alice.second("tablet", "alice", in: stage.world)
    try await tablet.sync()
    for device in [stage.alice, stage.carol, tablet] {
      #expect(try device.quarantine().isEmpty && device.titles("Groceries") == ["Eggs", "Milk"])
    }
  }

  /// A device whose clock is wrong would answer too: so each version waits its own hour, whatever else of the list is due.
  @Test func whatIsDueMakesNothingElseDue() async throws {
    let stage = try await Stage()
    let ahead = now(stage) + 72 * Self.hour
    _ = try await stage.send(version(stage, of: "Eggs", title: "Goose eggs", at: ahead))
    try await stage.alice.sync()
    stage.world.clock.advance(Int64(Self.hour))
    _ = try await stage.send(version(stage, title: "Oat milk", at: ahead))
    try await stage.alice.sync()
    #expect(try reasons(stage.alice) == [.stampAhead], "the eggs are answered, and not yet the milk")
    stage.world.clock.advance(Int64(Self.hour))
    try await stage.alice.sync()
    #expect(try reasons(stage.alice).isEmpty && stage.alice.titles("Groceries") == ["Eggs", "Milk"])
  }

  @Test func aHistoryFromTheEndOfTimeIsNotBelieved() async throws {
    let stage = try await Stage()
    let junk = try (0..<32).map { index in
      Register(
        field: Field.title.rawValue, value: [UInt8](repeating: UInt8(65 + index), count: 3),
        stamp: Stamp(time: .max, replica: try #require(Self.replica)))
    }
    _ = try await stage.send(version(stage, title: "Oat milk", at: now(stage) + 1, history: junk))
    try await stage.alice.sync()
    try await stage.carol.sync()
    for device in [stage.alice, stage.carol] {
      #expect(try reasons(device) == [.stampAhead] && device.titles("Groceries") == ["Eggs", "Milk"])
      let milk = try device.todo("Milk")
      #expect(try device.database.read { try $0.earlierTitles(of: milk) }.isEmpty)
    }
  }

  /// A history that is full of stamps which anybody might have does not take what was here.
  @Test func whatIsWrittenOverStaysHere() async throws {
    let stage = try await Stage()
    let start = now(stage) + Self.hour
    let junk = try (0..<32).map { index in
      Register(
        field: Field.title.rawValue, value: Array("junk \(index)".utf8),
        stamp: Stamp(time: start + UInt64(index), replica: try #require(Self.replica)))
    }
    _ = try await stage.send(version(stage, title: "Oat milk", at: start + 99, history: junk))
    try await stage.alice.sync()
    let todo = try stage.alice.todo("Oat milk")
    #expect(try stage.alice.database.read { try $0.earlierTitles(of: todo) }.contains("Milk"))
    // Each of mallory's further titles takes the place of one of their own.
    for round in 0..<40 {
      try await stage.mallory.sync()
      let last = try stage.mallory.todo(round == 0 ? "Oat milk" : "spam \(round - 1)")
      try stage.mallory.database.write { try $0.setTitle(Title("spam \(round)"), of: last) }
      try await settle(stage.mallory, stage.alice)
    }
    let spam = try stage.alice.todo("spam 39")
    #expect(try stage.alice.database.read { try $0.earlierTitles(of: spam) }.contains("Milk"))
    stage.world.clock.advance(31 * 24 * Int64(Self.hour))
    try await stage.alice.sync()
    #expect(try !stage.alice.database.read { try $0.earlierTitles(of: spam) }.contains("Milk"))
  }

  /// Alice, with a clock of her own, shares a list with bob.
  private func friends() async throws -> (world: World, clock: ManualClock, alice: Device, bob: Device) {
    let world = try World(seed: "a clock that jumps")
    let clock = ManualClock(world.clock.now())
    let alice = try Device(
      path: world.folder.appendingPathComponent("alice.db").path, transport: InProcessTransport(world.cloud),
      clock: clock, entropy: SeededEntropy("jump"))
    try await alice.session.signUp(handle: "alice", server: "test")
    let bob = try await world.person("bob")
    try alice.add("Groceries", "Milk")
    try await alice.share("Groceries", with: "bob")
    try await settle(alice, bob)
    try bob.accept()
    try await settle(bob, alice)
    return (world, clock, alice, bob)
  }

  /// The same where this device finds that it has another life, and writes on under another replica.
  @Test func whatAWrongClockWroteIsBroughtBackInANewLife() async throws {
    let (world, clock, alice, bob) = try await friends()
    let copy = world.folder.appendingPathComponent("copy.db").path
    try await DatabaseQueue(path: alice.path).writeWithoutTransaction { db in
      try db.execute(sql: "VACUUM INTO ?", arguments: [copy])
    }
    try alice.edit("Milk", to: "Oat milk")
    try await alice.sync()
    let again = try Device(
      path: copy, transport: InProcessTransport(world.cloud), clock: clock, entropy: SeededEntropy("again"))
    clock.advance(48 * Int64(Self.hour))
    try again.edit("Milk", to: "Soy milk")
    try again.edit("Soy milk", to: "Rice milk")
    clock.advance(-48 * Int64(Self.hour))
    try await settle(again, bob)
    for device in [again, bob] {
      let rice = try device.todo("Rice milk")
      #expect(try device.database.read { try Set($0.earlierTitles(of: rice)) } == ["Milk", "Oat milk", "Soy milk"])
    }
  }

  /// A clock that went back takes nothing from what was there: what is written by it comes after what its author had seen.
  @Test func whatAClockThatWentBackWroteComesLast() async throws {
    let (_, clock, alice, bob) = try await friends()
    clock.advance(-400 * 24 * Int64(Self.hour))
    try alice.edit("Milk", to: "Oat milk")
    try await settle(alice, bob)
    #expect(try bob.titles("Groceries") == ["Oat milk"])
    #expect(try bob.quarantine().isEmpty && alice.quarantine().isEmpty)
  }

  /// What was brought back can be taken back: an action names what it wrote as it stands now.
  @Test func whatWasBroughtBackCanBeUndone() async throws {
    let (world, clock, alice, bob) = try await friends()
    let milk = try alice.todo("Milk")
    clock.advance(400 * 24 * Int64(Self.hour))
    try alice.database.write { transaction in
      try transaction.asAction { _ = try transaction.addTag(Tag("due"), to: milk) }
      try transaction.asAction { _ = try transaction.setNote(Note("2 litres"), of: milk) }
      try transaction.asAction { _ = try transaction.setTitle(Title("Oat milk"), of: milk) }
    }
    try await settle(alice, bob)
    clock.advance(world.clock.now() - clock.now())
    let oat = try bob.todo("Oat milk")
    #expect(try bob.database.read { try $0.notes(of: oat) } == ["2 litres"] && oat.tags == ["due"])
    for _ in 0..<3 {
      let undone = try alice.database.write { try $0.undo() }
      #expect(undone?.steps.map(\.isKept) == [false])
    }
    try await settle(alice, bob)
    let again = try bob.todo("Milk")
    #expect(try bob.database.read { try $0.notes(of: again) }.isEmpty && again.tags.isEmpty)
  }

  /// A clock that jumped ahead hurts nobody: what was written by it is brought back before it is sent.
  @Test func whatAWrongClockWroteIsBroughtBack() async throws {
    let (world, clock, alice, bob) = try await friends()
    clock.advance(400 * 24 * Int64(Self.hour))
    try alice.edit("Milk", to: "Oat milk")
    try alice.edit("Oat milk", to: "Soy milk")
    try alice.add("Groceries", "Eggs")
    try await settle(alice, bob)
    #expect(try bob.titles("Groceries") == ["Eggs", "Soy milk"])
    #expect(try bob.quarantine().isEmpty && alice.quarantine().isEmpty)
    for device in [alice, bob] {
      let soy = try device.todo("Soy milk")
      #expect(try device.database.read { try $0.earlierTitles(of: soy) }.contains("Oat milk"))
    }
    world.clock.advance(1000)
    try bob.edit("Soy milk", to: "Rice milk")
    try await settle(bob, alice)
    #expect(try alice.titles("Groceries") == ["Eggs", "Rice milk"])
  }

  /// What was taken in before this was judged is answered as well.
  @Test func aDocumentFromTheEndOfTimeThatIsHereCanBeWritten() async throws {
    let stage = try await Stage()
    let milk = try stage.alice.todo("Milk")
    try stage.alice.database.write { transaction in
      var stored = try #require(try transaction.document(of: milk.node, in: .todos))
      try stored.change { document in
        try document.write(.title, Array("for ever".utf8), now: .max, replica: try #require(Self.replica))
      }
      var document = stored.document
      document.registers = document.registers.map { register in
        var register = register
        if register.field == Field.title.rawValue { register.stamp.time = .max }
        return register
      }
      document.context.add(Stamp(time: .max, replica: try #require(Self.replica)))
      try transaction.store(
        VersionedDocument(document, history: stored.history), of: milk.id, node: milk.node, list: milk.list)
    }
    try stage.alice.edit("for ever", to: "Oat milk")
    try await settle(stage.alice, stage.carol, stage.mallory)
    for device in [stage.alice, stage.carol, stage.mallory] {
      #expect(try device.titles("Groceries") == ["Eggs", "Oat milk"])
    }
  }
}

/// Messages of a year that nobody sees.
@Suite struct LastWordTests {
  @Test func aMessageOfTheYear9999IsNotTheLastForEver() async throws {
    let talk = try await Talk("alice", "bob", seed: "last word")
    try talk.say("one", from: "alice", to: "bob")
    try await talk.sync("alice", "bob")
    // It counts as said when it is read: in the millisecond of the first one their ids would decide.
    talk.world.clock.advance(1000)
    try talk.say("for ever", from: "bob", to: "alice")
    try talk["bob"].database.write { transaction in
      let row = try #require(try Row.fetchOne(transaction.db, sql: "SELECT node, message FROM outgoing"))
      var message = try SealedMessage(serializedBytes: row[1] as Data)
      message.post.number = 253_370_764_800_000
      message.sent = 253_370_764_800_000
      try transaction.db.execute(
        sql: "UPDATE outgoing SET message = ? WHERE node = ?",
        arguments: [message.serializedData() as Data, row[0] as NodeID])
    }
    try await talk.sync("bob", "alice")
    talk.world.clock.advance(60_000)
    try talk.say("two", from: "alice", to: "bob")
    #expect(try talk.texts("alice") == ["one", "for ever", "two"])
    let posts = try talk["alice"].database.read { transaction in
      try transaction.conversations().flatMap { try transaction.messages(in: $0.id, limit: 9) }
    }
    #expect(posts.allSatisfy { $0.sent <= talk.world.clock.now() })
  }
}
