import CloudAPI
import GRDB
import Sharing
import Signing
import TestSupport
import Testing
import Treesystem

@testable import TodoCore

/// No device shows somebody for a value that their client never wrote. Mallory is a member with the stock client, and changes her own database
/// between a command and its sync.
@Suite struct DeedTests {
  /// Alice's list with bob and mallory on it, everybody up to date.
  private struct Circle {
    let world: World
    let alice, bob, mallory: Device

    init(_ seed: String) async throws {
      (alice, bob, world) = try await sharedList(seed: seed)
      mallory = try await world.person("mallory")
      try await alice.share("Groceries", with: "mallory")
      try await settle(alice, mallory)
      try mallory.accept()
      try await settle(mallory, alice, bob)
      // So that there is a history of which something can be left out.
      try alice.edit("Milk", to: "pay the plumber 100")
      try await settle(alice, bob, mallory)
      for device in [alice, bob, mallory] { try device.haveSeenNews() }
    }
  }

  @Test func whoJoinsLastHasNotDoneIt() async throws {
    let circle = try await Circle("joins last")
    let (alice, bob, mallory) = (circle.alice, circle.bob, circle.mallory)
    circle.world.clock.advance(1000)
    try mallory.edit("pay the plumber 100", to: "pay mallory 900")
    try mallory.tamper("pay mallory 900") { content in content = VersionedDocument(content.document) }
    try await mallory.sync()
    // Bob's device misses nothing and uploads a join at once.
    try await bob.sync()
    #expect(try await bob.sync().troubles.isEmpty)
    try await alice.sync()
    #expect(try bob.deeds() == ["mallory retitled pay mallory 900"])
    #expect(try alice.deeds() == ["mallory, as bob says retitled pay mallory 900"])
    for device in [alice, bob] { #expect(try device.changed("pay mallory 900").hasPrefix("mallory")) }
    try await settle(alice, bob, mallory)
    // A device that comes later sees the last version only.
    let tablet = try await alice.second("tablet", "alice", in: circle.world)
    try await settle(tablet)
    #expect(try tablet.changed("pay mallory 900").hasPrefix("mallory, as"))
    for device in [alice, bob, tablet] {
      #expect(try device.database.write { try $0.nodesWithWrongColumns(mending: false) }.isEmpty)
    }
  }

  /// Mallory puts another todo under the id of one that she deletes for good. Who reads both lines at once is told.
  @Test func anotherLifeUnderTheSameIdIsNews() async throws {
    let circle = try await Circle("another life")
    let (alice, mallory) = (circle.alice, circle.mallory)
    let old = try mallory.todo("pay the plumber 100")
    let cloudID = try #require(try mallory.database.read { try $0.node(old.node)?.cloudID })
    try mallory.database.write { try $0.delete(old.node) }
    try await mallory.sync()
    try mallory.database.write { transaction in
      let node = try transaction.createNode(named: old.id.text, in: old.list, cloudID: cloudID)
      var document = Document()
      let (now, replica) = (circle.world.clock.now(), try transaction.replica())
      for (field, text) in [(Field.kind, "todo"), (.order, "000000000001"), (.title, "pay mallory 900")] {
        try document.write(field, Array(text.utf8), now: now, replica: replica)
      }
      try transaction.store(VersionedDocument(document), of: old.id, node: node.id, list: old.list)
    }
    try await mallory.sync()
    try await alice.sync()
    #expect(try alice.deeds() == ["mallory retitled pay mallory 900"])
  }

  /// One's own devices join what the others wrote: that is nobody else's word.
  @Test func oneOfOnesOwnDevicesIsNobodyElse() async throws {
    let circle = try await Circle("own devices")
    let alice = circle.alice
    let tablet = try await alice.second("tablet", "alice", in: circle.world)
    try await settle(tablet)
    tablet.transport.setCloud(nil)
    try tablet.tag("pay the plumber 100", "due")
    try alice.edit("pay the plumber 100", to: "pay the plumber 200")
    try await settle(alice)
    tablet.transport.setCloud(circle.world.cloud)
    try await settle(tablet, alice, circle.bob)
    for device in [alice, tablet, circle.bob] {
      #expect(try device.changed("pay the plumber 200") == "alice")
    }
  }

  /// A list that was never sent has no members in whose keyrings a replica could be found: this user's other devices are known all the same.
  @Test func whatIsSaidInTheNameOfAnotherDeviceIsNotThisUsers() async throws {
    let circle = try await Circle("another device of hers")
    let (alice, mallory) = (circle.alice, circle.mallory)
    let tablet = try await alice.second("tablet", "alice", in: circle.world)
    try tablet.add("Diary", "saw the lawyer")
    let tablets = try #require(try tablet.database.read { try $0.knownReplica() })
    try mallory.tamper("pay the plumber 100", queueing: true) { content in
      try content.change { document in
        try document.write(.title, Array("alice owes 900".utf8), now: circle.world.clock.now(), replica: tablets)
      }
    }
    try await mallory.sync()
    try alice.add("Secret", "plans")
    try alice.move("pay the plumber 100", to: "Secret")
    try await settle(alice, tablet)
    #expect(try alice.changed("alice owes 900") != "alice")
    #expect(try tablet.changed("alice owes 900") != "alice")
  }

  /// What is kept of an account knows nothing of who passed what on: then nothing of it is the one's whose name it bore.
  @Test func whatWasPassedOnIsNobodysWhereTheListsAreKept() async throws {
    let circle = try await Circle("kept")
    let (alice, bob, mallory) = (circle.alice, circle.bob, circle.mallory)
    try bob.tag("pay the plumber 100", "due")
    try await settle(bob, alice, mallory)
    let bobs = try #require(try bob.database.read { try $0.knownReplica() })
    try mallory.tamper("pay the plumber 100", queueing: true) { content in
      content = VersionedDocument(content.document)
      try content.change { document in
        try document.write(.title, Array("bob owes 900".utf8), now: circle.world.clock.now(), replica: bobs)
      }
    }
    try await settle(mallory, alice)
    #expect(try alice.changed("bob owes 900") == "bob, as mallory says")
    let root = try #require(try alice.database.read { try $0.root() })
    try alice.database.write { try $0.keepLists() }
    try await alice.session.logIn(root: root, handle: "alice", server: "test")
    try await settle(alice)
    let kept = try #require(
      try alice.database.read { transaction in
        try transaction.lists().flatMap { try transaction.todos(in: $0.node, .open) }
          .filter { $0.title == "bob owes 900" }.compactMap { todo in
            try transaction.document(of: todo.node, in: .todos)?.document[Field.title.rawValue]
              .map { try transaction.writer(of: $0.stamp.replica) }
          }
      }.first)
    #expect(kept == nil)
  }

