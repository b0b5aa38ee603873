import CloudAPI
import Foundation
import GRDB
import Signing

/// Ending a branch for everybody (spec §3.7).
extension CloudTransaction {
  /// Whether its owner has ended a branch: everybody keeps what they have of it, and nothing is written there any more.
  public func isClosed(_ branch: BranchID) throws -> Bool { try permissions(of: branch)?.body.isClosed ?? false }

  /// Whether this user has ended a branch, here or on another device, and the server has confirmed it.
  func hasEnded(_ branch: BranchID) throws -> Bool {
    guard let body = try permissions(of: branch)?.body else { return false }
    return try body.isClosed && body.owner == account()?.user
  }

  /// Whether this user has ended a branch, and the server has not confirmed it. What it refused without ground, or with a branch that it
  /// denied, is tried again by itself, and would take along what was written meanwhile.
  public func isClosing(_ branch: BranchID) throws -> Bool {
    try permitOperations(of: branch).contains { $0.closes && $0.isTried }
  }

  /// Whether another device of this user's wrote in a branch what had not been read here when a change was queued.
  func hasWrittenElsewhere(since operation: QueuedOperation) throws -> Bool {
    let me = try requireAccount()
    let headers = try Data.fetchAll(
      db, sql: "SELECT header FROM node_states WHERE branch = ? AND line > ? AND header IS NOT NULL",
      arguments: [operation.branch, Int64(operation.read?.line ?? 0)])
    return try headers.contains { header in
      let author = try UnverifiedHeader(SignedRecord(encoded: Array(header))).body.author
      return author.user == me.user && author.device != me.device
    }
  }

  /// Queues the end of a branch. It goes from this user's tree when the server has taken it.
  @discardableResult
  package func queueClosing(of branch: BranchID) throws -> CloudOperation {
    let waiting = try permitOperations(of: branch).first { $0.closes }
    if let waiting { return CloudOperation(sequence: waiting.sequence) }
    let operation = try enqueue(
      .permit, branch: branch, node: nil, cloudID: cloudID(of: branch), read: cursor(of: branch))
    try db.execute(sql: "UPDATE operations SET closes = 1 WHERE sequence = ?", arguments: [operation.sequence])
    return operation
  }
}

extension QueuedOperation {
  /// Whether a sync sends it without being asked to.
  fileprivate var isTried: Bool { state != .refused || reason == .refusalUnfounded || reason == .branchDenied }
}
