import CloudAPI
import Foundation
import GRDB
import Signing
import SwiftProtobuf
import TestSupport
import Testing

@testable import Treesystem

/// Whole pulls, taken in by the very code that a client runs, into a database of its own.
@Suite struct BranchVectors {
  struct Case: Decodable {
    struct Row: Decodable {
      struct Content: Decodable { let content, ciphertext: Hex }
      let line: UInt64
      let record: Hex
      let contents: [Content]?
    }
    let expect: String
    let branch, first, lines, headHash: Hex
    let keyrings: [String: [Hex]]
    let rows: [Row]
    let headLine: UInt64
    let branchKeys: [String: Hex]?
    let living: [Hex]?

    var page: WirePage {
      get throws {
        try WirePage.with {
          $0.branch = data(branch.bytes)
          $0.lines = data(lines.bytes)
          $0.headLine = headLine
          $0.headHash = data(headHash.bytes)
          $0.rows = try rows.map { row in
            try WireRow.with {
              $0.line = row.line
              $0.record = try WireSignedRecord(serializedBytes: row.record.bytes)
              $0.contents = (row.contents ?? []).map { item in
                WireContent.with {
                  $0.content = data(item.content.bytes)
                  $0.ciphertext = data(item.ciphertext.bytes)
                }
              }
            }
          }
        }
      }
    }
  }

  /// Believes every content. The reader of the vectors is a stranger to the branch, so only keys that a case gives open anything.
  struct AnyApp: TreesystemDelegate {
    func content(of node: Node, in transaction: CloudTransaction) -> NodeData { NodeData(data: []) }
    func receive(_ discovery: Discovery, in transaction: CloudTransaction) -> Merge { .settled }
  }

  @Test(arguments: Vector.all("branch")) func branch(_ vector: Vector) throws {
    let item = try vector.decode(Case.self)
    let path = FileManager.default.temporaryDirectory.appending(path: "vector-\(UUID().uuidString)").path
    defer {
      for suffix in ["", "-wal", "-shm", ".lock"] { try? FileManager.default.removeItem(atPath: path + suffix) }
    }
    try BlankDatabase.makeProfile(at: path, [])
    let database = try CloudDatabase(path: path, appMigrations: [], entropy: SeededEntropy("v"), clock: ManualClock())
    let result = try outcome { try database.write { try pull(item, $0) } }
    let reasons = try database.read { try $0.quarantined() }.map(\.reason.rawValue)
    guard item.expect != "ok" else {
      #expect(result == "ok")
      #expect(reasons.filter { !isOnlyUnopened($0, item) } == [], "\(reasons)")
      if let living = item.living { #expect(try database.read { try nodes($0) } == Set(living)) }
      return
    }
    if result == "ok" {
      #expect(reasons.contains(item.expect), "\(reasons)")
    } else {
      #expect(result == item.expect)
    }
  }

  /// The nodes in the local tree, without the root.
  private func nodes(_ transaction: CloudTransaction) throws -> Set<Hex> {
    Set(
      try Data.fetchAll(
        transaction.db,
        sql:
          "SELECT n.cloud_id FROM nodes n JOIN branches b ON b.id = n.branch WHERE n.parent IS NOT NULL AND b.trunk IS NULL"
      )
      .map { Hex(bytes: Array($0)) })
  }

  /// A message cannot be opened by a stranger, and what no key was given for neither.
  private func isOnlyUnopened(_ reason: String, _ item: Case) -> Bool {
    reason == Refusal.keyMismatch.rawValue || reason == Refusal.contentMissing.rawValue
      || reason == Refusal.nameTokenWrong.rawValue && item.branchKeys == nil
  }

  private func pull(_ item: Case, _ transaction: CloudTransaction) throws {
    for (user, entries) in item.keyrings {
      guard let id = UserID(bytes: Base16.decode(user) ?? []) else { throw Refusal.malformed }
      try transaction.extendKeyring(id, with: try entries.map { try $0.record })
    }
    let branch = try transaction.insertBranch(try item.branch.id(), firstPermissions: try item.first.id(), in: nil)
    try transaction.db.cachedStatement(sql: "INSERT INTO nodes (branch, cloud_id, name) VALUES (?, ?, '')")
      .execute(arguments: [branch, try item.branch.id(CloudID.self)])
    for (epoch, key) in item.branchKeys ?? [:] {
      try transaction.setBranchKey(SecretBytes(key.bytes), of: branch, epoch: UInt64(epoch) ?? 0)
    }
    let entropy = SeededEntropy("stranger")
    let stranger = Identity(
      user: .random(entropy), device: .random(entropy), signingKey: SigningKey(entropy),
      boxSecret: SecretBytes(entropy.bytes(32)))
    let reader = PageReader(transaction: transaction, delegate: AnyApp(), identity: stranger)
    do {
      #expect(try reader.read(try IncomingPage(item.page), of: branch))
    } catch let found as Contradiction {
      // A member's word for another past stops the branch (§4.4); the vectors name the reason of the record that says it.
      throw found.reason ?? .fork
    }
  }
}
