import CloudAPI
import CloudServer
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

/// Invariant 4: nobody without the letter can make a client believe a change (not the server, not a reader, not a removed member,
/// not all of them together), once that client has seen the removal or any write by someone who had; until then the server can
/// only keep it in a fork, which the first such write reveals.
@Suite struct RemovedMemberTests {
  /// Mallory was taken off the list, and alice wrote after that. `fork` is a server that never heard of it.
  private struct Scene {
    let stage: Stage
    let fork: World
    /// Where everybody was before.
    let start: LogHead
    var branch: CloudID { stage.branch }

    init() async throws {
      stage = try await Stage()
      start = try Hand(stage.alice, on: stage.branch).head
      fork = try World(copying: stage.world, seed: "fork")
      let alice = stage.alice
      let mallory = try stage.mallory.database.read { try $0.requireAccount().user }
      try alice.database.write { try $0.unshare($0.lists()[0].node, with: mallory) }
      try await alice.sync()
      try alice.add("Groceries", "Champagne")
      try alice.edit("Milk", to: "Caviar")
      let eggs = try alice.todo("Eggs")
      try await alice.sync()
      try alice.database.write { try $0.delete(eggs.node) }
      try await alice.sync()
    }

    /// What was written after the removal, with it, as it stands on the server.
    func written() throws -> [(line: Line, record: SignedRecord, contents: [WireContent])] {
      try stage.world.storage.read { storage in
        try storage.lines(of: branch, after: start.line, limit: 100).compactMap { line in
          if line.kind == .permissions {
            return try storage.permissions(of: branch, named: line.hash).map { (line, $0, []) }
          }
          guard let node = try storage.node(at: line.number, of: branch) else { return nil }
          let contents = try storage.contents(of: node.cloudID, in: branch).map { content in
            WireContent.with {
              $0.content = data(content.content.bytes)
              $0.ciphertext = data(content.bytes)
            }
          }
          return (line, node.record, contents)
        }
      }
    }

    /// The record of alice's of a kind, to be shown where it does not stand.
    func draft(_ kind: Line.Kind) throws -> Draft {
      let found = try #require(try written().last { $0.line.kind == kind })
      return Draft(
        kind: kind, node: found.line.cloudID, record: found.record, operationID: .random(SystemEntropy()),
        contents: found.contents, sender: stage.alice)
    }
  }

  /// The server hands mallory everything that it has; nothing of it opens with anything that mallory has.
  @Test func aRemovedMemberCannotReadOneByteWrittenAfterwards() async throws {
    let scene = try await Scene()
    let (branch, written) = (scene.branch, try scene.written())
    let keys = try scene.stage.mallory.database.read { transaction in
      let id = try #require(try transaction.branch(branch))
      let branches = try Row.fetchAll(
        transaction.db, sql: "SELECT epoch, key FROM branch_keys WHERE branch = ?", arguments: [id]
      ).map { BranchKey(branch: branch, epoch: UInt64($0[0] as Int64), secret: SecretBytes(Array($0[1] as Data))) }
      let nodes = try Data.fetchAll(transaction.db, sql: "SELECT node_key FROM nodes WHERE node_key IS NOT NULL")
      let users = try (1...4).compactMap { try transaction.userKey(generation: $0)?.box }
      return (branches: branches, nodes: nodes.map { SecretBytes(Array($0)) }, users: users)
    }
    #expect(!keys.branches.isEmpty && !keys.nodes.isEmpty && !keys.users.isEmpty)
    var (records, contents) = (0, 0)
    for (line, record, ciphertexts) in written {
      if line.kind == .permissions {
        let body = try PermissionsBody(decoding: record.body)
        #expect(!body.entries.contains { entry in keys.users.contains { $0.open(sealedBox: entry.sealedKey) != nil } })
        for older in body.olderKeys {
          #expect(keys.branches.allSatisfy { $0.open(older: older.sealed, epoch: older.epoch) == nil })
        }
        records += 1
      } else if line.kind == .header {
        let body = try HeaderBody(decoding: record.body)
        for key in keys.branches {
          let own = BranchKey(branch: branch, epoch: body.epoch, secret: key.secret)
          #expect(own.unwrap(body.wrappedKey, of: body.cloudID, commitment: body.keyCommitment) == nil)
        }
        for (reference, sealed) in zip(body.contents, ciphertexts) {
          for secret in keys.nodes {
            let key = NodeKey(branch: branch, node: body.cloudID, secret: secret)
            let opened = try? key.open(
              Array(sealed.ciphertext), content: reference.content, section: reference.section.rawValue,
              device: reference.device)
            #expect(opened == nil)
            contents += 1
          }
        }
        records += 1
      }
    }
    #expect(records >= 3 && contents > 0)
    // Nor does mallory's own client get further, which keeps what it had.
    try helpMallory(scene, written)
    let report = try await scene.stage.mallory.sync()
    #expect(report.received > 0)
    #expect(try scene.stage.mallory.titles("Groceries").allSatisfy { $0 != "Champagne" && $0 != "Caviar" })
    let id = try #require(try scene.stage.mallory.database.read { try $0.branch(branch) })
    #expect(try scene.stage.mallory.database.read { try $0.branchKey(of: id, epoch: 2) } == nil)
  }

