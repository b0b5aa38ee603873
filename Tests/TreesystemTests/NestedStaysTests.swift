import CloudServer
import Foundation
import GRDB
import Sharing
import Signing
import SwiftProtobuf
import Testing
import TreeSupport

@testable import CloudAPI
@testable import Treesystem

/// A branch stays nested where it was begun, whatever members and servers write (spec §3.8), and what is moved from around it leaves it there.
@Suite struct NestedStaysTests: Nesting {
  let rooms: Rooms

  init() async throws { rooms = try await Rooms() }

  private var other: CloudID { rooms.branches["other"] ?? .random(SystemEntropy()) }

  /// Nests a branch with one node in it below a node of the list.
  @discardableResult
  private func nest(_ device: Device, _ name: String = "shed", below path: String) throws -> CloudID {
    try device.database.write { transaction in
      let parts = path.split(separator: "/").dropFirst().map(String.init)
      let whole = try [pointer(list, transaction).name] + parts + [name]
      let nested = try transaction.createBranch(withPath: Treepath(.home, whole))
      try Notes().set(["saw"], transaction.createNode(named: "tool", in: nested.id), transaction)
      guard let cloudID = nested.cloudID else { throw TreeError.noSuchNode }
      return cloudID
    }
  }

  /// Where a branch hangs for a device: the names from the branch around it on.
  private func place(_ device: Device, _ branch: CloudID) throws -> String {
    try device.database.read { transaction in
      var path: [String] = []
      var node = try pointer(branch, transaction)
      while let parent = node.parent.flatMap({ try? transaction.node($0) }) {
        path.insert(node.name, at: 0)
        node = parent
      }
      let around = rooms.branches.first { $0.value == node.cloudID }?.key ?? node.cloudID?.description ?? "?"
      return ([around] + path).joined(separator: "/")
    }
  }

  // MARK: Records

