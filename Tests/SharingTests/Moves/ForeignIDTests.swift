import CloudAPI
import Foundation
import GRDB
import Lies
import Sealing
import Sharing
import Signing
import SwiftProtobuf
import TestSupport
import Testing
import TodoCore

@testable import Treesystem

/// Equal cloudIDs in two branches prove nothing: mallory, who was never on alice's list Secret, gives nodes of a shared list the ids of what
/// is on it. Nothing on Secret changes by what alice does with them.
@Suite struct ForeignIDTests {
  let stage: Stage
  let alice: Device
  let mallory: Device

  init() async throws {
    stage = try await Stage()
    (alice, mallory) = (stage.alice, stage.mallory)
    try alice.add("Secret", "Plans")
    try await settle(alice, mallory)
  }

  enum Target: CaseIterable { case todo, root }

  @Test(arguments: Target.allCases) func aChildThatIsBroughtAlongIsJoinedIntoNothing(_ target: Target) async throws {
    let before = try documents()
    try mallory.plant("Take over", below: "Milk", as: id(of: target))
    try await mallory.sync()
    try alice.move("Milk", to: "Secret")
    try await settle(alice, mallory)
    #expect(try alice.lists() == ["Groceries/Eggs", "Secret/Milk", "Secret/Plans", "Secret/Take over"])
    #expect(try documents().filter { before.keys.contains($0.key) } == before)
    #expect(try alice.unsent() == 0 && alice.quarantine().isEmpty)
  }

  @Test(arguments: Target.allCases) func aDeletionOfItTakesNothingElse(_ target: Target) async throws {
    let before = try documents()
    try mallory.plant("Take over", below: "Milk", as: id(of: target))
    try await mallory.sync()
    try alice.move("Milk", to: "Secret")
    alice.transport.loseTombstones()
    _ = try await alice.isStopped()
    try mallory.deleteForGood("Take over")
    try await mallory.sync()
    alice.transport.setFate { _ in .delivered }
    try await settle(alice, mallory)
    #expect(try alice.lists() == ["Groceries/Eggs", "Secret/Milk", "Secret/Plans"])
    #expect(try documents().filter { before.keys.contains($0.key) } == before)
  }

  @Test(arguments: Target.allCases)
  func somebodyElsesWordLeadsOnlyToWhatTheyPutThere(_ target: Target) async throws {
    let before = try documents()
    let id = try id(of: target)
    try mallory.plant("Take over", as: id)
    try await settle(mallory, alice)
    try alice.edit("Take over", to: "Take care")
    try await say("Take over", went: id, to: alice.branch("Secret"))
    try await settle(alice, mallory)
    #expect(try alice.lists() == ["Groceries/Eggs", "Groceries/Milk", "Groceries/Take care", "Secret/Plans"])
    #expect(try documents().filter { before.keys.contains($0.key) } == before)
  }

