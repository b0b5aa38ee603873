import Foundation
import Sharing
import TestSupport
import TodoCore
import Treesystem

/// A profile without an account, in a folder of its own that goes with it.
final class LocalProfile {
  let clock = ManualClock()
  let database: CloudDatabase
  private let folder: URL

  init(_ name: String) throws {
    folder = FileManager.default.temporaryDirectory.appendingPathComponent("todo-\(name)-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    database = try CloudDatabase(
      path: folder.appendingPathComponent("todo.db").path, appMigrations: sharingMigrations + TodoTables.migrations,
      entropy: SeededEntropy(name), clock: clock)
  }

  deinit { try? FileManager.default.removeItem(at: folder) }
}
