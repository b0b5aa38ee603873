import Foundation
import GRDB
import Sealing
import Signing
import TestSupport
import Testing
import TodoCore
import Treesystem

@testable import SealedDisk

/// A sealed profile is the same profile, and its folder tells nothing.
struct SealTests {
  private let stage: Stage

  init() throws { stage = try Stage() }

  private func seal() throws { try ProfileSeal(path: stage.path).seal(under: stage.key, stage.keyFile()) }

  @Test func aSealedProfileIsTheSame() throws {
    try stage.open().add(["milk", "eggs"])
    try seal()
    #expect(try ProfileSeal(path: stage.path).key() == stage.key.id)
    try stage.open(stage.key).add(["bread"])
    let database = try stage.open(stage.key)
    #expect(try database.titles() == ["bread", "eggs", "milk"])
    #expect(try database.integrityProblems().isEmpty)
  }

  @Test func withoutTheKeyNothingOpens() throws {
    try stage.open().add(["milk"])
    try seal()
    let before = try stage.files()
    #expect(throws: StoreError.locked) { try stage.open() }
    #expect(throws: StoreError.locked) { try stage.open(DatabaseKey(SystemEntropy())) }
    let forged = try #require(DatabaseKey(id: stage.key.id, secret: SecretBytes([UInt8](repeating: 7, count: 32))))
    #expect(throws: StoreError.self) { try stage.open(forged) }
    #expect(try stage.files()["todo.db"] == before["todo.db"])
    #expect(try stage.open(stage.key).titles() == ["milk"])
  }

  @Test func theSealComesOff() throws {
    try stage.open().add(["milk"])
    try seal()
    try stage.open(stage.key).add(["eggs"])
    try ProfileSeal(path: stage.path).unseal(stage.key)
    #expect(try ProfileSeal(path: stage.path).key() == nil)
    #expect(try ProfileSeal(path: stage.path).keyFile() == nil)
    #expect(try stage.open().titles() == ["eggs", "milk"])
    // A key that is no longer needed does no harm.
    #expect(try stage.open(stage.key).titles() == ["eggs", "milk"])
    #expect(try stage.files().keys.sorted() == ["todo.db", "todo.db.key.old", "todo.db.lock", "todo.db.sync"])
  }

  @Test func anotherPassphraseOpensTheSameKey() throws {
    try stage.open().add(["milk"])
    try seal()
    let database = try stage.files()["todo.db"]
    let profile = ProfileSeal(path: stage.path)
    try profile.replaceKeyFile(stage.keyFile("battery staple"))
    let file = try #require(try profile.keyFile())
    #expect(throws: KeyFileError.keyUnopenable) { try file.open(Passphrase(Array("correct horse".utf8))) }
    #expect(try file.open(Passphrase(Array("battery staple".utf8))).secret == stage.key.secret)
    #expect(try stage.files()["todo.db"] == database)
  }

  /// To put another file in its place would part it from what it believes to write.
  @Test func whoHasItOpenIsNotParted() throws {
    let database = try stage.open()
    try database.add(["milk"])
    #expect(throws: StoreError.busy) { try seal() }
    #expect(try stage.files().keys.contains("todo.db.key") == false)
    try database.add(["eggs"])
    #expect(try database.titles() == ["eggs", "milk"])
  }

  /// Two connections, as two processes have them, through the log and its shared index.
  @Test func aReaderHoldsNobodyUp() throws {
    try stage.open().add(["milk"])
    try seal()
    let (reader, writer) = (try stage.open(stage.key), try stage.open(stage.key))
    try reader.read { transaction in
      let list = try #require(try transaction.lists().first)
      for number in 0..<30 { try writer.add(["todo \(number)"]) }
      #expect(try transaction.todos(in: list.node, .open).count == 1)
    }
    #expect(try reader.titles().count == 31)
    let sealed = try String(decoding: #require(try stage.files()["todo.db-wal"]), as: UTF8.self)
    #expect(!sealed.contains("todo 1"))
  }

  @Test func aSealedProfileIsWrittenInFull() throws {
    try stage.open().add(["milk"])
    try seal()
    let database = try stage.open(stage.key)
    func pragma(_ name: String) throws -> String? {
      try database.read { try String.fetchOne($0.db, sql: "PRAGMA \(name)") }
    }
    #expect(try pragma("synchronous") == "2")
    #expect(try pragma("journal_mode") == "wal")
    #expect(try pragma("page_size") == "4096")
    for suffix in ["", "-wal", "-shm", ".lock", ".sync", ".key"] {
      let attributes = try FileManager.default.attributesOfItem(atPath: stage.path + suffix)
      #expect(attributes[.posixPermissions] as? Int == 0o600, "\(suffix)")
    }
  }

  /// A page that was changed, or lies elsewhere, is not believed.
  @Test func aChangedPageIsDamage() throws {
    try stage.open().add((0..<200).map { "todo \($0)" })
    try seal()
    let size = 4136
    for (first, second) in [(3, 3), (4, 5)] {
      var bytes = try #require(try stage.files()["todo.db"])
      let whole = bytes
      if first == second {
        bytes[64 + first * size + 100] ^= 1
      } else {
        bytes.replaceSubrange(
          64 + first * size..<64 + (first + 1) * size, with: whole[(64 + second * size)...].prefix(size))
      }
      try Data(bytes).write(to: URL(filePath: stage.path))
      #expect(throws: StoreError.damaged) {
        let database = try stage.open(stage.key)
        _ = try database.titles()
        let problems = try database.integrityProblems()
        #expect(problems == [])
      }
      try Data(whole).write(to: URL(filePath: stage.path))
    }
    #expect(try stage.open(stage.key).titles().count == 200)
  }

  @Test func aPathMayHoldAnything() throws {
    let folder = stage.folder.appending(path: "a b?vfs=x&c%41#é")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let path = folder.appending(path: "todo.db").path
    try stage.open(at: path).add(["milk"])
    try ProfileSeal(path: path).seal(under: stage.key, stage.keyFile())
    #expect(try stage.open(stage.key, at: path).titles() == ["milk"])
  }
}
