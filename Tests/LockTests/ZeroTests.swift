import Foundation
import GRDB
import Sealing
import Signing
import Testing
import Treesystem

/// Nothing that was not sealed is believed of a database: zeros neither, nor that a page was never there (spec §9.4).
struct ZeroTests {
  private static let (head, size) = (64, 4136)
  private let stage: Stage
  /// Where changed copies lie.
  private let copies: Stage

  init() throws {
    stage = try Stage()
    copies = try Stage()
  }

  /// A sealed profile with a value that takes the last pages of the database, which nothing but this program reads.
  private func bytes() throws -> [UInt8] {
    do {
      let database = try stage.open()
      try database.write {
        try $0.db.execute(sql: "CREATE TABLE large (value BLOB); INSERT INTO large VALUES (zeroblob(40000))")
        try $0.db.execute(sql: "UPDATE large SET value = ?", arguments: [Data(Self.value)])
      }
    }
    try ProfileSeal(path: stage.path).seal(under: stage.key, stage.keyFile())
    return try #require(try stage.files()["todo.db"])
  }

  private static let value = [UInt8](repeating: 0x55, count: 40_000)

  private func value(_ database: [UInt8], log: [UInt8] = []) throws -> [UInt8]? {
    let folder = copies.folder.appending(path: UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let path = folder.appending(path: "todo.db").path
    try Data(database).write(to: URL(filePath: path))
    try Data(log).write(to: URL(filePath: path + "-wal"))
    let opened = try stage.open(stage.key, at: path)
    return try opened.read { try Data.fetchOne($0.db, sql: "SELECT value FROM large").map { [UInt8]($0) } }
  }

  private func withZeros(_ bytes: [UInt8], page: Int) -> [UInt8] {
    let start = Self.head + page * Self.size
    return Array(bytes[..<start]) + [UInt8](repeating: 0, count: Self.size) + bytes[(start + Self.size)...]
  }

  @Test func aPageOfZerosIsDamage() throws {
    let whole = try bytes()
    let pages = (whole.count - Self.head) / Self.size
    #expect(try value(whole) == Self.value)
    for page in pages - 3..<pages {
      #expect(throws: StoreError.damaged, "page \(page)") { try value(withZeros(whole, page: page)) }
    }
  }

  @Test func aPageThatIsCutOffIsDamage() throws {
    let whole = try bytes()
    let short = Array(whole.dropLast(Self.size))
    #expect(throws: StoreError.damaged) { try value(short) }
    // With a log SQLite believes the log how long the database is.
    let database = try stage.open(stage.key)
    try database.add(["milk"])
    let files = try stage.files()
    let log = try #require(files["todo.db-wal"])
    #expect(try files["todo.db"] == whole && value(whole, log: log) == Self.value)
    #expect(throws: StoreError.damaged) { try value(short, log: log) }
  }

  @Test func aDatabaseWithoutPagesIsNoEmptyOne() throws {
    let whole = try bytes()
    for length in [Self.head, Self.head + 100, Self.head + Self.size - 1] {
      #expect(throws: StoreError.damaged, "\(length)") { try value(Array(whole[..<length])) }
    }
  }

  /// What is appended is never read, and the seal does not come off such a file.
  @Test func whatIsAppendedIsNotBelieved() throws {
    let whole = try bytes()
    let last = Array(whole.suffix(Self.size))
    // As one that stood there when the database was longer.
    let next = UInt64((whole.count - Self.head) / Self.size)
    let own = stage.key.seal([UInt8](repeating: 0x55, count: 4096), unit: next, of: .database, SystemEntropy())
    for tail in [[UInt8](repeating: 0, count: Self.size), last, own] {
      let longer = whole + tail
      #expect(try value(longer) == Self.value)
      try Data(longer).write(to: URL(filePath: stage.path))
      #expect(throws: StoreError.damaged) { try ProfileSeal(path: stage.path).unseal(stage.key) }
      #expect(try stage.files()["todo.db"] == longer)
    }
    try Data(withZeros(whole, page: (whole.count - Self.head) / Self.size - 1)).write(to: URL(filePath: stage.path))
    #expect(throws: StoreError.damaged) { try ProfileSeal(path: stage.path).unseal(stage.key) }
    // Nor off one that has lost its end.
    try Data(whole.dropLast(Self.size)).write(to: URL(filePath: stage.path))
    #expect(throws: StoreError.damaged) { try ProfileSeal(path: stage.path).unseal(stage.key) }
    try Data(whole).write(to: URL(filePath: stage.path))
    try ProfileSeal(path: stage.path).unseal(stage.key)
    #expect(try stage.open().titles() == [])
  }
}
