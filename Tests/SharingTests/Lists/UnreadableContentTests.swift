import CloudAPI
import Sealing
import Sharing
import Signing
import TestSupport
import Testing
import Treesystem

@testable import TodoCore

/// A member writes what nobody can read. Where a node hangs does not depend on that, nor what hangs below it.
@Suite struct UnreadableContentTests {
  private enum Junk: CaseIterable {
    case noDocument, tooLong, endOfTime, doesNotOpen
  }

  private let stage: Stage
  private let tablet: Device

  init() async throws {
    stage = try await Stage()
    let milk = try stage.alice.todo("Milk")
    _ = try stage.alice.database.write { try $0.addComment(Note("half fat"), to: milk) }
    try await settle(stage.alice, stage.mallory, stage.carol)
    tablet = try stage.world.device("tablet")
  }

  @Test(arguments: Junk.allCases)
  private func aListThatCannotBeReadIsThere(_ junk: Junk) async throws {
    try await send(junk, as: try stage.mallory.database.read { try $0.lists()[0].node }, in: .lists)
    try await logIn()
    // Nobody who had it has synced yet.
    #expect(try tablet.listNames() == ["Groceries"])
    #expect(try tablet.titles("Groceries") == ["Eggs", "Milk"])
    #expect(try tablet.quarantine().count == 1)
    try tablet.add("Groceries", "Bread")
    try await settle(tablet)
    #expect(try stage.alice.listNames() == ["Groceries"])
    try await letAnHourPass(junk)
    try await settle(stage.alice, tablet, stage.carol)
    for device in [stage.alice, tablet, stage.carol] {
      #expect(try device.database.read { try $0.lists().map(\.title) } == ["Groceries"])
      #expect(try device.titles("Groceries") == ["Bread", "Eggs", "Milk"])
      #expect(try device.quarantine().isEmpty && device.unsent() == 0)
    }
  }

  @Test(arguments: Junk.allCases)
  private func aTodoThatCannotBeReadIsPutAgain(_ junk: Junk) async throws {
    try await send(junk, as: try stage.mallory.todo("Milk").node, in: .todos)
    try await logIn()
    #expect(try tablet.titles("Groceries") == ["", "Eggs"], "its text is not known here")
    #expect(try tablet.unsent() == 0, "who has nothing of it writes nothing")
    try await letAnHourPass(junk)
    try await settle(stage.alice, tablet, stage.carol)
    for device in [stage.alice, tablet, stage.carol] {
      #expect(try device.titles("Groceries") == ["Eggs", "Milk"])
      let milk = try device.todo("Milk")
      #expect(try device.database.read { try $0.comments(of: milk).map(\.text) } == ["half fat"])
      #expect(try device.quarantine().isEmpty && device.unsent() == 0)
    }
  }

  /// Who may only read shows what a device does that comes now, until somebody puts the todo again.
  @Test(arguments: Junk.allCases)
  private func whoMayOnlyReadShowsWhatTheListHas(_ junk: Junk) async throws {
    try await send(junk, as: try stage.mallory.todo("Milk").node, in: .todos)
    try await stage.carol.sync()
    if junk == .endOfTime {
      stage.world.clock.advance(60 * 60 * 1000)
      try await stage.carol.sync()
    }
    #expect(try stage.carol.titles("Groceries") == ["", "Eggs"])
    try await letAnHourPass(junk)
    try await settle(stage.alice, stage.carol)
    #expect(try stage.carol.titles("Groceries") == ["Eggs", "Milk"])
    #expect(try stage.carol.quarantine().isEmpty && stage.carol.unsent() == 0)
  }

  /// Whoever takes the todo elsewhere meanwhile has seen what there was to see, and waits for nothing.
  @Test(arguments: [Junk.noDocument, .doesNotOpen])
  private func junkBelowATodoKeepsNobodyFromMovingIt(_ junk: Junk) async throws {
    let alice = stage.alice
    _ = try alice.add("Private")
    try await settle(alice)
    try alice.move("Milk", to: "Private")
    let hand = try Hand(stage.mallory, on: stage.branch)
    var sheet = try hand.todo(named: "note", below: "Milk", document: [0xFF, 0xFF])
    if junk == .doesNotOpen { try seal(&sheet, with: hand) }
    #expect(try await stage.send(hand.sign(sheet)) == "accepted")
    try await settle(alice, stage.mallory)
    #expect(try alice.titles("Private") == ["Milk"] && alice.titles("Groceries") == ["Eggs"])
    #expect(try stage.mallory.titles("Groceries") == ["Eggs"])
    #expect(try alice.unsent() == 0)
  }

  /// What is ahead of the time is judged a second time before anybody writes over it.
  private func letAnHourPass(_ junk: Junk) async throws {
    guard junk == .endOfTime else { return }
    try await stage.alice.sync()
    #expect(try stage.alice.quarantine().map(\.reason) == [.stampAhead])
    stage.world.clock.advance(60 * 60 * 1000)
  }

  /// Under another key.
  private func seal(_ sheet: inout Hand.Sheet, with hand: Hand) throws {
    let key = NodeKey(branch: stage.branch, node: .random(hand.entropy), secret: SecretBytes(hand.entropy.bytes(32)))
    let (reference, content) = hand.seal([0xFF, 0xFF], .data, key)
    let kept = sheet.header.contents.filter { $0.section == .metadata }
    let bytes = Set(kept.map { $0.content.bytes })
    sheet.contents = sheet.contents.filter { bytes.contains(Array($0.content)) } + [content]
    sheet.header.contents = kept + [reference]
  }

  private func send(_ junk: Junk, as node: NodeID, in table: DocumentTable) async throws {
    let document = try #require(try stage.mallory.database.read { try $0.document(of: node, in: table) }).document
    let replica = try #require(Replica(bytes: [UInt8](repeating: 7, count: 8)))
    let now = UInt64(stage.world.clock.now())
    let bytes: [UInt8] =
      switch junk {
      case .noDocument, .doesNotOpen: [0xFF, 0xFF]
      case .tooLong:
        with(
          Register(
            field: Field.kind.rawValue, value: [UInt8](repeating: 0x61, count: 129),
            stamp: Stamp(time: now, replica: replica)),
          document)
      case .endOfTime:
        with(
          Register(field: Field.title.rawValue, value: Array("mine".utf8), stamp: Stamp(time: .max, replica: replica)),
          document)
      }
    let hand = try Hand(stage.mallory, on: stage.branch)
    var sheet = try hand.next(ofNode: node, document: bytes)
    if junk == .doesNotOpen { try seal(&sheet, with: hand) }
    #expect(try await stage.send(hand.sign(sheet)) == "accepted")
  }

  private func with(_ register: Register, _ document: Document) -> [UInt8] {
    Document(
      registers: document.registers.filter { $0.field != register.field } + [register], elements: document.elements,
      context: document.context, deleted: document.deleted, unknown: []
    ).bytes
  }

  private func logIn() async throws {
    let root = try #require(try stage.alice.database.read { try $0.root() })
    try await tablet.session.logIn(root: root, handle: "alice", server: "test")
    try await tablet.sync()
  }
}
