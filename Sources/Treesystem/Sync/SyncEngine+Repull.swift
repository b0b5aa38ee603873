import CloudAPI
import Foundation
import Signing

extension SyncEngine {
  /// Reads a branch from its first line again, as a repair: every line has to be the one that is known here, hash for hash,
  /// and what is missing of it or was not believed is opened. Changes that wait to be sent stay as they are.
  public func repull(_ branch: BranchID) async throws {
    try await database.syncing {
      let connection = try connection()
      let known = try database.read { transaction in
        (try transaction.followedBranches().first { $0.id == branch }, try transaction.cursor(of: branch))
      }
      guard let followed = known.0, let end = known.1 else { throw TreeError.notABranch }
      var reading = PageReading(branch: followed, connection: connection, lines: pageLines)
      var cursor = LogHead(startOf: followed.cloudID)
      while cursor.line < end.line {
        let page = try await reading.page(after: cursor)
        try await fetchAuthors(of: page, connection, &reading.authors)
        let next = try reread(page, branch, after: cursor, upTo: end)
        guard next.line > cursor.line else { throw Refusal.chainBroken }
        cursor = next
      }
      try database.write { transaction in
        let identity = try transaction.identity()
        try PageReader(transaction: transaction, delegate: delegate, identity: identity).reopen([], of: branch)
      }
    }
  }

  private func reread(_ page: IncomingPage, _ branch: BranchID, after start: LogHead, upTo end: LogHead) throws
    -> LogHead
  {
    try database.write { transaction in
      let reader = PageReader(transaction: transaction, delegate: delegate, identity: try transaction.identity())
      return try reader.reread(page, of: branch, after: start, upTo: end)
    }
  }
}
