import Foundation
import SealedDisk
import Sealing
import Sharing
import Signing
import TestSupport
import TodoCore
import Treesystem

/// A profile's folder, and what opens it.
final class Stage {
  let folder = FileManager.default.temporaryDirectory.appending(path: "todo-lock-\(UUID().uuidString)")
  let key = DatabaseKey(SystemEntropy())
  /// As cheap as is not refused.
  let cost = PassphraseCost.floor

  var path: String { folder.appending(path: "todo.db").path }

  init() throws { try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true) }

  deinit { try? FileManager.default.removeItem(at: folder) }

  func open(_ key: DatabaseKey? = nil, at path: String? = nil) throws -> CloudDatabase {
    try CloudDatabase(
      path: path ?? self.path, key: key, appMigrations: sharingMigrations + TodoTables.migrations,
      app: SharingDelegate(app: TodoDelegate()))
  }

  func keyFile(_ passphrase: String = "correct horse") throws -> KeyFile {
    try KeyFile(key, under: Passphrase(Array(passphrase.utf8)), cost: cost, SystemEntropy())
  }

  /// The names and contents of what is in the folder.
  func files(in folder: URL? = nil) throws -> [String: [UInt8]] {
    let folder = folder ?? self.folder
    let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
    return Dictionary(
      uniqueKeysWithValues: try names.map { ($0, [UInt8](try Data(contentsOf: folder.appending(path: $0)))) })
  }
}

extension CloudDatabase {
  /// Adds todos to a list, made where it is not there.
  @discardableResult
  func add(_ titles: [String], to list: String = "Groceries") throws -> [Todo] {
    try write { transaction in
      if case .list(let made) = try transaction.addList(ListName(list)) {
        return try transaction.addTodos(titles.map { try Title($0) }, to: made.node)
      }
      guard let place = try transaction.lists().first(where: { $0.name == list }) else { throw TreeError.noSuchNode }
      return try transaction.addTodos(titles.map { try Title($0) }, to: place.node)
    }
  }

  /// The titles of what is open, of all lists.
  func titles() throws -> [String] {
    try read { transaction in
      try transaction.lists().flatMap { try transaction.todos(in: $0.node, .open).map(\.title) }.sorted()
    }
  }
}

extension Array where Element == UInt8 {
  /// Whether these bytes stand somewhere in it.
  func holds(_ bytes: [UInt8]) -> Bool { Data(self).firstRange(of: Data(bytes)) != nil }
}