  /// Much that is new pushes out nobody who came to a list, and nothing of other kinds.
  @Test func newsOfMuchPushesOutNobodyWhoCame() async throws {
    let circle = try await Circle("flood")
    let alice = circle.alice
    let bob = try circle.bob.user()
    try alice.database.write { transaction in
      let list = try #require(try transaction.lists().first)
      try transaction.addNews(.joined, list.node, on: list.node, by: Deed(bob), at: 0, title: "dave")
      try transaction.addNews(.retitled, nil, on: list.node, by: Deed(bob), at: 0, title: "pay mallory")
      for number in 0..<2000 {
        try transaction.addNews(.added, nil, on: list.node, by: Deed(bob), at: 0, title: "junk \(number)")
      }
    }
    let news = try alice.database.read { try $0.news(below: .seen) }
    #expect(news.filter { $0.kind != .added }.map(\.title) == ["dave", "pay mallory"])
    #expect(news.count < 500 && news.last?.title == "junk 1999")
  }

  /// A replica that nobody's device gave itself says nothing; whoever carries it did not write it.
  @Test func aReplicaThatWasMadeUpIsNobodys() async throws {
    let circle = try await Circle("made up")
    let (alice, bob, mallory) = (circle.alice, circle.bob, circle.mallory)
    let madeUp = try #require(Replica(bytes: [UInt8](repeating: 7, count: 8)))
    try mallory.tamper("pay the plumber 100", queueing: true) { content in
      content = VersionedDocument(content.document)
      try content.change { document in
        try document.write(.title, Array("pay mallory 900".utf8), now: circle.world.clock.now(), replica: madeUp)
      }
      content = VersionedDocument(content.document)
    }
    try await mallory.sync()
    try await bob.sync()
    try await alice.sync()
    #expect(try bob.deeds() == ["somebody, as mallory says retitled pay mallory 900"])
    #expect(try alice.deeds() == ["somebody, as bob says retitled pay mallory 900"])
    #expect(try alice.changed("pay mallory 900") == "somebody, as bob says")
  }

  /// A device whose replica is that of somebody else, after weeks of computing: bob's is known, and stays bob's.
  @Test func aReplicaThatIsKnownStaysItsUsers() async throws {
    let circle = try await Circle("collision")
    let (alice, bob, mallory) = (circle.alice, circle.bob, circle.mallory)
    let (user, replica) = (try bob.user(), try mallory.database.write { try $0.replica() })
    try alice.database.write { try $0.setWriter(user, of: replica) }
    try mallory.edit("pay the plumber 100", to: "pay mallory 900")
    try await mallory.sync()
    try await alice.sync()
    #expect(try alice.deeds() == ["bob, as mallory says retitled pay mallory 900"])
  }

