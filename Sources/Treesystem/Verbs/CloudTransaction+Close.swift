import CloudAPI
import GRDB
import Signing

/// Ending a branch for everybody (spec §3.7).
extension CloudTransaction {
  /// Whether its owner has ended a branch: everybody keeps what they have of it, and nothing is written there any more.
  public func isClosed(_ branch: BranchID) throws -> Bool { try permissions(of: branch)?.body.isClosed ?? false }

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
