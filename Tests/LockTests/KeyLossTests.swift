import Foundation
import Sealing
import Signing
import Testing
import TodoCore
import Treesystem

@testable import SealedDisk

/// A key file goes nowhere on a guess: not while nobody can tell what it belongs to. Each system call that fails is played on the real program
/// (`scripts/crash keys`).
struct KeyLossTests {
  private let stage: Stage
  private let passphrase: Passphrase

  init() throws {
    stage = try Stage()
    passphrase = try Passphrase(Array("correct horse".utf8))
  }

  private func url(_ name: String) -> URL { stage.folder.appending(path: name) }
  private func move(_ name: String, to other: String) throws {
    try FileManager.default.moveItem(at: url(name), to: url(other))
  }

  /// A locked profile as a `todo lock` leaves it that ends before the key file has its name. Returns the key file.
  private func interrupted() throws -> [UInt8] {
    try stage.open().add(["milk"])
    try ProfileSeal(path: stage.path).seal(under: stage.key, stage.keyFile())
    try move("todo.db.key", to: "todo.db.key.new")
    return try #require(try stage.files()["todo.db.key.new"])
  }

  private func requireThatItOpens(with key: [UInt8]) throws {
    #expect(try stage.open(stage.key).titles() == ["milk"])
    #expect(try stage.files()["todo.db.key"] == key)
    #expect(try ProfileSeal(path: stage.path).keyFile()?.open(passphrase).secret == stage.key.secret)
  }

  /// A link to itself, and one that leads nowhere: `ELOOP` and `ENOENT`, where something is there.
  @Test(arguments: ["todo.db", "nowhere"]) func aDatabaseThatCannotBeReadLeavesItAlone(target: String) throws {
    let key = try interrupted()
    try move("todo.db", to: "elsewhere")
    try FileManager.default.createSymbolicLink(atPath: stage.path, withDestinationPath: target)
    #expect(throws: StoreError.unreadable) { try stage.open(stage.key) }
    #expect(throws: StoreError.unreadable) { try ProfileSeal(path: stage.path).tidy() }
    #expect(throws: StoreError.unreadable) { try ProfileSeal(path: stage.path).seal(under: stage.key, stage.keyFile()) }
    #expect(FileManager.default.contents(atPath: url("todo.db.key.new").path).map { Array($0) } == key)
    try FileManager.default.removeItem(atPath: stage.path)
    try move("elsewhere", to: "todo.db")
    try requireThatItOpens(with: key)
  }

  @Test func soDoesOneThatIsGone() throws {
    let key = try interrupted()
    try move("todo.db", to: "elsewhere")
    #expect(throws: StoreError.missing) { try stage.open() }
    #expect(!FileManager.default.fileExists(atPath: stage.path))
    try move("elsewhere", to: "todo.db")
    try requireThatItOpens(with: key)
  }

  @Test(arguments: [[], [UInt8](repeating: 0, count: 8192), Array("todo/v1".utf8)])
  func soDoesOneThatIsNone(bytes: [UInt8]) throws {
    let key = try interrupted()
    try move("todo.db", to: "elsewhere")
    try Data(bytes).write(to: url("todo.db"))
    #expect(throws: StoreError.notSealed) { try stage.open() }
    #expect(try stage.files()["todo.db"] == bytes)
    try FileManager.default.removeItem(at: url("todo.db"))
    try move("elsewhere", to: "todo.db")
    try requireThatItOpens(with: key)
  }

  /// A copy of the sealed database may be somewhere, and a key that was put aside before belongs to another.
  @Test func beneathAPlainDatabaseItIsKeptAside() throws {
    try stage.open().add(["milk"])
    let files = try [stage.keyFile(), stage.keyFile("battery staple")].map(\.encoded)
    for file in files {
      try Data(file).write(to: url("todo.db.key.new"))
      #expect(try stage.open().titles() == ["milk"])
    }
    #expect(try stage.files()["todo.db.key.old"] == files[0])
    #expect(try stage.files()["todo.db.key.old.2"] == files[1])
    #expect(try stage.files()["todo.db.key.new"] == nil)
  }

  @Test func ofTwoTheOneThatOpensCounts() throws {
    let key = try interrupted()
    let other = try KeyFile(DatabaseKey(SystemEntropy()), under: passphrase, cost: stage.cost, SystemEntropy()).encoded
    try Data(other).write(to: url("todo.db.key"))
    try requireThatItOpens(with: key)
    #expect(try stage.files()["todo.db.key.old"] == other)
    // And the other way round.
    try Data(other).write(to: url("todo.db.key.new"))
    try requireThatItOpens(with: key)
    #expect(try stage.files()["todo.db.key.old.2"] == other)
  }