  /// Mallory writes under alice's own replica, between two of alice's times. Alice's client never wrote it, and never signs for it.
  @Test func nobodySignsWhatOthersWroteInTheirName() async throws {
    let circle = try await Circle("in her name")
    let (alice, bob, mallory) = (circle.alice, circle.bob, circle.mallory)
    circle.world.clock.advance(1000)
    try alice.tick("pay the plumber 100")
    try await settle(alice, bob, mallory)
    for device in [alice, bob, mallory] { try device.haveSeenNews() }
    let replica = try #require(try alice.database.read { try $0.knownReplica() })
    try mallory.tamper("pay the plumber 100", queueing: true) { content in
      let title = try #require(content.document[Field.title.rawValue])
      var document = content.document
      document.registers = document.registers.map { register in
        guard register == title else { return register }
        return Register(
          field: 1, value: Array("pay mallory 900".utf8), stamp: Stamp(time: title.stamp.time + 1, replica: replica))
      }
      content = VersionedDocument(document)
    }
    try await mallory.sync()
    try await bob.sync()
    #expect(try bob.deeds() == ["alice, as mallory says retitled pay mallory 900"])
    try await alice.sync()
    #expect(try alice.deeds().map { $0.hasPrefix("alice, as ") } == [true])
    // Whatever alice's device signs from now on, the title is not hers.
    try alice.tag("pay mallory 900", "hers")
    try await settle(alice, bob, mallory)
    let tablet = try await bob.second("tablet", "bob", in: circle.world)
    try await settle(tablet)
    for device in [alice, bob, tablet] {
      #expect(try device.writer(of: .title, "pay mallory 900").hasPrefix("somebody, as "))
      #expect(try device.changed("pay mallory 900").hasPrefix("alice"))
    }
    #expect(try alice.unsent() == 0)
  }

  /// Neither a deletion nor the removal of a tag bears a stamp: the deleter says that it was them, and whoever says nothing is nobody.
  @Test(arguments: [true, false]) func whoTakesSomethingAwaySaysSo(_ says: Bool) async throws {
    let circle = try await Circle("taken \(says)")
    let (alice, bob, mallory) = (circle.alice, circle.bob, circle.mallory)
    try alice.tag("pay the plumber 100", "due")
    try await settle(alice, bob, mallory)
    for device in [alice, bob, mallory] { try device.haveSeenNews() }
    try mallory.untag("pay the plumber 100", "due", says: says)
    try await mallory.sync()
    try await bob.sync()
    try await bob.sync()
    try await alice.sync()
    let who = says ? "mallory" : "somebody"
    #expect(try alice.deeds() == ["\(who), as bob says edited pay the plumber 100"])
    // She has read what bob joined: else her sync would, and put back what she leaves out, so that bob misses nothing and carries nothing.
    try await mallory.sync()
    let todo = try mallory.todo("pay the plumber 100")
    if says {
      try mallory.database.write { try $0.removeTodo(todo) }
      try mallory.tamper("pay the plumber 100") { $0 = VersionedDocument($0.document) }
    } else {
      try mallory.tamper("pay the plumber 100", queueing: true) { content in
        content.change { $0.delete() }
        content = VersionedDocument(content.document)
      }
    }
    try await mallory.sync()
    try await bob.sync()
    try await alice.sync()
    #expect(try alice.deeds().last == "\(who), as bob says removed pay the plumber 100")
    #expect(try bob.deeds().last?.contains("bob") == false)
  }

  /// What a context says of another's replica is a claim: it hides nothing that they have not sent, and makes them change nothing.
  @Test func aClaimToHaveSeenWhatSomebodyWritesHidesNothing() async throws {
    let circle = try await Circle("claims")
    let (alice, bob, mallory) = (circle.alice, circle.bob, circle.mallory)
    let replica = try #require(try alice.database.read { try $0.knownReplica() })
    circle.world.clock.advance(1000)
    try mallory.tamper("pay the plumber 100", queueing: true) { content in
      var document = content.document
      document.context.add(Stamp(time: UInt64(circle.world.clock.now()) + 60_000, replica: replica))
      content = VersionedDocument(document, history: content.history)
    }
    try await mallory.sync()
    try alice.tag("pay the plumber 100", "kept")
    try alice.edit("pay the plumber 100", to: "pay the plumber 110")
    try await settle(alice, bob, mallory)
    for device in [alice, bob, mallory] {
      let todo = try device.todo("pay the plumber 110")
      #expect(todo.tags == ["kept"])
      #expect(try device.changed("pay the plumber 110") == "alice")
    }
    #expect(try alice.database.read { try $0.knownReplica() } == replica)
  }