  /// A record of the list by which alice says that it hangs in another list of hers from now on.
  private func laterRecord() throws -> SignedRecord {
    try alice.database.read { transaction in
      let id = try #require(try transaction.branch(list))
      let before = try #require(try transaction.permissions(of: id))
      let around = try #require(try transaction.branch(other).flatMap { try transaction.permissions(of: $0) })
      let identity = try transaction.identity()
      var body = before.body
      body.version += 1
      body.previous = before.hash
      body.author = Author(
        user: identity.user, device: identity.device, keyringPosition: body.author.keyringPosition,
        read: try #require(try transaction.cursor(of: id)))
      body.enclosing = Enclosing(
        branch: other, permissionsVersion: around.body.version, permissions: around.hash, owner: around.body.owner)
      return SignedRecord(signing: body, with: identity.signingKey)
    }
  }

  @Test func noServerTakesALaterRecordThatNamesABranchAround() async throws {
    let record = try laterRecord()
    let identity = try alice.database.read { try $0.identity() }
    let connection = CloudConnection(
      transport: InProcessTransport(rooms.world.cloud), authority: "test",
      signer: .init(caller: Caller(user: identity.user, device: identity.device), key: identity.signingKey),
      clock: rooms.world.clock, entropy: SystemEntropy())
    let batch = WireBatch.with { $0.operations = [.with { $0.permit.permissions = record.wire }] }
    let answer = try await connection.call(.batch, batch, answer: WireOutcomes.self)
    #expect(answer.outcomes.map(\.refused.reason) == ["malformed"])
    #expect(try self.record(list).version == PermissionsBody(decoding: record.body).version - 1)
  }

  @Test func noClientBelievesALaterRecordThatNamesABranchAround() async throws {
    try plant(laterRecord())
    try await bob.sync()
    #expect(try bob.database.read { try $0.troubles().map(\.reason) } == [.malformed])
    #expect(try bob.database.read { try $0.enclosing(of: #require(try $0.branch(list))) } == nil)
  }

  /// Puts a permissions record in force as a server would that does not verify.
  private func plant(_ record: SignedRecord) throws {
    let permissions = Permissions(believing: try UnverifiedPermissions(record))
    let branch = permissions.body.branch
    try rooms.world.storage.write { storage in
      let head = try storage.head(of: branch) ?? LogHead(startOf: branch)
      let line = Line(number: head.line + 1, kind: .permissions, cloudID: branch, hash: record.hash)
      try storage.append(line, head: head.appending(line), to: branch, by: nil)
      try storage.putInForce(permissions, at: line.number, by: permissions.body.author.user)
    }
  }

  // MARK: Verbs

  @Test func whatIsNestedKeepsANodeInItsBranch() async throws {
    let shed = try nest(alice, below: "list/a/b")
    try await settle()
    try alice.database.write { transaction in
      let target = try rooms.find("other", transaction).id
      for id in try [rooms.find("list/a", transaction).id, pointer(shed, transaction).id] {
        #expect(throws: TreeError.notMovable) { try transaction.move(id, to: target) }
        #expect(throws: TreeError.notMovable) { try transaction.move(id, to: transaction.trunk(.home).id) }
        #expect(throws: TreeError.notMovable) { try transaction.makeBranch(id) }
      }
      #expect(try transaction.operations().isEmpty)
    }
    // Within its branch it goes wherever it likes, and what nothing is nested in goes as before.
    try alice.database.write { transaction in
      try transaction.move(pointer(shed, transaction).id, to: rooms.find("list", transaction).id)
    }
    try rooms.move(alice, "list/a", to: "other")
    try await settle()
    for device in [alice, bob] {
      #expect(try place(device, shed) == "list/shed")
      #expect(try words(device, shed) == ["tool: saw"])
      #expect(try rooms.tree(device).contains("other/a/b/c: cheese"))
    }
    try expectCalm(alice, bob)
  }

  /// Bob nests something below what alice moves away or makes a branch of, and neither knows of the other.
  @Test(arguments: [true, false], [true, false])
  func whatSomebodyNestsMeanwhileStaysBehind(_ movesFirst: Bool, _ makesBranch: Bool) async throws {
    let crate = try nest(bob, "crate", below: "list/a/b")
    if makesBranch {
      try alice.database.write { _ = try $0.makeBranch(rooms.find("list/a", $0).id) }
    } else {
      try rooms.move(alice, "list/a", to: "other")
    }
    for device in movesFirst ? [alice, bob] : [bob, alice] { try await device.sync() }
    try await settle()
    for device in [alice, bob] {
      #expect(try place(device, crate) == "list/crate")
      #expect(try words(device, crate) == ["tool: saw"])
    }
    #expect(try record(crate).enclosing?.branch == list)
    if makesBranch {
      let made = try alice.database.read { transaction in
        try transaction.cloudID(of: #require(try rooms.find("list/a", transaction).pointer))
      }
      for device in [alice, bob] { #expect(try words(device, #require(made)) == ["b: bread"]) }
    } else {
      for device in [alice, bob] { #expect(try rooms.tree(device).contains("other/a/b/c: cheese")) }
    }
    try expectCalm(alice, bob)
  }

  /// Bob hangs a node with something nested in it below what alice moves away.
  @Test(arguments: [true, false]) func whatIsHungMeanwhileLeavesWhatIsNestedInItBehind(_ movesFirst: Bool) async throws
  {
    try rooms.make(alice, "list/d", "date")
    let crate = try nest(alice, "crate", below: "list/d")
    try await settle()
    try rooms.move(bob, "list/d", to: "list/a")
    try rooms.move(alice, "list/a", to: "other")
    for device in movesFirst ? [alice, bob] : [bob, alice] { try await device.sync() }
    try await settle()
    for device in [alice, bob] {
      #expect(try words(device, crate) == ["tool: saw"])
      #expect(try place(device, crate).hasPrefix("list/"))
      #expect(try rooms.tree(device).contains { $0.hasSuffix("d: date") })
      #expect(try rooms.tree(device).contains("other/a/b/c: cheese"))
    }
    #expect(try place(alice, crate) == place(bob, crate))
    try expectCalm(alice, bob)
  }

  /// A branch that was never made is a node again, and what was to be nested in it begins where that is.
  @Test func whatWasToBeNestedBeginsWhereItsPlaceIs() async throws {
    try alice.database.write { _ = try $0.makeBranch(rooms.find("list/a", $0).id) }
    let shed = try nest(alice, below: "list/a")
    try alice.database.write { transaction in
      let made = try transaction.operations().filter { $0.kind == .permit }
      try transaction.discardOperation(#require(made.first).sequence)
    }
    try await settle()
    for device in [alice, bob] {
      #expect(try place(device, shed) == "list/a/shed")
      #expect(try words(device, shed) == ["tool: saw"])
    }
    #expect(try record(shed).enclosing?.branch == list)
    try expectCalm(alice, bob)
  }

  // MARK: Circles and ends

  /// Two branches of bob's whose first records name each other, one of them a record that there never was: x and y below it. A server
  /// that verifies takes no such thing; this one had bob's word.
  private func circle() async throws -> (x: CloudID, y: CloudID) {
    let ghost = CloudID.random(SystemEntropy())
    let x = try bob.database.write { transaction in
      let root = try transaction.createBranch(withPath: Treepath(.home, "x"))
      let identity = try transaction.identity()
      let own = try #require(try transaction.permissions(of: transaction.trunk(.home).branch)).body
      var body = own
      body.branch = ghost
      body.author.read = LogHead(startOf: ghost)
      let record = SignedRecord(signing: body, with: identity.signingKey)
      let around = try transaction.insertBranch(ghost, firstPermissions: nil, in: nil)
      try transaction.insertPermissions(record, body, line: 1, in: around)
      try transaction.begin(root.branch, in: around)
      try plant(record)
      return try #require(root.cloudID)
    }
    try await bob.sync()
    try #require(try record(x).enclosing?.branch == ghost)
    try rooms.world.storage.write { storage in
      try storage.beginDeleting(ghost)
      while try storage.goOnDeleting(limit: 100) {}
    }
    try bob.database.write { transaction in
      try run("DELETE FROM branches WHERE cloud_id = ?", [ghost], transaction)
      let y = try transaction.createBranch(withPath: Treepath(.home, "x", "y"))
      for table in ["branches", "nodes", "operations"] {
        try run("UPDATE \(table) SET cloud_id = ? WHERE cloud_id = ?", [ghost, y.cloudID], transaction)
      }
    }
    try await bob.sync()
    try hangBack(bob, "back", x, in: ghost)
    try await bob.sync()
    return (x, ghost)
  }

  /// Hangs a branch below one that is nested in it.
  private func hangBack(_ device: Device, _ name: String, _ x: CloudID, in y: CloudID) throws {
    try device.database.write { transaction in
      let branch = try self.root(x, transaction).branch
      let back = try transaction.insertNode(named: name, in: self.root(y, transaction).id, pointer: branch)
      try transaction.queueDataUpload(forNodeID: back.id)
    }
  }

  /// Makes alice an admin of a branch of bob's.
  private func invite(to branch: CloudID) async throws {
    let friend = try user(alice)
    try bob.database.write { transaction in
      try transaction.share(self.root(branch, transaction).id, with: friend, role: .admin, title: "x", note: "")
    }
    try await bob.sync()
    try await alice.sync()
    try accept(alice)
    try await settle()
  }

  @Test(.timeLimit(.minutes(30))) func nobodyTakesACircle() async throws {
    let (x, y) = try await circle()
    try await invite(to: x)
    #expect(try named(x) == y)
    #expect(try named(y) == x)
    #expect(try alice.database.read { try $0.quarantined().map(\.reason) } == [.firstRecordWrong])
    try alice.database.write { transaction in
      let (outer, inner) = (try self.root(x, transaction), try self.root(y, transaction))
      #expect(try transaction.enclosing(of: inner.branch) == outer.branch)
      #expect(try transaction.enclosing(of: outer.branch) == nil)
      #expect(try transaction.leave(outer.id).count == 2)
    }
    try await settle()
    #expect(try members(x) == [user(bob)])
    #expect(try members(y) == [user(bob)])
    #expect(try alice.database.read { try $0.branch(x) } == nil)
  }

  /// The branch around a branch, by its first record.
  private func named(_ branch: CloudID) throws -> CloudID? {
    try alice.database.read { try $0.namedEnclosing(of: self.root(branch, $0).branch) }
  }

  /// Were there a circle after all, each verb goes round it once.
  @Test(.timeLimit(.minutes(30))) func everyWalkOverACircleEnds() async throws {
    let (x, y) = try await circle()
    try bob.database.write { try $0.begin(self.root(x, $0).branch, in: self.root(y, $0).branch) }
    // Bob alone has both.
    try within(bob) { try $0.delete(self.pointer(y, $0).id) }
    try await invite(to: x)
    try hangBack(alice, "again", x, in: y)
    try alice.database.write { try $0.begin(self.root(x, $0).branch, in: self.root(y, $0).branch) }
    let carol = try user(await carol())
    _ = try await bob.session.lookUp(handle: "carol")
    try within(bob) { transaction in
      let root = try self.root(x, transaction).id
      let item = ShareItem(role: .editor)
      #expect(try transaction.recursiveAddShareItem(item, forUserID: carol, nodeID: root).count == 2)
      #expect(try transaction.recursiveRemoveShareItem(forUserID: carol, nodeID: root).count == 2)
    }
    try within(bob) { transaction in
      let operations = try transaction.close(self.root(x, transaction).id)
      // Alice has not answered, and is taken off both before they end.
      #expect(operations.count == 4 && Set(operations).count == 4)
    }
    try within(alice) { transaction in
      let operations = try transaction.leave(self.root(x, transaction).id)
      #expect(operations.count == 2)
    }
    try within(alice) { transaction in
      let put = try #require(try transaction.operations().first { $0.kind == .put })
      #expect(try transaction.operations(waitingFor: put.sequence).isEmpty)
    }
    for device in [alice, bob] { try await device.sync() }
  }

  private struct TakenBack: Error {}

  /// Carries something out, and takes it back.
  private func within(_ device: Device, _ body: (CloudTransaction) throws -> Void) throws {
    #expect(throws: TakenBack.self) {
      try device.database.write { transaction in
        try body(transaction)
        throw TakenBack()
      }
    }
  }

  private func run(_ sql: String, _ arguments: StatementArguments, _ transaction: CloudTransaction) throws {
    let statement = try transaction.db.makeStatement(sql: sql)
    try statement.execute(arguments: arguments)
  }

  /// Bob hangs a branch that alice reads anyway at a pointer which names another first record.
  @Test(.timeLimit(.minutes(30))) func aPointerThatCannotBeFollowedEndsNoSync() async throws {
    let shed = try nest(bob, below: "list")
    // Nothing leads to the nested branch yet.
    _ = bob.transport.setFate(.lost, ofRequest: 2) { $0.path == Route.batch.path }
    await #expect(throws: CloudFailure.unreachable) { try await bob.sync() }
    bob.transport.setFate { _ in .delivered }
    let first = try bob.database.write { transaction in
      let branch = try self.root(shed, transaction).branch
      let first = try #require(try transaction.firstPermissions(of: branch))
      try transaction.setFirstPermissions(.random(SystemEntropy()), of: branch)
      try run(
        "UPDATE operations SET state = 'pending', sealed = NULL WHERE branch = ?",
        [self.root(list, transaction).branch], transaction)
      return first
    }
    try await bob.sync()
    try alice.database.write {
      _ = try $0.graftNode(withLocalPath: Treepath(.home, "shed"), remoteCloudID: shed, firstPermissions: first)
    }
    try await alice.sync()
    #expect(try alice.database.read { try $0.quarantined().map(\.reason) } == [.firstRecordWrong])
    #expect(try words(alice, shed) == ["tool: saw"])
    try rooms.write(bob, "plum", on: "list/a")
    try await settle()
    #expect(try rooms.tree(alice).contains("list/a: apple plum"))
  }

  @Test func thereIsAnEndToWhatPointersLeadTo() async throws {
    let shed = try nest(bob, below: "list")
    try await bob.sync()
    try alice.database.write { transaction in
      let outer = try self.root(list, transaction).branch
      try run(
        """
        WITH RECURSIVE counter (number) AS (SELECT 1 UNION ALL SELECT number + 1 FROM counter WHERE number < ?)
        INSERT INTO branches (cloud_id, enclosing) SELECT randomblob(16), ? FROM counter
        """, [Limits.followedBranches, outer], transaction)
      #expect(throws: TreeError.parentInvalid) {
        try transaction.createBranch(withPath: Treepath(.home, pointer(list, transaction).name, "more"))
      }
      // For one there is room.
      try run(
        "DELETE FROM branches WHERE id = (SELECT max(id) FROM branches WHERE enclosing = ?)", [outer], transaction)
      let other = CloudID.random(SystemEntropy())
      _ = try transaction.nest(other, firstPermissions: .random(SystemEntropy()), in: outer)
      #expect(throws: Refusal.tooManyBranches) {
        try transaction.nest(.random(SystemEntropy()), firstPermissions: .random(SystemEntropy()), in: outer)
      }
    }
    try await alice.sync()
    #expect(try alice.database.read { try $0.quarantined().map(\.reason) } == [.tooManyBranches])
    #expect(try words(alice, shed) == nil)
    // Once there is room it comes by itself.
    try alice.database.write { transaction in
      try run("DELETE FROM branches WHERE enclosing = ?", [self.root(list, transaction).branch], transaction)
    }
    try await alice.sync()
    #expect(try words(alice, shed) == ["tool: saw"])
    try expectCalm(alice)
  }
}
