public import CloudAPI
import Foundation
import Sharing
public import Signing
import SwiftProtobuf
public import Treesystem

/// What one person does in tests, and what they have sent.
extension Device {
  @discardableResult
  public func sync() async throws -> SyncReport { try await session.sync() }

  public func unsent() throws -> Int { try database.read { try $0.pendingOperationCount() } }

  public func isSignedIn() throws -> Bool { try database.read { try $0.account() } != nil }

  /// The bodies of every request to a route, in order.
  public func bodies(_ route: Route) -> [[UInt8]] {
    transport.traffic.with { $0 }.filter { $0.request.path == route.path }.map(\.request.body)
  }

  /// The nodes that puts were sent for.
  public func putNodes() throws -> [CloudID] {
    try transport.sentOperations.compactMap { operation in
      guard case .put(let put) = operation.change else { return nil }
      return try HeaderBody(decoding: Array(put.header.body)).cloudID
    }
  }
}
