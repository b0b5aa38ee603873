import Foundation
import Sealing
import Signing
import Testing
import TodoCore
import Treesystem

@testable import SealedDisk

/// Whatever stops a conversion, the profile is whole: locked, or not.
struct ConversionTests {
  private let stage: Stage
  private let passphrase: Passphrase

  init() throws {
    stage = try Stage()
    passphrase = try Passphrase(Array("correct horse".utf8))
  }

  /// What a program that ended at this moment would have left.
  private final class Disk {
    var moments: [(step: String, files: [String: [UInt8]])] = []
  }

  /// Puts files into a new folder, and returns the path of the database there.
  private func put(_ files: [String: [UInt8]]) throws -> String {
    let folder = stage.folder.appending(path: UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    for (name, bytes) in files { try Data(bytes).write(to: folder.appending(path: name)) }
    return folder.appending(path: "todo.db").path
  }

  /// The key that opens a profile, got as the program gets it.
  private func key(of path: String) throws -> DatabaseKey? {
    let profile = ProfileSeal(path: path)
    guard let id = try profile.key() else { return nil }
    let file = try #require(try profile.keyFile())
    #expect(file.id == id)
    return try file.open(passphrase)
  }

  private func check(_ path: String, _ step: String) throws {
    let key = try key(of: path)
    do {
      let database = try stage.open(key, at: path)
      #expect(try database.titles() == ["eggs", "milk"], "\(step)")
      #expect(try database.integrityProblems().isEmpty, "\(step)")
      try database.add(["bread"])
    }
    for draft in [".new", ".key.new"] {
      #expect(!FileManager.default.fileExists(atPath: path + draft), "\(step): \(draft) stays")
    }
    #expect(FileManager.default.fileExists(atPath: path + ".key") == (key != nil), "\(step)")
    // What was stopped goes through when it is tried again, and so does the way back.
    let profile = ProfileSeal(path: path)
    if key == nil { try profile.seal(under: stage.key, stage.keyFile()) }
    let sealed = try #require(try self.key(of: path))
    #expect(try stage.open(sealed, at: path).titles() == ["bread", "eggs", "milk"], "\(step)")
    try profile.unseal(sealed)
    #expect(try stage.open(at: path).titles() == ["bread", "eggs", "milk"], "\(step)")
  }

  /// The files as they are, and with drafts that were half written.
  private func moment(_ step: SealedDatabase.Step, on disk: Disk) throws {
    let files = try stage.files().filter { !$0.value.isEmpty || $0.key.hasPrefix("todo") }
    disk.moments.append(("\(step)", files))
    if let draft = files["todo.db.new"] {
      for size in [0, 10, 64, 5000] where size < draft.count {
        disk.moments.append(
          ("\(step), \(size) bytes of it", files.merging(["todo.db.new": Array(draft[..<size])]) { $1 }))
      }
    }
  }

  @Test func sealingMayBeStoppedAnywhere() throws {
    try stage.open().add(["milk", "eggs"])
    let disk = Disk()
    let file = try stage.keyFile()
    try SealedDatabase(path: stage.path).seal(under: stage.key, file) { try? moment($0, on: disk) }
    let states = try disk.moments.map { moment in
      let path = try put(moment.files)
      let isSealed = try ProfileSeal(path: path).key() != nil
      try check(path, moment.step)
      return isSealed
    }
    #expect(states.count >= 10 && states.first == false && states.last == true)
    #expect(states == states.sorted { !$0 && $1 }, "there is one moment from which it is sealed")
  }

  @Test func unsealingMayBeStoppedAnywhere() throws {
    try stage.open().add(["milk", "eggs"])
    try ProfileSeal(path: stage.path).seal(under: stage.key, stage.keyFile())
    let disk = Disk()
    try SealedDatabase(path: stage.path).unseal(stage.key) { try? moment($0, on: disk) }
    let states = try disk.moments.map { moment in
      let path = try put(moment.files)
      let isSealed = try ProfileSeal(path: path).key() != nil
      try check(path, moment.step)
      return isSealed
    }
    #expect(states.count >= 10 && states.first == true && states.last == false)
    #expect(states == states.sorted { $0 && !$1 })
  }

  /// What stands in the way is an error, and everything is as it was.
  @Test(arguments: ["todo.db.new", "todo.db.key.new", "todo.db.key.new.draft"])
  func whatCannotBeWrittenChangesNothing(name: String) throws {
    try stage.open().add(["milk"])
    let folder = stage.folder.appending(path: name)
    try FileManager.default.createDirectory(at: folder.appending(path: "full"), withIntermediateDirectories: true)
    #expect(throws: StoreError.notWritable) {
      try ProfileSeal(path: stage.path).seal(under: stage.key, stage.keyFile())
    }
    #expect(try stage.open().titles() == ["milk"])
    try FileManager.default.removeItem(at: folder)
    try ProfileSeal(path: stage.path).seal(under: stage.key, stage.keyFile())
    #expect(try stage.open(stage.key).titles() == ["milk"])
  }

