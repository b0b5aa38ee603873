import Foundation
import GRDB
import Sealing
import Signing
import Testing
import TodoCore
import Treesystem

/// An acknowledged change on a sealed disk is not lost, whatever a power cut leaves of what came after it.
struct PowerCutTests {
  private let stage: Stage

  init() throws { stage = try Stage() }

  /// What the disk has after the first and after the second of two changes, the log not yet brought into the database.
  private func twoChanges() throws -> (first: [String: [UInt8]], second: [String: [UInt8]]) {
    try stage.open().add(["milk"])
    try ProfileSeal(path: stage.path).seal(under: stage.key, stage.keyFile())
    let database = try stage.open(stage.key)
    try database.add((0..<40).map { "first \($0)" })
    let first = try stage.files()
    try database.add(["last"])
    return (first, try stage.files())
  }

  /// Opens a disk on which a database and its log lie.
  private func titles(database: [UInt8], log: [UInt8]) throws -> [String] {
    let folder = stage.folder.appending(path: UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let path = folder.appending(path: "todo.db").path
    try Data(database).write(to: URL(filePath: path))
    try Data(log).write(to: URL(filePath: path + "-wal"))
    let opened = try stage.open(stage.key, at: path)
    let problems = try opened.integrityProblems()
    #expect(problems.isEmpty)
    try opened.add(["afterwards"])
    return try opened.titles()
  }

  @Test func aTornLogEndsAtTheLastWholeChange() throws {
    let (first, second) = try twoChanges()
    let database = try #require(second["todo.db"])
    let (old, new) = (try #require(first["todo.db-wal"]), try #require(second["todo.db-wal"]))
    #expect(old.count > 4136 && new.count > old.count && new.starts(with: old))
    for cut in stride(from: old.count, to: new.count, by: 611) {
      #expect(try titles(database: database, log: Array(new[..<cut])).count == 42, "cut at \(cut)")
      // The file has its length, and the rest of what was to be written did not come.
      let torn = Array(new[..<cut]) + [UInt8](repeating: 0, count: new.count - cut)
      #expect(try titles(database: database, log: torn).count == 42, "torn at \(cut)")
    }
    #expect(try titles(database: database, log: new).count == 43)
  }

  @Test func aTornHeaderOfALogIsAnEmptyLog() throws {
    let (_, second) = try twoChanges()
    var log = try #require(second["todo.db-wal"])
    log[40] ^= 1
    #expect(try titles(database: #require(second["todo.db"]), log: log) == ["afterwards", "milk"])
  }

  /// While the log is brought into the database its pages are written over; what is torn of that comes from the log again.
  @Test func aTornPageComesFromTheLog() throws {
    let (_, second) = try twoChanges()
    let log = try #require(second["todo.db-wal"])
    var database = try #require(second["todo.db"])
    for index in 64 + 2000..<64 + 4136 { database[index] = 0x55 }
    #expect(try titles(database: database, log: log).count == 43)
    #expect(throws: StoreError.self) { try titles(database: database, log: []) }
  }

  /// A change of the log in the middle ends it there: the changes before it stand, those after it are not believed.
  @Test func aChangedLogIsNotBelieved() throws {
    let (first, second) = try twoChanges()
    var log = try #require(second["todo.db-wal"])
    let old = try #require(first["todo.db-wal"])
    log[old.count + 300] ^= 0x80
    #expect(try titles(database: #require(second["todo.db"]), log: log).count == 42)
  }
}
