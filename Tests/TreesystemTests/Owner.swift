import CloudAPI
import Foundation
import Sharing
import Signing
import SwiftProtobuf
import TestSupport
import TodoCore
import Treesystem

/// What one person does in these tests.
extension Device {
  @discardableResult
  func addList(_ name: String, _ titles: String...) throws -> TodoList {
    try database.write { transaction in
      guard case .list(let list) = try transaction.addList(try ListName(name)) else { throw TreeError.nameTaken }
      try transaction.addTodos(titles.map { try Title($0) }, to: list.node)
      return list
    }
  }

  func titles() throws -> [String] {
    try database.read { transaction in
      try transaction.lists().flatMap { list in
        try transaction.todos(in: list.node, .open).map { "\(list.name)/\($0.title)" }
      }.sorted()
    }
  }

  func rename(_ title: String, to new: String) throws {
    try database.write { transaction in
      for list in try transaction.lists() {
        for todo in try transaction.todos(in: list.node, .open) where todo.title == title {
          try transaction.setTitle(try Title(new), of: todo)
        }
      }
    }
  }

  @discardableResult
  func sync() async throws -> SyncReport { try await session.sync() }

  func unsent() throws -> Int { try database.read { try $0.pendingOperationCount() } }

  func isSignedIn() throws -> Bool { try database.read { try $0.account() } != nil }

  /// The bodies of every request to a route, in order.
  func bodies(_ route: Route) -> [[UInt8]] {
    transport.traffic.with { $0 }.filter { $0.request.path == route.path }.map(\.request.body)
  }

  /// The nodes that puts were sent for.
  func putNodes() throws -> [CloudID] {
    try transport.sentOperations.compactMap { operation in
      guard case .put(let put) = operation.change else { return nil }
      return try HeaderBody(decoding: Array(put.header.body)).cloudID
    }
  }
}
