import CloudAPI
import Dates
import Sharing
import Signing
import TestSupport
import Testing
import Treesystem

@testable import TodoCLI
@testable import TodoCore

/// What is exported says of each comment and note whose words they are, and by whose word.
@Suite struct ExportedDeedTests {
  @Test func whoPassesSomethingOnStandsInTheFile() async throws {
    let stage = try await Stage()
    let (alice, mallory, carol) = (stage.alice, try stage.mallory.user(), stage.carol)
    let me = try alice.user()
    let milk = try alice.todo("Milk")
    try alice.database.write { _ = try $0.addComment(Note("half fat"), to: milk) }
    try await settle(alice, stage.mallory)
    let hand = try Hand(stage.mallory, on: stage.branch)
    let replica = try #require(try alice.database.read { try $0.knownReplica() })
    let now = stage.world.clock.now()
    var said = Document()
    try said.write(.kind, Array("comment".utf8), now: now, replica: replica)
    try said.write(.writer, me.bytes, now: now, replica: replica)
    try said.add(Field.note.rawValue, Array("I will pay".utf8), now: now, replica: replica)
    let id = CloudID.random(SystemEntropy())
    let sheet = try hand.todo(named: id.description, below: "Milk", node: id, document: said.bytes)
    #expect(try await stage.send(hand.sign(sheet)) == "accepted")
    try await stage.mallory.sync()
    let next = try Hand(stage.mallory, on: stage.branch)
    let eggs = try stage.mallory.todo("Eggs")
    var noted = try #require(try stage.mallory.database.read { try $0.document(of: eggs.node, in: .todos) }).document
    try noted.add(Field.note.rawValue, Array("a dozen".utf8), now: now, replica: replica)
    #expect(try await stage.send(next.sign(next.next(ofNode: eggs.node, document: noted.bytes))) == "accepted")
    try await settle(carol)
    let text = try carol.database.read { transaction in
      ExchangeFormat.json.write(try transaction.entries(of: [], trash: true).map(\.entry), zone: .utc, now: 0)
    }
    #expect(text.contains(#""writer_id":"\#(me)","text":"half fat""#))
    #expect(text.contains(#""writer_id":"\#(me)","via_id":"\#(mallory)","text":"I will pay""#))
    #expect(text.contains(#""notes":["a dozen"],"note_writers":[{"writer_id":"\#(me)","via_id":"\#(mallory)"}]"#))
  }
}