  /// What somebody wrote before they had an account is theirs once they have one.
  @Test func whatWasWrittenBeforeAnAccountIsItsUsers() async throws {
    let (alice, bob, world) = try await sharedList(seed: "before")
    let carol = try world.device("carol")
    try carol.add("Chores", "sweep")
    try carol.tag("sweep", "home")
    try await carol.session.signUp(handle: "carol", server: "test")
    try await carol.share("Chores", with: "bob")
    try await settle(carol, bob)
    try bob.accept()
    try await settle(bob, carol)
    #expect(try bob.changed("sweep") == "carol")
    #expect(try bob.writer(of: .title, "sweep") == "carol")
    withExtendedLifetime(alice) {}
  }

  @Test func aReplicaIsItsDevicesOnly() throws {
    let entropy = SystemEntropy()
    let (user, other) = (UserID(exactly: entropy.bytes(20)), UserID(exactly: entropy.bytes(20)))
    let (device, second) = (DeviceID(exactly: entropy.bytes(16)), DeviceID(exactly: entropy.bytes(16)))
    let replica = Replica(of: user, device, salt: [1, 2])
    #expect(replica.bytes.count == 8 && replica.bytes.prefix(2) == [1, 2])
    #expect(replica.belongs(to: user, device))
    #expect(!replica.belongs(to: other, device) && !replica.belongs(to: user, second))
    #expect(Replica(of: user, device, salt: [1, 3]) != replica)
  }
}

extension Device {
  fileprivate func haveSeenNews() throws { try database.write { try $0.mark($0.news(since: 0), as: .seen) } }

  /// News with who did it, in the order of arrival.
  fileprivate func deeds() throws -> [String] {
    try database.read { transaction in
      try transaction.news(below: .seen).map { item in
        "\(try name(Deed(item.author, via: item.via), transaction)) \(item.kind.rawValue) \(item.title)"
      }
    }
  }

  /// The person who changed a todo last.
  fileprivate func changed(_ title: String) throws -> String {
    let todo = try anyTodo(title)
    return try database.read { try name(todo.changed, $0) }
  }

  /// The person who wrote a field.
  fileprivate func writer(of field: Field, _ title: String) throws -> String {
    let todo = try anyTodo(title)
    return try database.read { transaction in
      let write = try #require(try transaction.document(of: todo.node, in: .todos)?.document[field.rawValue])
      return try name(transaction.deed(of: write, at: todo.node), transaction)
    }
  }

  fileprivate func tag(_ title: String, _ tag: String) throws {
    let todo = try anyTodo(title)
    try database.write { try $0.addTag(Tag(tag), to: todo) }
  }

  /// - Parameter says: as an older version does, nobody says who did it.
  fileprivate func untag(_ title: String, _ tag: String, says: Bool) throws {
    if says {
      let todo = try anyTodo(title)
      try database.write { try $0.removeTag(Tag(tag), from: todo) }
    }
    try tamper(title, queueing: !says) { content in
      content.change { document in document.remove { $0.field == Field.tag.rawValue } }
      content = VersionedDocument(content.document)
    }
  }

  /// Changes what this device's own database has of a todo, behind the program's back.
  fileprivate func tamper(
    _ title: String, queueing: Bool = false, _ body: (inout VersionedDocument) throws -> Void
  ) throws {
    try database.write { transaction in
      let list = try #require(try transaction.lists().first { $0.name == "Groceries" })
      let all = try [TodoState.open, .done, .trash].flatMap { try transaction.todos(in: list.node, $0) }
      let todo = try #require(all.first { $0.title == title })
      var content = try #require(try transaction.document(of: todo.node, in: .todos))
      try body(&content)
      try transaction.store(content, of: todo.id, node: todo.node, list: list.node)
      if queueing { try transaction.queueDataUpload(forNodeID: todo.node) }
    }
  }

  /// A todo that is open or done.
  private func anyTodo(_ title: String) throws -> Todo {
    try database.read { transaction in
      for list in try transaction.lists() {
        let all = try transaction.todos(in: list.node, .open) + transaction.todos(in: list.node, .done)
        if let todo = all.first(where: { $0.title == title }) { return todo }
      }
      throw TreeError.noSuchNode
    }
  }

  private func name(_ deed: Deed, _ transaction: CloudTransaction) throws -> String {
    let who = try deed.user.map { try transaction.displayName(of: $0) } ?? "somebody"
    return try who + (deed.via.map { ", as \(try transaction.displayName(of: $0)) says" } ?? "")
  }
}
