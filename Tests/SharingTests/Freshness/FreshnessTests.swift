import CloudAPI
import Foundation
import Lies
import Sharing
import Signing
import TestSupport
import Testing
import TodoCore

@testable import Treesystem

/// A client never goes back, and says who was shown something else, and since when (spec §4.4).
@Suite struct FreshnessTests {
  private func findings(_ device: Device) throws -> [Finding] { try device.database.read { try $0.findings() } }

  private func cursor(_ device: Device, _ stage: Stage) throws -> LogHead { try Hand(device, on: stage.branch).head }

  /// The server as it is now, to go on from there by itself, as a backup that is restored does.
  private func backup(of stage: Stage) throws -> World { try World(copying: stage.world, seed: "backup") }

  private func user(_ device: Device) throws -> UserID { try device.database.read { try $0.requireAccount().user } }

  @Test func aServerThatWentBackIsNoticedAndTheReportSurvivesARestart() async throws {
    let stage = try await Stage()
    let start = try cursor(stage.alice, stage)
    let backup = try backup(of: stage)
    try stage.alice.add("Groceries", "Bread")
    try await stage.alice.sync()
    let read = try cursor(stage.alice, stage)
    stage.alice.transport.setCloud(backup.cloud)
    #expect(try await stage.alice.sync().troubles == [stage.branch: .fork])
    stage.world.clock.advance(60_000)
    try await stage.alice.sync()
    let found = try #require(try findings(stage.world.device("alice")).first)
    #expect(found.kind == .rollback && found.line == start.line + 1)
    #expect(found.known == read.hash && found.told == start.hash)
    let alice = try user(stage.alice)
    #expect(found.knownBy?.user == alice && found.toldBy == nil)
    #expect(found.lastSeen - found.firstSeen == 60_000 && found.ended == nil)
    // What is written meanwhile waits: the server would refuse it for good.
    try stage.alice.add("Groceries", "Salt")
    #expect(try await stage.alice.sync().unsent == 1)
    #expect(try stage.alice.database.read { try $0.refusedOperationCount() } == 0)
    // The server shows again what it did: that proves it is over, and is not silent about it.
    stage.alice.transport.setCloud(stage.world.cloud)
    #expect(try await stage.alice.sync().troubles.isEmpty)
    #expect(try findings(stage.alice).map { $0.ended != nil } == [true])
    #expect(try stage.alice.unsent() == 0)
    #expect(try stage.alice.titles("Groceries") == ["Bread", "Eggs", "Milk", "Salt"])
  }

  /// Whoever signed what follows a deletion would vouch for it, and take away all that is below.
  @Test func nobodyFollowsADeletionThatTheyHaveNotSeen() async throws {
    let stage = try await Stage()
    try stage.alice.database.write { transaction in
      let branch = try #require(try transaction.branch(stage.branch))
      let head = try #require(try transaction.cursor(of: branch))
      let line = Line(number: head.line + 1, kind: .tombstone, cloudID: stage.branch, hash: .random(SystemEntropy()))
      #expect(try transaction.stateToFollow(of: stage.branch, in: branch) != nil)
      try transaction.append(line, to: branch, head: head.appending(line))
      #expect(throws: Refusal.rowMissing) { try transaction.stateToFollow(of: stage.branch, in: branch) }
    }
  }

