import CloudAPI
import CloudServer
import Foundation
import Signing
import SwiftProtobuf
import TestSupport
import Testing
import TodoCore

@testable import Sharing
@testable import Treesystem

/// A server that was restored from a backup gets back what it lost from the devices, hash for hash (spec §4.5).
@Suite struct RepairServerTests {
  private func head(_ device: Device, _ branch: CloudID) throws -> LogHead { try Hand(device, on: branch).head }

  private func serverHead(_ world: World, _ branch: CloudID) throws -> LogHead? {
    try world.storage.read { try $0.head(of: branch) }
  }

  private func restored(_ device: Device) async throws -> [CloudID?: ServerRepair.Outcome] {
    Dictionary(try await device.session.repairServer().map { ($0.branch, $0.outcome) }) { first, _ in first }
  }

  /// A day's work on the list: new, changed several times, deleted, and another role.
  private func work(_ stage: Stage) async throws {
    let (alice, mallory) = (stage.alice, stage.mallory)
    try alice.add("Groceries", "Bread")
    try await alice.sync()
    try await mallory.sync()
    try mallory.edit("Milk", to: "Soy milk")
    try await mallory.sync()
    try await alice.share("Groceries", with: "carol", role: .editor)
    try await alice.sync()
    try alice.edit("Soy milk", to: "Oat milk")
    try await alice.sync()
    let eggs = try alice.todo("Eggs")
    try alice.database.write { try $0.delete(eggs.node) }
    try mallory.add("Groceries", "Wine")
    try await settle(alice, mallory, stage.carol)
  }

  /// Members vouch for what they give back, and one of them may lie: whoever runs the server says when.
  @Test func aServerThatWasNotAskedToTakesNothingBack() async throws {
    let stage = try await Stage()
    let backup = try World(copying: stage.world, seed: "backup")
    try await work(stage)
    let before = try serverHead(backup, stage.branch)
    stage.alice.transport.setCloud(
      Cloud(storage: backup.storage, blobs: MemoryBlobStore(), policy: .open, clock: stage.world.clock))
    await #expect(throws: CloudFailure.refused(.restoreClosed)) { try await stage.alice.session.repairServer() }
    #expect(try serverHead(backup, stage.branch) == before)
  }

  /// Another device of hers was faster: her keyring is another one, and what her lists lost is given back all the same.
  @Test func aKeyringThatWentOnKeepsNoListFromComingBack() async throws {
    let stage = try await Stage()
    let root = try #require(try stage.alice.database.read { try $0.root() })
    let backup = try World(copying: stage.world, seed: "backup")
    _ = try await stage.alice.second("tablet", "alice", in: stage.world)
    try await work(stage)
    let read = try head(stage.alice, stage.branch)
    stage.alice.transport.setCloud(backup.cloud)
    let other = try backup.device("other")
    try await other.session.logIn(root: root, handle: "alice", server: "test")
    let outcomes = try await restored(stage.alice)
    guard case .refused(.chainBroken)? = outcomes[nil] else {
      Issue.record("what the server has of the keyring continues hers")
      return
    }
    #expect(try serverHead(backup, stage.branch) == read)
  }

  @Test func whatAServerLostIsGivenBackHashForHash() async throws {
    let stage = try await Stage()
    let backup = try World(copying: stage.world, seed: "backup")
    try await work(stage)
    let (read, devices) = (try head(stage.alice, stage.branch), [stage.alice, stage.mallory, stage.carol])
    let expected = ["Bread", "Oat milk", "Wine"]
    for device in devices { device.transport.setCloud(backup.cloud) }
    #expect(try await stage.alice.sync().troubles[stage.branch] == .fork)
    #expect(try stage.alice.database.read { try $0.findings() }.allSatisfy { $0.kind == .rollback })
    guard case .restored(let lines, let again, let lacking)? = try await restored(stage.alice)[stage.branch] else {
      Issue.record("not restored")
      return
    }
    // Mallory and carol may have read more than she has, and would be shut out by what she wrote on top.
    #expect(lines > 5 && again == 0 && lacking == 3)
    #expect(try serverHead(backup, stage.branch) == read)
    // Everybody else knows the log that they find, and takes up what was sealed anew.
    try await settle(stage.alice, stage.mallory, stage.carol)
    for device in devices {
      // What only they have, their inboxes, they give back themselves.
      _ = try await device.session.repairServer()
      #expect(try await device.sync().troubles.isEmpty)
      #expect(try device.titles("Groceries") == expected)
      #expect(try device.quarantine().isEmpty && device.unsent() == 0)
      #expect(try device.database.read { try $0.findings() }.allSatisfy { $0.ended != nil })
    }
    // A device that has nothing reads all of it from the repaired server, and carol has her new role there.
    let fresh = try backup.device("fresh")
    let root = try #require(try stage.alice.database.read { try $0.root() })
    try await fresh.session.logIn(root: root, handle: "alice", server: "test")
    try await fresh.sync()
    #expect(try fresh.titles("Groceries") == expected && fresh.quarantine().isEmpty)
    try stage.carol.add("Groceries", "Salt")
    try await settle(stage.carol, fresh)
    #expect(try fresh.titles("Groceries") == (expected + ["Salt"]).sorted())
    guard case .whole? = try await restored(stage.alice)[stage.branch] else {
      Issue.record("nothing is missing any more")
      return
    }
  }

