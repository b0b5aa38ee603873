import CloudAPI
import CloudServer
import GRDB
import Sharing
import Signing
import TestSupport
import Testing
import Treesystem

@testable import TodoCore

/// What people say about a todo.
@Suite struct CommentTests {
  @Test func bothCommentOfflineAndBothAreThereOnBoth() async throws {
    let (alice, bob, world) = try await sharedList(seed: "comments")
    alice.transport.setCloud(nil)
    bob.transport.setCloud(nil)
    try alice.comment("Milk", "half fat")
    world.clock.advance(10)
    try bob.comment("Milk", "the blue one")
    alice.transport.setCloud(world.cloud)
    bob.transport.setCloud(world.cloud)
    try await settle(alice, bob)
    let tablet = try await alice.second("tablet", "alice", in: world)
    try await settle(tablet)
    for device in [alice, bob, tablet] {
      #expect(try device.comments("Milk") == ["alice: half fat", "bob: the blue one"])
      #expect(try device.quarantine().isEmpty && device.unsent() == 0)
      #expect(try device.titles("Groceries") == ["Milk"])
    }
    #expect(try alice.database.write { try $0.nodesWithWrongColumns(mending: false) }.isEmpty)
    withExtendedLifetime(world) {}
  }

  /// An answer stands behind what it answers, whatever the clocks say; but a clock that is wrong by years pulls nobody along.
  @Test func anAnswerStandsBehindWhatItAnswers() async throws {
    let (alice, bob, world) = try await sharedList(seed: "answers")
    world.clock.advance(60 * 60 * 1000)
    try bob.comment("Milk", "which one?")
    try await settle(bob, alice)
    world.clock.advance(-60 * 60 * 1000)
    try alice.comment("Milk", "the blue one")
    try await settle(alice, bob)
    #expect(try bob.comments("Milk") == ["bob: which one?", "alice: the blue one"])
    world.clock.advance(1000 * 24 * 60 * 60 * 1000)
    try bob.comment("Milk", "from the future")
    try await settle(bob, alice)
    world.clock.advance(-1000 * 24 * 60 * 60 * 1000)
    let now = world.clock.now()
    let milk = try alice.todo("Milk")
    let comment = try alice.database.write { try $0.addComment(Note("now"), to: milk) }
    #expect(comment.time < now + 2 * 60 * 60 * 1000)
  }