  @Test func twoPastsAreAForkThatNamesBothAuthors() async throws {
    let stage = try await Stage()
    let start = try cursor(stage.alice, stage)
    let backup = try backup(of: stage)
    try stage.alice.add("Groceries", "Bread", "Salt")
    try await stage.alice.sync()
    let read = try cursor(stage.alice, stage)
    stage.mallory.transport.setCloud(backup.cloud)
    try stage.mallory.add("Groceries", "Wine")
    try await stage.mallory.sync()
    stage.alice.transport.setCloud(backup.cloud)
    for _ in 0..<2 { #expect(try await stage.alice.sync().troubles == [stage.branch: .fork]) }
    let found = try #require(try findings(stage.world.device("alice")).first)
    #expect(try findings(stage.alice).count == 1)
    #expect(found.kind == .fork && found.line == start.line + 1 && found.known != read.hash)
    let (other, alice, mallory) = (try cursor(stage.mallory, stage), try user(stage.alice), try user(stage.mallory))
    #expect(found.told == other.hash && found.knownBy?.user == alice && found.toldBy?.user == mallory)
    #expect(try stage.alice.titles("Groceries") == ["Bread", "Eggs", "Milk", "Salt"])
    // Mallory's name came from the server, which can put one to any line: the list goes on, and the report stays until it is put aside.
    stage.alice.transport.setCloud(stage.world.cloud)
    #expect(try await stage.alice.sync().troubles.isEmpty)
    #expect(try findings(stage.alice).map { $0.ended == nil } == [true])
    try stage.alice.database.write { _ = try $0.forgetFinding(found.number) }
    #expect(try await stage.alice.sync().troubles.isEmpty)
    #expect(try findings(stage.alice).isEmpty)
  }

  /// Two pages of one server that contradict each other need no author to be a fork.
  @Test func aHeadThatThePagesDoNotHaveIsAForkWithoutAnAuthor() async throws {
    let stage = try await Stage()
    let branch = stage.branch
    stage.alice.transport.setTamper { request, response in
      Lie(branch: branch).head(response, to: request) { $0.logHash = data([UInt8](repeating: 7, count: 32)) }
    }
    try await stage.alice.sync()
    let found = try #require(try findings(stage.alice).first)
    #expect(found.kind == .fork && found.told.bytes == [UInt8](repeating: 7, count: 32) && found.toldBy == nil)
    stage.alice.transport.setTamper { _, response in response }
    // It stays on record, and stops nothing.
    #expect(try await stage.alice.sync().troubles.isEmpty)
    #expect(try findings(stage.alice).map(\.ended) == [nil])
  }

  enum Kind: CaseIterable { case header, tombstone, permissions, further }

  /// What a member cites is compared in every kind of record, and named with its author.
  @Test(arguments: Kind.allCases)
  func whatAnAuthorHadReadTellsOfAFork(_ kind: Kind) async throws {
    let stage = try await Stage()
    let start = try cursor(stage.alice, stage)
    let backup = try backup(of: stage)
    try stage.mallory.add("Groceries", "Wine")
    if kind == .further { try stage.mallory.add("Groceries", "Beer") }
    try await stage.mallory.sync()
    stage.alice.transport.setCloud(backup.cloud)
    try stage.alice.add("Groceries", "Bread")
    try await stage.alice.sync()
    let hand = try Hand(stage.mallory, on: stage.branch)
    let (milk, hash) = try hand.present("Milk")
    let draft =
      switch kind {
      case .header, .further: hand.sign(try hand.todo())
      case .tombstone: hand.delete(milk, after: hash)
      case .permissions: hand.permit { _ in }
      }
    stage.pretend(draft)
    #expect(try await stage.alice.sync().troubles == [stage.branch: .fork])
    let found = try #require(try findings(stage.alice).first)
    #expect(found.kind == (kind == .further ? .omission : .fork))
    #expect(found.line == start.line + (kind == .further ? 2 : 1))
    #expect(found.told == hand.head.hash && found.toldBy?.user == hand.user)
    let alice = try user(stage.alice)
    #expect(kind == .further || found.knownBy?.user == alice)
    #expect(try stage.alice.titles("Groceries") == ["Bread", "Eggs", "Milk"])
    // Whoever has seen it believes nothing more, though the server hides it again.
    stage.alice.transport.setTamper { _, response in response }
    #expect(try await stage.alice.sync().troubles == [stage.branch: .fork])
  }

  /// Only a member's own signature makes a witness: a server cannot accuse anybody.
  @Test func nobodyIsNamedWhoDidNotSign() async throws {
    let stage = try await Stage()
    let hand = try Hand(stage.mallory, on: stage.branch)
    let sheet = try hand.todo { $0.author.read = LogHead(line: 2, hash: .random(SystemEntropy())) }
    stage.pretend(hand.sign(sheet).withBadSignature)
    #expect(try await stage.alice.sync().troubles.isEmpty)
    #expect(try stage.alice.quarantine().map(\.reason) == [.signatureBad])
    #expect(try findings(stage.alice).isEmpty)
  }

  @Test func aChangeThatWasAcknowledgedAndDroppedIsNoticedAndSentAgain() async throws {
    let stage = try await Stage()
    try stage.mallory.add("Groceries", "Wine")
    try await stage.mallory.sync()
    let backup = try backup(of: stage)
    // Alice's change follows a line that she has not read, so that only the answer says where it is.
    let (branch, read) = (stage.branch, try cursor(stage.alice, stage))
    stage.alice.transport.setTamper { request, response in
      Lie(branch: branch).head(response, to: request) { head in
        head.line = read.line
        head.logHash = data(read.hash.bytes)
      }
    }
    try stage.alice.edit("Milk", to: "Oat milk")
    #expect(try await stage.alice.sync().unsent == 0)
    stage.alice.transport.setTamper { _, response in response }
    for device in [stage.alice, stage.mallory] { device.transport.setCloud(backup.cloud) }
    // The log ends before the line that was told: it may come yet.
    #expect(try await stage.alice.sync().troubles == [branch: .fork])
    #expect(try findings(stage.alice).map(\.kind) == [.rollback])
    try stage.mallory.add("Groceries", "Beer")
    try await stage.mallory.sync()
    try await settle(stage.alice, stage.mallory)
    let found = try findings(stage.alice)
    #expect(found.map(\.kind) == [.rollback, .omission] && found[0].ended != nil)
    let alice = try user(stage.alice)
    #expect(found[1].line == read.line + 2 && found[1].knownBy?.user == alice)
    for device in [stage.alice, stage.mallory] {
      #expect(try device.titles("Groceries") == ["Beer", "Eggs", "Oat milk", "Wine"])
    }
    #expect(try await stage.alice.sync().troubles.isEmpty)
    #expect(try stage.alice.database.read { try $0.branchesToReadAgain() }.isEmpty)
  }

  @Test func whatIsKeptBackIsOnRecordUntilItComes() async throws {
    let stage = try await Stage()
    try stage.mallory.add("Groceries", "Bread")
    try await stage.mallory.sync()
    let branch = stage.branch
    stage.alice.transport.setTamper { request, response in
      Lie(branch: branch).page(response, to: request) { $0.rows.removeLast() }
    }
    #expect(try await stage.alice.sync().troubles.isEmpty)
    let found = try #require(try findings(stage.alice).first)
    #expect(found.kind == .omission && found.toldBy == nil && found.ended == nil)
    let last = try cursor(stage.mallory, stage)
    #expect(found.line == last.line)
    stage.alice.transport.setTamper { _, response in response }
    let id = try #require(try stage.alice.database.read { try $0.branch(branch) })
    try await stage.alice.session.repull(id)
    try await stage.alice.sync()
    #expect(try findings(stage.alice).map { $0.ended != nil } == [true])
    #expect(try stage.alice.titles("Groceries") == ["Bread", "Eggs", "Milk"])
  }

  @Test func aPermissionsRecordThatIsKeptBackIsOnRecord() async throws {
    let stage = try await Stage()
    try await stage.alice.share("Groceries", with: "carol", role: .editor)
    try await stage.alice.sync()
    let branch = stage.branch
    stage.mallory.transport.setTamper { request, response in
      Lie(branch: branch).page(response, to: request) { $0.rows = [] }
    }
    #expect(try await stage.mallory.sync().troubles == [branch: .rowMissing])
    #expect(try findings(stage.mallory).map(\.kind) == [.omission])
    stage.mallory.transport.setTamper { _, response in response }
    #expect(try await stage.mallory.sync().troubles.isEmpty)
    #expect(try findings(stage.mallory).map { $0.ended != nil } == [true])
  }

  /// A list that is taken off the tree takes no report with it.
  @Test func aFindingOutlivesItsList() async throws {
    let stage = try await Stage()
    let branch = stage.branch
    stage.carol.transport.setTamper { request, response in
      Lie(branch: branch).head(response, to: request) { $0.logHash = data([UInt8](repeating: 7, count: 32)) }
    }
    try await stage.carol.sync()
    stage.carol.transport.setTamper { _, response in response }
    try stage.carol.database.write { transaction in try transaction.leave(transaction.lists()[0].node) }
    try await settle(stage.carol)
    #expect(try stage.carol.listNames().isEmpty)
    #expect(try findings(stage.carol).map(\.branch) == [branch])
  }
}
