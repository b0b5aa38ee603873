import CloudAPI
import CloudServer
import Foundation
import GRDB
import Glibc
import TestSupport
import Testing
import Treesystem

/// What is acknowledged is on the disk, and nobody else on the machine can read it.
@Suite struct DisciplineTests {
  /// GRDB chooses NORMAL by itself, which can lose acknowledged commits at a power cut.
  @Test func aProfileIsWrittenInFull() throws {
    let device = try World(seed: "full").device("alice")
    func pragma(_ name: String) throws -> String? {
      try device.database.read { try String.fetchOne($0.db, sql: "PRAGMA \(name)") }
    }
    #expect(try pragma("synchronous") == "2")
    #expect(try pragma("journal_mode") == "wal")
    #expect(try pragma("foreign_keys") == "1")
    let whileWriting = try device.database.write { try Int.fetchOne($0.db, sql: "PRAGMA synchronous") }
    #expect(whileWriting == 2)
  }

  @Test func aServerIsWrittenInFull() throws {
    let durability = try World(seed: "full").storage.durability()
    #expect(durability.journal == "wal" && durability.synchronous == 2)
  }

  /// Even for somebody who lets everybody read new files.
  @Test func nobodyElseReadsAProfile() throws {
    let before = umask(0)
    defer { umask(before) }
    let world = try World(seed: "modes")
    let device = try world.device("alice")
    try device.database.write { try $0.db.execute(sql: "CREATE TABLE something (id INTEGER PRIMARY KEY) STRICT") }
    for suffix in ["", "-wal", "-shm", ".lock", ".sync"] {
      let attributes = try FileManager.default.attributesOfItem(atPath: device.path + suffix)
      #expect(attributes[.posixPermissions] as? Int == 0o600, "\(suffix)")
    }
  }

  /// While one process reads, another writes, and the reader goes on seeing what it saw.
  @Test func aReaderHoldsNobodyUp() throws {
    let world = try World(seed: "reader")
    let (reader, writer) = (try world.device("alice"), try world.device("alice"))
    let counts = try reader.database.read { transaction in
      let before = try count(transaction)
      for number in 0..<50 {
        try writer.database.write {
          try $0.setTag([1], forNodeID: $0.trunk(.home).id, withIdentifier: "\(number)")
        }
      }
      return (before, try count(transaction))
    }
    #expect(counts == (0, 0))
    #expect(try reader.database.read { try count($0) } == 50)
    #expect(try reader.database.integrityProblems().isEmpty)
  }

  private func count(_ transaction: CloudTransaction) throws -> Int? {
    try Int.fetchOne(transaction.db, sql: "SELECT count(*) FROM tags")
  }
}
