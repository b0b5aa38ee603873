import CloudAPI
import Foundation
import Signing

extension SyncEngine {
  /// Reads a branch from its first line again, as a repair: every line has to be the one that is known here, hash for hash,
  /// and what is missing of it or was not believed is opened. A log that does not recompute is written anew first. Changes that wait to be sent stay as they are.
  public func repull(_ branch: BranchID) async throws {
    try await database.syncing {
      let connection = try connection()
      let known = try database.read { transaction in
        (try transaction.followedBranches().first { $0.id == branch }, try transaction.cursor(of: branch))
      }
      guard let followed = known.0, let end = known.1 else { throw TreeError.notABranch }
      if try database.read({ try $0.branchesWithBrokenLog() }).contains(branch) {
        try await restoreLog(of: followed, upTo: end.line, connection)
      }
      guard let end = try database.read({ try $0.cursor(of: branch) }) else { return }
      try await reread(followed, upTo: end, connection)
    }
  }

  /// Reads the branches again that hang on the tree again after their nodes were forgotten.
  func fillHollowBranches(_ connection: CloudConnection, _ report: inout SyncReport) async throws {
    let hollow = try database.read { transaction in
      let branches = try transaction.hollowBranches()
      return try branches.isEmpty ? [] : transaction.followedBranches().filter { branches.contains($0.id) }
    }
    for branch in hollow {
      do {
        guard let end = try database.read({ try $0.cursor(of: branch.id) }) else { continue }
        try await reread(branch, upTo: end, connection)
        try database.write { try $0.setFilled(branch.id) }
      } catch let refusal as Refusal {
        report.troubles[branch.cloudID] = refusal
      } catch CloudFailure.refused(let refusal) {
        report.troubles[branch.cloudID] = refusal == .letterMissing ? branch.denial : refusal
      }
    }
  }

  private func reread(_ followed: FollowedBranch, upTo end: LogHead, _ connection: CloudConnection) async throws {
    var reading = PageReading(branch: followed, connection: connection, lines: pageLines)
    var cursor = LogHead(startOf: followed.cloudID)
    while cursor.line < end.line {
      let page = try await reading.page(after: cursor)
      try await fetchAuthors(of: page, connection, &reading.authors)
      let next = try reread(page, followed.id, after: cursor, upTo: end)
      // Its log ends before what was read here: that was another one.
      guard next.line > cursor.line else { throw page.headLine < end.line ? Refusal.fork : .chainBroken }
      cursor = next
    }
    try database.write { transaction in
      let identity = try transaction.identity()
      try PageReader(transaction: transaction, delegate: delegate, identity: identity).reopen([], of: followed.id)
    }
  }

  /// Fetches a log whole that does not recompute here. It is taken over only where it leads to what was read here.
  private func restoreLog(of followed: FollowedBranch, upTo last: UInt64, _ connection: CloudConnection) async throws {
    let reading = PageReading(branch: followed, connection: connection, lines: pageLines)
    var head = LogHead(startOf: followed.cloudID)
    var lines: [RestoredLine] = []
    while head.line < last {
      let page = try await reading.page(after: head)
      guard page.branch == followed.cloudID.bytes else { throw Refusal.branchMismatch }
      let start = head.line
      for line in page.lines where line.number <= last {
        guard line.number == head.line + 1 else { throw Refusal.chainBroken }
        head = head.appending(line)
        let row = line.kind == .permissions ? page.rows[line.number] : nil
        if let row, row.hash != line.hash { throw Refusal.rowMismatch }
        lines.append(RestoredLine(line: line, head: head, permissions: row?.signed))
      }
      guard head.line > start else { throw Refusal.chainBroken }
    }
    let (end, restored) = (head, lines)
    try database.write { try $0.restoreLog(of: followed.id, restored, end: end) }
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