  /// Whoever has read less gives back first what they have, and writes nothing on top of it that would shut out who has read more.
  @Test func whoeverIsBehindShutsNobodyOut() async throws {
    let stage = try await Stage()
    let backup = try World(copying: stage.world, seed: "backup")
    let (alice, mallory) = (stage.alice, stage.mallory)
    try mallory.add("Groceries", "Tea")
    try await settle(mallory, alice)
    try mallory.add("Groceries", "Rum")
    try await mallory.sync()
    for device in [alice, mallory] { device.transport.setCloud(backup.cloud) }
    guard case .restored(_, 0, lacking: 1...)? = try await restored(alice)[stage.branch] else {
      Issue.record("alice has less, and writes on top")
      return
    }
    try await alice.sync()
    guard case .restored(1..., _, _)? = try await restored(mallory)[stage.branch] else {
      Issue.record("mallory has more, and is shut out")
      return
    }
    try await settle(mallory, alice)
    for device in [mallory, alice] {
      _ = try await device.session.repairServer()
      try await settle(device)
    }
    for device in [alice, mallory, alice] {
      #expect(try await device.sync().troubles[stage.branch] == nil)
      #expect(try device.titles("Groceries") == ["Eggs", "Milk", "Rum", "Tea"])
      #expect(try device.quarantine().isEmpty && device.unsent() == 0)
    }
  }

  /// Accounts, devices and lists that the backup never heard of come back as well, each from who owns them.
  @Test func accountsAndListsThatTheBackupDoesNotKnowComeBack() async throws {
    let stage = try await Stage()
    let backup = try World(copying: stage.world, seed: "backup")
    let dave = try await stage.world.person("dave")
    try stage.alice.add("Work", "Mail")
    try await stage.alice.share("Work", with: "dave")
    try await settle(stage.alice, dave)
    try dave.accept()
    try await settle(dave, stage.alice)
    let phone = try await dave.second("phone", "dave", in: stage.world)
    for device in [stage.alice, dave, phone] { device.transport.setCloud(backup.cloud) }
    await #expect(throws: CloudFailure.refused(.deviceUnknown)) { try await phone.sync() }
    // Nor does it sign out as if its account were safe elsewhere.
    await #expect(throws: CloudFailure.refused(.deviceUnknown)) { try await phone.session.endThisDevice() }
    // The phone was added last, and gives its own account back all the same.
    _ = try await phone.session.repairServer()
    try await settle(phone)
    for device in [stage.alice, dave] { _ = try await device.session.repairServer() }
    try await settle(stage.alice, dave, phone)
    for device in [stage.alice, dave, phone] {
      #expect(try device.titles("Work") == ["Mail"])
      #expect(try await device.sync().troubles.isEmpty)
    }
    try phone.tick("Mail")
    try await settle(phone, stage.alice)
    #expect(try stage.alice.titles("Work") == ["✓ Mail"])
  }

  /// Its owner and its members have synced before anybody gave it back: the server denied it to them, and wrongly.
  @Test func aListThatTheBackupDoesNotKnowComesBackAfterASync() async throws {
    let stage = try await Stage()
    let backup = try World(copying: stage.world, seed: "backup")
    let (alice, mallory) = (stage.alice, stage.mallory)
    try alice.add("Work", "Mail")
    try await alice.share("Work", with: "mallory")
    try await settle(alice, mallory)
    try mallory.accept()
    try await settle(mallory, alice)
    let work = try alice.branch("Work")
    try mallory.add("Work", "Post")
    for device in [alice, mallory] {
      device.transport.setCloud(backup.cloud)
      try await device.sync()
      #expect(try device.database.read { try $0.troubles() }.contains { $0.reason == .branchDenied })
    }
    for device in [alice, mallory] {
      guard let outcome = try await restored(device)[work] else {
        Issue.record("left out")
        return
      }
      if case .refused(let reason) = outcome { Issue.record("refused: \(reason)") }
    }
    try await settle(alice, mallory)
    for device in [alice, mallory] {
      #expect(try await device.sync().troubles.isEmpty)
      #expect(try device.titles("Work") == ["Mail", "Post"] && device.unsent() == 0)
    }
  }