  /// Whoever could write there once, and cannot any more, leads nobody to what they put there then.
  @Test func theWordOfWhoMayNotWriteThereAnyMoreLeadsNowhere() async throws {
    try await alice.share("Secret", with: "mallory")
    try await settle(alice, mallory)
    try mallory.accept()
    try await settle(mallory, alice)
    try mallory.add("Secret", "Trap")
    try await settle(mallory, alice)
    try await alice.share("Secret", with: "mallory", role: .viewer)
    try await settle(alice, mallory)
    let trap = try alice.database.read { try #require(try $0.node(alice.todo("Trap", $0).node)?.cloudID) }
    try mallory.plant("Take over", as: trap)
    try await settle(mallory, alice)
    try alice.edit("Take over", to: "Take care")
    try await say("Take over", went: trap, to: alice.branch("Secret"))
    try await settle(alice, mallory)
    let lists = ["Groceries/Eggs", "Groceries/Milk", "Groceries/Take care", "Secret/Plans", "Secret/Trap"]
    #expect(try alice.lists() == lists)
  }

  @Test func withoutAChangeItJustGoes() async throws {
    let before = try documents()
    try mallory.plant("Take over", as: id(of: .todo))
    try await settle(mallory, alice)
    try await say("Take over", went: id(of: .todo), to: alice.branch("Secret"))
    try await settle(alice, mallory)
    #expect(try alice.lists() == ["Groceries/Eggs", "Groceries/Milk", "Secret/Plans"])
    #expect(try documents().filter { before.keys.contains($0.key) } == before)
  }

  /// Neither its id nor its name, which is the id that people type, is that of the one that is there.
  @Test func aTodoThatIsMovedGetsANewIDBesideItsTwin() async throws {
    let plans = try alice.todo("Plans")
    try mallory.plant("Take over", as: id(of: .todo), named: plans.id.text)
    try await settle(mallory, alice)
    try alice.move("Take over", to: "Secret", asAction: true)
    let todo = try alice.todo("Take over")
    #expect(todo.node != plans.node && todo.id != plans.id && todo.list == plans.list)
    try await settle(alice, mallory)
    #expect(try alice.lists() == ["Groceries/Eggs", "Groceries/Milk", "Secret/Plans", "Secret/Take over"])
    #expect(try mallory.lists() == ["Groceries/Eggs", "Groceries/Milk"])
    #expect(try alice.database.write { try $0.undo() }?.steps.map(\.did) == [["moved"]])
    try await settle(alice, mallory)
    #expect(try alice.lists() == ["Groceries/Eggs", "Groceries/Milk", "Groceries/Take over", "Secret/Plans"])
    #expect(try mallory.lists() == ["Groceries/Eggs", "Groceries/Milk", "Groceries/Take over"])
  }

  /// Nor is it that of one on a third list, which somebody named it after.
  @Test func aTodoThatIsMovedHasNoIDOfAnotherList() async throws {
    let plans = try alice.todo("Plans")
    try mallory.plant("Take over", as: .random(SystemEntropy()), named: plans.id.text)
    try await settle(mallory, alice)
    try alice.add("Garden", "Seeds")
    try alice.move("Take over", to: "Garden")
    #expect(try alice.todo("Take over").id != plans.id && alice.todo("Plans").id == plans.id)
  }

  /// Whoever has an edit of what went under a new id finds nothing where it went, not even what bears the old one.
  @Test func nobodyFollowsToATwin() async throws {
    let carol = stage.carol
    for list in ["Groceries", "Secret"] { try await alice.share(list, with: "carol") }
    try await settle(alice, carol)
    try carol.accept()
    try await settle(carol, alice)
    try mallory.plant("Take over", as: id(of: .todo))
    try await settle(mallory, alice, carol)
    try carol.edit("Take over", to: "Take care")
    try alice.move("Take over", to: "Secret")
    try await alice.sync()
    try await settle(carol, alice)
    let both = ["Groceries/Eggs", "Groceries/Milk", "Groceries/Take care", "Secret/Plans", "Secret/Take over"]
    #expect(try alice.lists() == both && carol.lists() == both)
  }

  /// Two todos change places: below the one that leaves, mallory hangs something under the id of the one that comes.
  @Test func whatIsHungBelowATodoThatLeavesIsNotWhatComes() async throws {
    let before = try documents()
    let id = try id(of: .todo)
    try alice.move("Milk", to: "Secret")
    try alice.move("Plans", to: "Groceries")
    try mallory.plant("Take over", below: "Milk", as: id)
    try await mallory.sync()
    try await settle(alice, mallory)
    #expect(try alice.lists() == ["Groceries/Eggs", "Groceries/Plans", "Secret/Milk", "Secret/Take over"])
    #expect(try mallory.lists() == ["Groceries/Eggs", "Groceries/Plans"])
    #expect(try Set(before.values).isSubset(of: Array(documents("Groceries").values) + Array(documents().values)))
    #expect(try alice.unsent() == 0 && alice.quarantine().isEmpty)
  }

  /// Alice takes a todo to Secret and back. Before it is there again mallory begins another life of its id, as a pointer, with all the keys that
  /// it had: nothing else can be put under that id now, also where the pointer itself is refused.
  @Test(arguments: [false, true]) func whatBecameAPointerMeanwhileIsAnotherNode(isRefused: Bool) async throws {
    let nameKey = try mallory.database.read { transaction in
      try Data.fetchOne(
        transaction.db, sql: "SELECT name_key FROM nodes WHERE id = ?",
        arguments: [mallory.todo("Milk", transaction).node])
    }
    try alice.move("Milk", to: "Secret")
    try await settle(alice, mallory)
    try alice.move("Milk", to: "Groceries")
    let target = isRefused ? try alice.branch("Secret") : .random(SystemEntropy())
    #expect(try await stage.send(pointer(to: target, inPlaceOf: id(of: "Milk"), nameKey)) == "accepted")
    try await settle(alice, mallory, stage.carol)
    #expect(try alice.lists() == ["Groceries/Eggs", "Groceries/Milk", "Secret/Plans"])
    #expect(try mallory.lists() == ["Groceries/Eggs", "Groceries/Milk"])
    #expect(try stage.carol.lists() == ["Groceries/Eggs", "Groceries/Milk"])
    let refused = try alice.database.read { try $0.operations().filter { $0.state == .refused } }
    #expect(try refused.isEmpty && alice.unsent() == 0)
  }

  /// Alice's profile is put back to before she added a todo to Secret, of which mallory knows the id.
  @Test func whatThisDeviceAddedBeforeItWasPutBackIsNoTwin() async throws {
    let before = try World(copying: stage.world, seed: "before")
    let id = CloudID.random(SystemEntropy())
    try alice.plant("Keys", on: "Secret", as: id)
    try mallory.plant("Take over", below: "Milk", as: id)
    try await settle(alice, mallory)
    let keys = try #require(try alice.document(of: "Keys"))
    let alice = try before.device("alice")
    alice.transport.setCloud(stage.world.cloud)
    try alice.move("Milk", to: "Secret")
    // What mallory wrote is read first.
    let secret = try alice.branch("Secret")
    alice.transport.setTamper { request, response in
      Lie(branch: secret).page(response, to: request) { $0.headHash = Data(Hash32.zeros.bytes) }
    }
    try await alice.sync()
    alice.transport.setTamper { _, response in response }
    try await settle(alice, mallory)
    #expect(try alice.lists() == ["Groceries/Eggs", "Secret/Keys", "Secret/Milk", "Secret/Plans", "Secret/Take over"])
    #expect(try alice.document(of: "Keys") == keys)
    #expect(try alice.unsent() == 0 && alice.quarantine().isEmpty)
  }

  /// What alice takes elsewhere is deleted where it was, and another device of hers puts another todo there under its id.
  @Test func whatComesUnderTheIDOfWhatLeftIsAnotherNode() async throws {
    let tablet = try await alice.second("tablet", "alice", in: stage.world)
    let id = CloudID.random(SystemEntropy())
    try mallory.plant("Take over", as: id)
    try await settle(mallory, alice)
    try alice.move("Take over", to: "Secret")
    try mallory.deleteForGood("Take over")
    try await settle(mallory, tablet)
    try tablet.plant("Keys", as: id)
    try await settle(tablet)
    let before = try #require(try tablet.document(of: "Keys"))
    try await settle(alice, tablet, mallory)
    let lists = ["Groceries/Eggs", "Groceries/Keys", "Groceries/Milk", "Secret/Plans", "Secret/Take over"]
    #expect(try alice.lists() == lists && tablet.lists() == lists)
    #expect(try alice.document(of: "Keys") == before)
    #expect(try alice.unsent() == 0 && alice.quarantine().isEmpty)
  }

  /// What alice takes to a list that she shares is on its way there when mallory gives the id away in both lists, under another name key each.
  @Test func whatTakesItsIDInBothListsIsAnotherNode() async throws {
    try await alice.share("Secret", with: "mallory")
    try await settle(alice, mallory)
    try mallory.accept()
    try await settle(mallory, alice)
    let id = try id(of: "Milk")
    let before = try #require(try alice.document(of: "Milk"))
    try alice.move("Milk", to: "Secret")
    let old = try Hand(mallory, on: stage.branch)
    try mallory.deleteForGood("Milk")
    try await settle(mallory)
    let state = try mallory.database.read { transaction in
      try #require(try transaction.branch(stage.branch).flatMap { try transaction.state(of: id, in: $0) })
    }
    let again = try old.todo(like: "Eggs", node: id) {
      ($0.version, $0.previous, $0.revived) = (state.lines + 1, state.hash, state.lines + 1)
    }
    #expect(try await stage.send(old.sign(again)) == "accepted")
    let new = try Hand(mallory, on: mallory.branch("Secret"))
    #expect(try await stage.send(new.sign(new.todo(like: "Plans", node: id))) == "accepted")
    try await settle(alice, mallory, alice)
    #expect(try alice.document(of: "Milk") == before)
    let lists = ["Groceries/Eggs", "Groceries/Eggs", "Secret/Milk", "Secret/Plans", "Secret/Plans"]
    #expect(try alice.lists() == lists && mallory.lists() == lists)
    #expect(try alice.unsent() == 0 && alice.quarantine().isEmpty)
  }

  private func pointer(to target: CloudID, inPlaceOf id: CloudID, _ nameKey: Data?) throws -> Draft {
    let hand = try Hand(mallory, on: stage.branch)
    let state = try mallory.database.read { transaction in
      try #require(try transaction.branch(stage.branch).flatMap { try transaction.state(of: id, in: $0) })
    }
    var sheet = try hand.todo(named: "elsewhere", like: "Eggs", node: id)
    var metadata = SealedNodeMetadata()
    metadata.name = "elsewhere"
    metadata.nameKey = try #require(nameKey)
    metadata.pointer.branch = data(target.bytes)
    metadata.pointer.firstPermissions = data(Hash32.zeros.bytes)
    let sealed = hand.seal(encode(metadata), .metadata, sheet.key)
    (sheet.header.contents, sheet.contents) = ([sealed.0], [sealed.1])
    sheet.header.version = state.lines + 1
    sheet.header.previous = state.hash
    sheet.header.revived = state.lines + 1
    return hand.sign(sheet)
  }

  private func id(of title: String) throws -> CloudID {
    try alice.database.read { try #require(try $0.node(alice.todo(title, $0).node)?.cloudID) }
  }

  private func id(of target: Target) throws -> CloudID {
    switch target {
    case .root: try alice.branch("Secret")
    case .todo: try alice.database.read { try #require(try $0.node(alice.todo("Plans", $0).node)?.cloudID) }
    }
  }

  /// What stands on a list.
  private func documents(_ list: String = "Secret") throws -> [Int64: Data] {
    try alice.database.read { transaction in
      let rows = try Row.fetchAll(
        transaction.db,
        sql: """
          SELECT d.node, d.document FROM (SELECT node, document FROM todos UNION ALL SELECT node, document FROM lists) d
          JOIN nodes n ON n.id = d.node JOIN nodes r ON r.branch = n.branch AND r.parent IS NULL
          JOIN lists l ON l.node = r.id WHERE l.title = ?
          """, arguments: [list])
      return Dictionary(uniqueKeysWithValues: rows.map { ($0[0], $0[1]) })
    }
  }

  /// Mallory signs that a todo went to a list that she is not on.
  private func say(_ title: String, went id: CloudID, to destination: CloudID) async throws {
    let hand = try Hand(mallory, on: stage.branch)
    let (header, hash) = try hand.present(title)
    let moved = TombstoneBody.Moved(
      versionCopied: hash, destination: hand.key.seal(destination: destination, of: id, hand.entropy))
    #expect(try await stage.send(hand.delete(header, after: hash) { $0.moved = moved }) == "accepted")
  }
}

/// What cannot be proven is not followed, and nothing is lost.
@Suite struct UnprovenMoveTests {
  /// Bob reads only the second version of what alice put on Party. It is hers as well, so his edit comes along.
  @Test func anEditComesAlongWhereOnlyALaterVersionWasSeen() async throws {
    let friends = try await Movers()
    try friends.bob.edit("Milk", to: "Oat milk")
    try friends.alice.move("Milk", to: "Party")
    try await friends.alice.sync()
    try friends.alice.edit("Milk", to: "Soy milk")
    try await friends.alice.sync()
    try await friends.settle()
    let todos = try friends.alice.lists()
    #expect(todos == ["Party/Oat milk"] || todos == ["Party/Soy milk"])
    try friends.expectAlike(todos)
  }
}

extension Device {
  /// Adds a todo whose node has an id of somebody's choice.
  fileprivate func plant(
    _ title: String, on name: String = "Groceries", below parent: String? = nil, as cloudID: CloudID,
    named id: String? = nil
  ) throws {
    try database.write { transaction in
      let list = try #require(try transaction.lists().first { $0.name == name })
      var new = NewTodo(try Title(title))
      new.parent = try parent.map { try self.todo($0, transaction).node }
      let made = try #require(try transaction.addTodos([new], to: list.node).first)
      try transaction.db.cachedStatement(sql: "UPDATE nodes SET cloud_id = ?, name = coalesce(?, name) WHERE id = ?")
        .execute(arguments: [cloudID, id, made.node])
      try transaction.db.cachedStatement(sql: "UPDATE operations SET cloud_id = ? WHERE node = ?")
        .execute(arguments: [cloudID, made.node])
    }
  }

  fileprivate func document(of title: String) throws -> Data? {
    try database.read { transaction in
      try Data.fetchOne(
        transaction.db, sql: "SELECT document FROM todos WHERE node = ?", arguments: [todo(title, transaction).node])
    }
  }

  fileprivate func move(_ title: String, to name: String, asAction: Bool) throws {
    let todo = try todo(title)
    try database.write { transaction in
      let list = try #require(try transaction.lists().first { $0.name == name })
      try transaction.asAction { _ = try transaction.moveTodo(todo, to: list.node) }
    }
  }
}