  @Test func aSyncComesToItsEndFirst() throws {
    try stage.open().add(["milk"])
    let descriptor = open(stage.path + ".sync", O_RDWR)
    #expect(flock(descriptor, LOCK_EX) == 0)
    Thread.detachNewThread {
      usleep(300_000)
      close(descriptor)
    }
    let start = ContinuousClock.now
    try ProfileSeal(path: stage.path).seal(under: stage.key, stage.keyFile())
    #expect(ContinuousClock.now - start > .milliseconds(250))
  }

  /// Somebody puts a database of their own in the place of the sealed one, or a copy from before.
  @Test(arguments: [false, true]) func whatTakesThePlaceOfASealedDatabaseIsRefused(isEmpty: Bool) throws {
    try stage.open().add(["milk"])
    let plain = try #require(try stage.files()["todo.db"])
    let profile = ProfileSeal(path: stage.path)
    try profile.seal(under: stage.key, stage.keyFile())
    let sealed = try #require(try stage.files()["todo.db"])
    try Data(isEmpty ? [] : plain).write(to: URL(filePath: stage.path))
    #expect(throws: StoreError.notSealed) { try profile.key() }
    for key in [nil, stage.key] { #expect(throws: StoreError.notSealed) { try stage.open(key) } }
    #expect(throws: StoreError.notSealed) { try profile.seal(under: stage.key, stage.keyFile()) }
    #expect(try stage.files()["todo.db"] == (isEmpty ? [] : plain), "nothing was done to it")
    try Data(sealed).write(to: URL(filePath: stage.path))
    #expect(try stage.open(stage.key).titles() == ["milk"])
  }

  @Test func aKeyWithoutADatabaseMakesNone() throws {
    try stage.open().add(["milk"])
    try ProfileSeal(path: stage.path).seal(under: stage.key, stage.keyFile())
    try FileManager.default.removeItem(atPath: stage.path)
    #expect(throws: StoreError.notSealed) { try stage.open() }
    #expect(!FileManager.default.fileExists(atPath: stage.path))
    // Whoever knows why moves the key away.
    try FileManager.default.removeItem(atPath: stage.path + ".key")
    #expect(try stage.open().titles() == [])
  }

  /// What looks at a profile while it is converted waits, and believes nothing of what is half done.
  @Test func whoOpensMeanwhileWaits() throws {
    try stage.open().add(["milk"])
    for round in 0..<4 {
      let isSealing = round.isMultiple(of: 2)
      let path = stage.path
      let (key, file) = (stage.key, try stage.keyFile())
      let isDone = DispatchSemaphore(value: 0)
      Thread.detachNewThread {
        let profile = ProfileSeal(path: path)
        do { try isSealing ? profile.seal(under: key, file) : profile.unseal(key) } catch { Issue.record(error) }
        isDone.signal()
      }
      while isDone.wait(timeout: .now()) == .timedOut { _ = try ProfileSeal(path: path).key() }
      #expect(try (ProfileSeal(path: path).key() != nil) == isSealing)
    }
  }
}
