import CloudAPI
import Signing

extension SyncEngine {
  /// Asks once more for rows that were held back and without which something waits. A server that holds them back again changes nothing.
  func askForWantedRows(_ connection: CloudConnection) async throws {
    for wanted in try database.read({ try $0.wantedRows() }) {
      do {
        try await ask(for: wanted, connection)
      } catch is Refusal {
        // It is in quarantine already, and reported.
      } catch CloudFailure.refused {
        // Nor can it be had of a branch that is denied.
      }
    }
  }

  private func ask(for wanted: WantedRow, _ connection: CloudConnection) async throws {
    let known = try database.read { transaction -> (FollowedBranch, LogHead, LogHead)? in
      guard let branch = try transaction.followedBranches().first(where: { $0.id == wanted.branch }),
        let end = try transaction.cursor(of: wanted.branch)
      else { return nil }
      let start = LogHead(startOf: branch.cloudID)
      let before = try LocalBranchView.storedHash(wanted.line - 1, wanted.branch, transaction)
      return (branch, before.map { LogHead(line: wanted.line - 1, hash: $0) } ?? start, end)
    }
    guard let (branch, start, end) = known, start.line + 1 == wanted.line else { return }
    var reading = PageReading(branch: branch, connection: connection, lines: 1)
    let page = try await reading.page(after: start)
    guard page.rows[wanted.line] != nil else { return }
    try await fetchAuthors(of: page, connection, &reading.authors)
    try database.write { transaction in
      let reader = PageReader(transaction: transaction, delegate: delegate, identity: try transaction.identity())
      _ = try reader.reread(page, of: wanted.branch, after: start, upTo: end)
      try reader.reopen([], of: wanted.branch)
      try transaction.endFindings(of: wanted.branch)
    }
  }
}