  /// Answers mallory as if he were still a member.
  private func helpMallory(
    _ scene: Scene, _ written: [(line: Line, record: SignedRecord, contents: [WireContent])]
  ) throws {
    let branch = scene.branch
    let (lines, head) = try scene.stage.world.storage.read { storage in
      (try storage.lines(of: branch, after: scene.start.line, limit: 100), try #require(try storage.head(of: branch)))
    }
    scene.stage.mallory.transport.setTamper { request, response in
      if request.path == Route.pull.path, let asked = try? decode(WirePullRequest.self, request.body),
        Array(asked.branch) == branch.bytes
      {
        var response = response
        response.status = 200
        response.body = encode(
          WirePage.with {
            $0.branch = data(branch.bytes)
            $0.lines = data(lines.flatMap(\.encoded))
            $0.headLine = head.line
            $0.headHash = data(head.hash.bytes)
            $0.rows = written.map { found in
              .with {
                $0.line = found.line.number
                $0.record = found.record.wire
                $0.contents = found.contents
              }
            }
          })
        return response
      }
      return Lie(branch: branch).head(response, to: request) {
        $0.denied = false
        $0.line = head.line
        $0.logHash = data(head.hash.bytes)
      }
    }
  }

  enum Attempt: CaseIterable { case header, newer, tombstone, permissions, renewal }

  /// Whoever has read the removal believes nothing of mallory's, whatever he names and however far back he claims to be.
  @Test(arguments: Attempt.allCases)
  func nobodyWithoutTheLetterCanMakeAClientBelieveAChange(_ attempt: Attempt) async throws {
    let scene = try await Scene()
    let (alice, mallory) = (scene.stage.alice, try Hand(scene.stage.mallory, on: scene.branch))
    let present = try Hand(alice, on: scene.branch)
    let (milk, hash) = try mallory.present("Milk")
    let draft =
      switch attempt {
      case .header: mallory.sign(try mallory.todo())
      case .newer:
        mallory.sign(
          try mallory.todo {
            $0.permissions = present.permissions.hash
            $0.epoch = present.key.epoch
          })
      case .tombstone: mallory.delete(milk, after: hash)
      case .permissions: mallory.permit { _ in }
      case .renewal:
        mallory.permit { body in
          body.version = present.permissions.body.version + 1
          body.previous = present.permissions.hash
          body.author.read = present.head
        }
      }
    scene.stage.pretend(draft)
    let before = try alice.titles("Groceries")
    let report = try await alice.sync()
    let quarantine = try alice.quarantine()
    #expect(!report.troubles.isEmpty || !quarantine.isEmpty)
    #expect(try alice.titles("Groceries") == before && before == ["Caviar", "Champagne"])
    #expect(try alice.database.read { try $0.permissions(of: $0.lists()[0].branch)?.hash } == present.permissions.hash)
    // A member who is none any more stops nobody by citing a past of his own.
    #expect(try alice.database.read { try $0.findings() }.isEmpty)
  }

  /// Carol was offline during the removal, and the server keeps her in a fork in which mallory still writes. The first write
  /// of alice's that it shows her there, the removal too, is reported, survives a restart, and ends mallory's writing.
  @Test(arguments: [Line.Kind.header, .tombstone, .permissions])
  func aForkIsReportedAtTheFirstWriteOfSomebodyWhoHadSeenTheRemoval(_ kind: Line.Kind) async throws {
    let scene = try await Scene()
    let (carol, mallory) = (scene.stage.carol, scene.stage.mallory)
    for device in [carol, mallory] { device.transport.setCloud(scene.fork.cloud) }
    try mallory.add("Groceries", "Wine")
    try await mallory.sync()
    // Until then nothing tells her.
    #expect(try await carol.sync().troubles.isEmpty)
    #expect(try carol.titles("Groceries") == ["Eggs", "Milk", "Wine"])
    scene.stage.pretend(try scene.draft(kind), to: carol)
    #expect(try await carol.sync().troubles == [scene.branch: .fork])
    try expectReport(carol, scene)
    // The server hides it again, and mallory goes on.
    carol.transport.setTamper { _, response in response }
    try mallory.add("Groceries", "Beer")
    try await mallory.sync()
    #expect(try await carol.sync().troubles == [scene.branch: .fork])
    let restarted = try scene.stage.world.device("carol")
    restarted.transport.setCloud(scene.fork.cloud)
    #expect(try await restarted.sync().troubles == [scene.branch: .fork])
    #expect(try restarted.titles("Groceries") == ["Eggs", "Milk", "Wine"])
    try expectReport(restarted, scene)
    // Nor does the true log take her back without being asked: she has believed what is not in it.
    restarted.transport.setCloud(scene.stage.world.cloud)
    #expect(try await restarted.sync().troubles == [scene.branch: .fork])
  }

  private func expectReport(_ reader: Device, _ scene: Scene) throws {
    let alice = try scene.stage.alice.database.read { try $0.requireAccount() }
    let found = try #require(try reader.database.read { try $0.findings() }.first)
    #expect(found.branch == scene.branch && found.line > scene.start.line && found.ended == nil)
    #expect(found.toldBy == Finding.Signer(user: alice.user, device: alice.device))
    #expect(found.firstSeen == scene.stage.world.clock.now())
  }
}
