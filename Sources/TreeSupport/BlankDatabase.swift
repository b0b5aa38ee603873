import CloudAPI
import CloudServer
import Foundation
import Signing
public import Treesystem

/// Databases as they are when their tables were just made. Each step of that is written to the disk for good, which takes longer than
/// most of what a small test does: it is done once, and copied.
public enum BlankDatabase {
  private static let profiles = Locked<[[String]: Data]>([:])
  private static let server = Locked<Data?>(nil)

  /// Puts a profile that nobody has written in at `path`, unless there is one.
  public static func makeProfile(at path: String, _ appMigrations: [AppMigration]) throws {
    if FileManager.default.fileExists(atPath: path) { return }
    let blank = try profiles.with { profiles in
      let names = appMigrations.map(\.name)
      if let made = profiles[names] { return made }
      let made = try inFolder { folder in
        let path = folder.appendingPathComponent("todo.db").path
        _ = try CloudDatabase(
          path: path, appMigrations: appMigrations, entropy: SeededEntropy("blank"), clock: ManualClock())
        return try Data(contentsOf: URL(fileURLWithPath: path))
      }
      profiles[names] = made
      return made
    }
    try put(blank, path)
  }

  /// Puts a server's database that nobody has signed up in into a folder, unless there is one.
  public static func makeServer(in folder: String) throws {
    let name = "todo-server.sqlite"
    if FileManager.default.fileExists(atPath: "\(folder)/\(name)") { return }
    let blank = try server.with { server in
      if let server { return server }
      let made = try inFolder { folder in
        try SQLiteStorage(folder: folder.path).close()
        return try Data(contentsOf: folder.appendingPathComponent(name))
      }
      server = made
      return made
    }
    try FileManager.default.createDirectory(
      atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    try put(blank, "\(folder)/\(name)")
  }

  private static func put(_ blank: Data, _ path: String) throws {
    guard FileManager.default.createFile(atPath: path, contents: blank, attributes: [.posixPermissions: 0o600]) else {
      throw CocoaError(.fileWriteUnknown)
    }
  }

  private static func inFolder(_ body: (URL) throws -> Data) throws -> Data {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("todo-test-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    return try body(folder)
  }
}