  /// Whoever was taken off reads nothing by it, and changes nothing.
  @Test func whoWasTakenOffGivesNothingBack() async throws {
    let stage = try await Stage()
    let carol = try Hand(stage.carol, on: stage.branch).user
    try stage.alice.database.write { _ = try $0.unshare($0.lists()[0].node, with: carol) }
    try await settle(stage.alice, stage.carol)
    let before = try serverHead(stage.world, stage.branch)
    guard case .refused(.letterMissing)? = try await restored(stage.carol)[stage.branch] else {
      Issue.record("not refused")
      return
    }
    #expect(try serverHead(stage.world, stage.branch) == before)
  }

  /// Where the restored server has gone on, nobody's lines are thrown away: both authors are named, and nothing is lost here.
  @Test func whereTheServerHasGoneOnItIsAForkWithBothAuthors() async throws {
    let stage = try await Stage()
    let backup = try World(copying: stage.world, seed: "backup")
    try stage.alice.add("Groceries", "Bread")
    try await stage.alice.sync()
    for device in [stage.alice, stage.mallory] { device.transport.setCloud(backup.cloud) }
    try stage.mallory.add("Groceries", "Wine")
    try await stage.mallory.sync()
    let there = try serverHead(backup, stage.branch)
    guard case .refused(.fork)? = try await restored(stage.alice)[stage.branch] else {
      Issue.record("not refused")
      return
    }
    try await stage.alice.sync()
    let found = try #require(try stage.alice.database.read { try $0.findings() }.first { $0.kind == .fork })
    let (alice, mallory) = (
      try Hand(stage.alice, on: stage.branch).user, try Hand(stage.mallory, on: stage.branch).user
    )
    #expect(found.knownBy?.user == alice && found.toldBy?.user == mallory)
    #expect(try serverHead(backup, stage.branch) == there)
    #expect(try stage.alice.titles("Groceries") == ["Bread", "Eggs", "Milk"])
  }

  enum Untruth: CaseIterable { case stranger, gap, otherStart, signature, nobodysLine, withoutRecord, otherPast }

  /// The server takes nothing that does not continue its own log and vouch for itself.
  @Test(arguments: Untruth.allCases)
  func theServerTakesNoLineThatNobodyVouchesFor(_ lie: Untruth) async throws {
    let stage = try await Stage()
    let backup = try World(copying: stage.world, seed: "backup")
    let start = try head(stage.alice, stage.branch)
    try await work(stage)
    let sender = lie == .stranger ? try await backup.person("eve") : stage.carol
    sender.transport.setCloud(backup.cloud)
    var message = try stage.carol.database.read { transaction in
      let followed = try #require(try transaction.followedBranches().first { $0.cloudID == stage.branch })
      let end = try #require(try transaction.cursor(of: followed.id))
      return try transaction.restoreRequest(of: followed, after: start, upTo: end.line).message
    }
    let reason = try bend(&message, lie, start)
    let request = message
    await #expect(throws: CloudFailure.refused(reason)) {
      try await sender.session.connection().call(.restore, request, answer: WireRestored.self)
    }
    #expect(try serverHead(backup, stage.branch) == start)
  }

  private func bend(_ message: inout WireRestoreRequest, _ lie: Untruth, _ start: LogHead) throws -> Refusal {
    var lines = try Line.decode(Array(message.lines))
    defer { message.lines = data(lines.flatMap(\.encoded)) }
    switch lie {
    case .stranger: return .letterMissing
    case .gap:
      lines.remove(at: 1)
      return .chainBroken
    case .otherStart:
      message.afterHash = data([UInt8](repeating: 7, count: 32))
      return .fork
    case .signature:
      message.rows[0].record.signature[3] ^= 1
      let record = try SignedRecord(message.rows[0].record)
      lines[0] = Line(number: lines[0].number, kind: lines[0].kind, cloudID: lines[0].cloudID, hash: record.hash)
      return .signatureBad
    case .nobodysLine:
      let last = try #require(lines.last)
      lines.append(
        Line(
          number: last.number + 1, kind: .header, cloudID: .random(SystemEntropy()), hash: .random(SystemEntropy())))
      return .rowMissing
    case .withoutRecord:
      message.rows.removeLast()
      return .rowMissing
    case .otherPast:
      // What the server has has to be what was read.
      message.afterLine = start.line - 1
      message.afterHash = data(start.hash.bytes)
      return .fork
    }
  }
}