  @Test func commentsGoAndComeBackWithTheirTodo() async throws {
    let (alice, bob, _) = try await sharedList(seed: "trash of comments")
    try bob.comment("Milk", "the blue one")
    try await settle(bob, alice)
    let (milk, bobs) = (try alice.todo("Milk"), try bob.todo("Milk"))
    try alice.database.write { try $0.removeTodo(milk) }
    try await settle(alice, bob)
    try bob.database.write { try $0.restoreTodo(try #require(try $0.todo(bobs.node))) }
    try await settle(bob, alice)
    #expect(try alice.comments("Milk") == ["bob: the blue one"])
    try alice.database.write { try $0.delete(milk.node) }
    try await settle(alice, bob)
    for (device, milk) in [(alice, milk), (bob, bobs)] {
      #expect(try device.database.read { try $0.comments(of: milk) }.isEmpty)
      #expect(try device.titles("Groceries").isEmpty && device.unsent() == 0)
    }
  }

  /// Nobody deletes for good what somebody has said and they have not read.
  @Test func aCommentKeepsATodoThatIsDeletedWithoutHavingReadIt() async throws {
    let (alice, bob, _) = try await sharedList(seed: "unread comment")
    try bob.comment("Milk", "still needed")
    try await settle(bob)
    let milk = try alice.todo("Milk")
    try alice.database.write { try $0.delete(milk.node) }
    try await settle(alice, bob, alice)
    for device in [alice, bob] { #expect(try device.comments("Milk") == ["bob: still needed"]) }
  }

  /// Whoever takes a todo to another list signs what is below it; whose words it is, their own signature says.
  @Test func whoMovesATodoPassesOnWhatOthersSaid() async throws {
    let (alice, bob, _) = try await sharedList(seed: "moved comment")
    try bob.comment("Milk", "the blue one")
    try await settle(bob, alice)
    let market = try alice.database.write { try $0.makeList("Market") }
    let milk = try alice.todo("Milk")
    try alice.database.write { try $0.moveTodo(milk, to: market.node) }
    try await alice.share("Market", with: "bob")
    try await settle(alice, bob)
    try bob.accept()
    try await settle(bob, alice)
    #expect(try bob.comments("Milk") == ["bob: the blue one"])
    let news = try bob.database.read { try $0.news(below: .seen).map(\.kind) }
    #expect(!news.contains(.commented))
  }

  /// Whoever writes over what somebody said, or says it in their name, is shown; and what was written over comes back. What kind their
  /// document says it is changes nothing about that.
  @Test(arguments: ["comment", "todo", "list", "poll", ""]) func nobodyMakesAComment(kind: String) async throws {
    let stage = try await Stage()
    try stage.alice.comment("Milk", "half fat")
    try await settle(stage.alice, stage.carol, stage.mallory)
    let milk = try stage.mallory.todo("Milk")
    let comment = try #require(try stage.mallory.database.read { try $0.comments(of: milk) }.first)
    #expect(comment.isProven && comment.via == nil)
    let hand = try Hand(stage.mallory, on: stage.branch)
    // The same node with other words, in alice's name and under her signature.
    let said = try stage.mallory.database.read { try $0.document(of: comment.node, in: .todos) }
    let document = try #require(said).document
    let note = try #require(document.elements.first)
    let forged = Document(
      registers: document.registers.map { register in
        guard register.field == Field.kind.rawValue else { return register }
        return Register(field: register.field, value: Array(kind.utf8), stamp: register.stamp)
      },
      elements: [Register(field: note.field, value: Array("pay mallory 900".utf8), stamp: note.stamp)],
      context: document.context, deleted: CausalContext(), unknown: [])
    let forgery = try hand.next(ofNode: comment.node, document: forged.bytes)
    #expect(try await stage.send(hand.sign(forgery)) == "accepted")
    try await settle(stage.alice, stage.carol)
    #expect(try stage.alice.comments("Milk") == ["alice: half fat"])
    #expect(try stage.carol.comments("Milk") == ["alice: half fat"])
    try await settle(stage.mallory)
    #expect(try stage.mallory.comments("Milk") == ["alice: half fat"])
  }

  /// One device knew the comment before it got a todo's name, another one saw it only then: neither puts it back.
  @Test func aCommentThatGetsATodosNameIsATodoForEverybody() async throws {
    let stage = try await Stage()
    try stage.alice.comment("Milk", "half fat")
    try await settle(stage.alice, stage.mallory)
    let (milk, theirs) = (try stage.alice.todo("Milk"), try stage.mallory.todo("Milk"))
    let comment = try #require(try stage.alice.database.read { try $0.comments(of: milk) }.first)
    try stage.mallory.database.write { transaction in
      let node = try #require(try transaction.comments(of: theirs).first).node
      try transaction.db.cachedStatement(sql: "UPDATE nodes SET name = ? WHERE id = ?").execute(
        arguments: [TodoID.draw(SystemEntropy()) { _ in true }.text, node])
      try transaction.queueDataUpload(forNodeID: node)
    }
    try await settle(stage.mallory, stage.carol, stage.alice)
    let end = try stage.world.storage.read { try $0.head(of: stage.branch) }
    for _ in 0..<3 { try await settle(stage.carol, stage.alice) }
    #expect(try stage.world.storage.read { try $0.head(of: stage.branch) } == end)
    for device in [stage.alice, stage.carol] {
      #expect(try device.comments("Milk").isEmpty && device.quarantine().isEmpty && device.unsent() == 0)
    }
    let notes = try stage.alice.database.read { try $0.todo(comment.node).map($0.notes) }
    #expect(notes == ["half fat"])
  }

  /// A kind that nobody knows hides nothing that was said: neither from who had read it nor from who reads it for the first time.
  @Test(arguments: ["poll", ""], [true, false]) func anUnknownKindHidesNoComment(kind: String, isSigned: Bool)
    async throws
  {
    let stage = try await Stage()
    try stage.alice.comment("Milk", "half fat")
    try await settle(stage.alice, stage.carol, stage.mallory)
    let milk = try stage.mallory.todo("Milk")
    let comment = try #require(try stage.mallory.database.read { try $0.comments(of: milk) }.first)
    let hand = try Hand(stage.mallory, on: stage.branch)
    let said = try #require(try stage.mallory.database.read { try $0.document(of: comment.node, in: .todos) }).document
    let kinds = try #require(Replica(bytes: [UInt8](repeating: 0xFE, count: 8)))
    var hidden = Document(
      registers: said.registers.filter { isSigned || $0.field != Field.words.rawValue }, elements: said.elements,
      context: said.context, deleted: CausalContext(), unknown: [])
    try hidden.write(.kind, Array(kind.utf8), now: stage.world.clock.now() + 1000, replica: kinds)
    #expect(try await stage.send(hand.sign(hand.next(ofNode: comment.node, document: hidden.bytes))) == "accepted")
    let tablet = try await stage.alice.second("tablet", "alice", in: stage.world)
    try await settle(stage.alice, stage.carol, tablet)
    for device in [stage.alice, stage.carol, tablet] {
      let texts = try device.comments("Milk")
      #expect(texts.count == 1 && texts[0].hasPrefix("alice: half fat"))
      #expect(try device.quarantine().isEmpty && device.unsent() == 0)
      #expect(try device.titles("Groceries") == ["Eggs", "Milk"])
    }
  }

  /// Words that name somebody who did not sign them stay the word of who did, whoever takes them along.
  @Test(arguments: [Kind.comment, .todo]) func nobodySignsWhatOthersSayInTheirName(kind: Kind) async throws {
    let stage = try await Stage()
    let hand = try Hand(stage.mallory, on: stage.branch)
    let replica = try #require(Replica(bytes: [UInt8](repeating: 7, count: 8)))
    var document = Document()
    let now = stage.world.clock.now()
    try document.write(.kind, Array(kind.rawValue.utf8), now: now, replica: replica)
    try document.write(.writer, stage.alice.user().bytes, now: now, replica: replica)
    try document.add(Field.note.rawValue, Array("I will pay".utf8), now: now, replica: replica)
    let id = CloudID.random(SystemEntropy())
    let sheet = try hand.todo(named: id.description, below: "Milk", node: id, document: document.bytes)
    #expect(try await stage.send(hand.sign(sheet)) == "accepted")
    try await settle(stage.alice, stage.carol)
    #expect(try stage.carol.comments("Milk") == ["alice: I will pay (via mallory)"])
    // Alice takes the todo, with what is below it, to another list that carol reads.
    let milk = try stage.alice.todo("Milk")
    try stage.alice.database.write { transaction in
      let market = try transaction.makeList("Market")
      try transaction.moveTodo(milk, to: market.node)
    }
    try await stage.alice.share("Market", with: "carol")
    try await settle(stage.alice, stage.carol)
    try stage.carol.accept()
    try await settle(stage.carol)
    #expect(try stage.carol.comments("Milk") == ["mallory: I will pay (via alice)"])
  }

  /// A signature counts below a comment, and nowhere else: a todo is joined with what others wrote in it, whatever it says it is.
  @Test func aTodoIsNoCommentOfAnybodys() async throws {
    let (alice, mallory, world) = try await sharedList(seed: "todo as comment")
    alice.transport.setCloud(nil)
    try alice.edit("Milk", to: "Oat milk")
    let (milk, me) = (try mallory.todo("Milk"), try mallory.user())
    try mallory.database.write { transaction in
      let node = try #require(try transaction.node(milk.node))
      var content = try #require(try transaction.document(of: node.id, in: .todos))
      let (now, replica) = (world.clock.now() + 10, try transaction.replica())
      try content.change { document in
        try document.write(.kind, Array(Kind.comment.rawValue.utf8), now: now, replica: replica)
        try document.write(.writer, me.bytes, now: now, replica: replica)
        try document.add(Field.note.rawValue, Array("mine".utf8), now: now, replica: replica)
        try transaction.sign(&document, at: node, now: now, replica: replica)
      }
      try transaction.store(content, of: milk.id, node: node.id, list: milk.list)
      try transaction.queueDataUpload(forNodeID: node.id)
    }
    try await mallory.sync()
    alice.transport.setCloud(world.cloud)
    try await settle(alice, mallory)
    for device in [alice, mallory] { #expect(try device.titles("Groceries") == ["Oat milk"]) }
  }

  /// What is kept of a list keeps its parts where they are and what was said, and says of nothing of others' that it is one's own.
  @Test func whatIsKeptOfAListKeepsItsPartsAndComments() async throws {
    let (alice, bob, world) = try await sharedList(seed: "kept comments")
    try bob.comment("Milk", "the blue one")
    let milk = try bob.todo("Milk")
    try bob.database.write { transaction in
      let part = NewTodo(try Title("half fat"))
      let id = TodoID.draw(transaction.entropy, isFree: { _ in true })
      _ = try transaction.addTodo(part, id: id, at: 0, below: milk.node, of: milk.list)
    }
    try await settle(bob, alice)
    let kept = try alice.database.write { transaction in
      try transaction.keepList(#require(try transaction.lists().first))
    }
    try await settle(alice)
    let tablet = try await alice.second("tablet", "alice", in: world)
    try await settle(tablet)
    for device in [alice, tablet] {
      #expect(try device.comments("Milk").map { $0.hasPrefix("bob: the blue one") } == [true])
      try device.database.read { transaction in
        let list = try #require(try transaction.lists().first { $0.name == kept.name })
        let all = try transaction.todos(in: list.node, .open)
        let part = try #require(all.first { $0.title == "half fat" })
        #expect(try part.parent.flatMap { try transaction.todo($0) }?.title == "Milk")
        let title = try #require(try transaction.document(of: part.node, in: .todos)?.document[Field.title.rawValue])
        #expect(try transaction.deed(of: title, at: part.node).user == nil)
      }
    }
    withExtendedLifetime(world) {}
  }

  @Test func aCommentIsNewsOnceAndToOthers() async throws {
    let (alice, bob, _) = try await sharedList(seed: "comment news")
    try bob.comment("Milk", "the blue one")
    try await settle(bob, alice, alice)
    let news = try alice.database.read { try $0.news(below: .seen) }
    #expect(news.map(\.kind) == [.commented])
    #expect(news.map { "\($0.title): \($0.detail)" } == ["Milk: the blue one"])
    #expect(try news.first?.node == alice.todo("Milk").node)
    #expect(try bob.database.read { try $0.news(below: .seen) }.isEmpty)
  }
}

extension Device {
  fileprivate func comment(_ title: String, _ text: String) throws {
    let todo = try todo(title)
    try database.write { try $0.addComment(Note(text), to: todo) }
  }

  /// What is said about a todo, with who said it, in order.
  fileprivate func comments(_ title: String) throws -> [String] {
    let todo = try todo(title)
    let mine = try user()
    return try database.read { transaction in
      try transaction.comments(of: todo).map { comment in
        let by = try transaction.displayName(of: comment.writer ?? comment.author ?? mine)
        let via = try comment.via.map { " (via \(try transaction.displayName(of: $0)))" } ?? ""
        return "\(by): \(comment.text)\(via)"
      }
    }
  }
}