  @Test func aFileThatIsGoneIsWrittenAnew() throws {
    let key = try interrupted()
    try move("todo.db.key.new", to: "elsewhere")
    let seal = ProfileSeal(path: stage.path)
    #expect(try !seal.hasKeyFile())
    try seal.replaceKeyFile(stage.keyFile())
    #expect(try seal.hasKeyFile() && stage.files()["todo.db.key"] != key)
    #expect(try seal.keyFile()?.open(passphrase).secret == stage.key.secret)
    // Half of a file is none; another key's is put aside.
    try Data(key.prefix(100)).write(to: url("todo.db.key"))
    #expect(try !seal.hasKeyFile())
    try seal.replaceKeyFile(stage.keyFile())
    #expect(try seal.hasKeyFile() && stage.files()["todo.db.key.old"] == Array(key.prefix(100)))
  }

  /// Names that lead to the database beside its own would leave all of it readable.
  @Test(arguments: [true, false]) func aDatabaseWithTwoNamesIsNotSealed(isSymbolic: Bool) throws {
    try stage.open().add(["milk"])
    let other = url("other").path
    if isSymbolic {
      try move("todo.db", to: "other")
      try FileManager.default.createSymbolicLink(atPath: stage.path, withDestinationPath: other)
    } else {
      try FileManager.default.linkItem(atPath: stage.path, toPath: other)
    }
    let plain = try #require(try stage.files()["other"])
    #expect(throws: StoreError.linked) { try ProfileSeal(path: stage.path).seal(under: stage.key, stage.keyFile()) }
    let files = try stage.files()
    #expect(files["other"] == plain && files["todo.db"] == plain && !files.keys.contains { $0.contains("key") })
    #expect(try stage.open().titles() == ["milk"])
  }

  /// The log has what is not in the database yet.
  @Test(arguments: ["todo.db-wal", "todo.db-journal"]) func aLogWithTwoNamesIsNotSealed(name: String) throws {
    try stage.open().add(["milk"])
    try Data().write(to: url(name))
    try FileManager.default.linkItem(atPath: url(name).path, toPath: url("other").path)
    #expect(throws: StoreError.linked) { try ProfileSeal(path: stage.path).seal(under: stage.key, stage.keyFile()) }
    #expect(try !stage.files().keys.contains { $0.contains("key") })
  }

  /// What is behind the last page is never read, and counted.
  @Test func whatIsAppendedIsCounted() throws {
    _ = try interrupted()
    let seal = ProfileSeal(path: stage.path)
    func stray() throws -> Int {
      let database = try stage.open(stage.key)
      return try seal.strayBytes { try database.read { try $0.pageCount() } }
    }
    #expect(try stray() == 0)
    let handle = try FileHandle(forWritingTo: url("todo.db"))
    try handle.seekToEnd()
    try handle.write(contentsOf: Data(repeating: 7, count: 5000))
    try handle.close()
    #expect(try stray() == 5000)
  }
}

/// A database is made where there is none and nothing of one, and is whole from the beginning.
struct NewDatabaseTests {
  private let stage: Stage

  init() throws { stage = try Stage() }

  @Test func anEmptiedOneIsNotTakenForANewOne() throws {
    try stage.open().add(["milk"])
    try Data().write(to: URL(filePath: stage.path))
    #expect(throws: StoreError.damaged) { try stage.open() }
    #expect(try stage.files()["todo.db"] == [])
  }

  @Test(arguments: ["todo.db-wal", "todo.db.new", "todo.db.files/1"])
  func whatIsLeftOfOneStandsInTheWay(name: String) throws {
    let left = stage.folder.appending(path: name)
    try FileManager.default.createDirectory(at: left.deletingLastPathComponent(), withIntermediateDirectories: true)
    try Data("what was".utf8).write(to: left)
    #expect(throws: StoreError.missing) { try stage.open() }
    #expect(try Data(contentsOf: left) == Data("what was".utf8))
    #expect(!FileManager.default.fileExists(atPath: stage.path))
    try FileManager.default.removeItem(at: left)
    #expect(try stage.open().titles() == [])
  }

  /// Wherever that stops, the next one makes it.
  @Test func halfAFirstPageIsNoDatabase() throws {
    try Data(repeating: 1, count: 100).write(to: stage.folder.appending(path: "todo.db.blank"))
    try stage.open().add(["milk"])
    #expect(try stage.open().titles() == ["milk"])
    #expect(try stage.open().integrityProblems() == [])
    #expect(try stage.files()["todo.db.blank"] == nil)
  }
}
