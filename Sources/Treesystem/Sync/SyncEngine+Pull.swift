import CloudAPI
import Foundation
import GRDB
import Signing
import SwiftProtobuf

extension SyncEngine {
  /// Reads home first, then every branch that a verified pointer names, until nothing new turns up.
  func pull(
    _ connection: CloudConnection, _ report: inout SyncReport, _ progress: (@Sendable (SyncProgress) -> Void)?
  ) async throws {
    var seen: Set<CloudID> = []
    while true {
      let branches = try database.read { try $0.followedBranches() }.filter { !seen.contains($0.cloudID) }
      if branches.isEmpty { return }
      seen.formUnion(branches.map(\.cloudID))
      for part in stride(from: 0, to: branches.count, by: Limits.requestItems) {
        let some = Array(branches[part..<min(part + Limits.requestItems, branches.count)])
        try await pull(some, connection, &report, progress)
      }
    }
  }

  private func pull(
    _ branches: [FollowedBranch], _ connection: CloudConnection, _ report: inout SyncReport,
    _ progress: (@Sendable (SyncProgress) -> Void)?
  ) async throws {
    let users = try database.read { try $0.knownUsers() }
    let request = WireHeadsRequest.with {
      $0.branches = branches.map { data($0.cloudID.bytes) }
      $0.users = users.prefix(Limits.requestItems).map { data($0.bytes) }
    }
    let heads = try await connection.call(.heads, request, answer: WireHeads.self)
    try await extendKeyrings(heads.keyrings, connection)
    for head in heads.branches {
      guard let branch = branches.first(where: { $0.cloudID.bytes == Array(head.branch) }) else {
        throw CloudFailure.nonsense
      }
      try await follow(branch, to: head, connection, &report, progress)
    }
  }

  /// Reads one branch up to its head. What is wrong with it is kept with the branch and stops no other.
  private func follow(
    _ branch: FollowedBranch, to head: WireBranchHead, _ connection: CloudConnection, _ report: inout SyncReport,
    _ progress: (@Sendable (SyncProgress) -> Void)?
  ) async throws {
    let refusal: Refusal?
    do {
      refusal = try await read(branch, to: head, connection, &report, progress)
    } catch let error as Refusal {
      refusal = error
    } catch CloudFailure.refused(let error) {
      refusal = error
    }
    if let refusal { report.troubles[branch.cloudID] = refusal }
    guard refusal != branch.trouble else { return }
    try database.write { try $0.setTrouble(refusal, of: branch.id) }
  }

  /// Returns why the branch cannot be read; nil if all is well.
  private func read(
    _ branch: FollowedBranch, to head: WireBranchHead, _ connection: CloudConnection, _ report: inout SyncReport,
    _ progress: (@Sendable (SyncProgress) -> Void)?
  ) async throws -> Refusal? {
    if head.denied { return branch.isUnsent ? nil : .letterMissing }
    guard var cursor = try database.read({ try $0.cursor(of: branch.id) }) else { return nil }
    if head.line == cursor.line { return Array(head.logHash) == cursor.hash.bytes ? nil : .fork }
    guard head.line > cursor.line else { return .fork }
    let last = cursor.line.addingReportingOverflow(Limits.pullLines).partialValue
    while true {
      let request = WirePullRequest.with {
        $0.branch = data(branch.cloudID.bytes)
        $0.afterLine = cursor.line
        $0.afterHash = data(cursor.hash.bytes)
        $0.limit = UInt32(Limits.pageLines)
      }
      let page = try await connection.call(.pull, request, answer: WirePage.self)
      try await fetchAuthors(of: page, connection)
      let complete = try take(page, branch.id)
      report.received += page.rows.count
      progress?(SyncProgress(received: report.received, sent: report.sent, unsent: 0))
      guard let next = try database.read({ try $0.cursor(of: branch.id) }) else { return nil }
      if complete { return nil }
      // A server that sends nothing more and names a higher head would keep us here for ever.
      guard next.line > cursor.line else { return .chainBroken }
      guard next.line < last else { return .limitExceeded }
      cursor = next
    }
  }

  private func take(_ page: WirePage, _ branch: BranchID) throws -> Bool {
    try database.write { transaction in
      let reader = PageReader(transaction: transaction, delegate: delegate, identity: try transaction.identity())
      return try reader.read(page, of: branch)
    }
  }

  /// Fetches what is missing of the keyrings that a page's records cite, before the page is judged.
  private func fetchAuthors(of page: WirePage, _ connection: CloudConnection) async throws {
    var cited: [UserID: UInt32] = [:]
    func cite(_ user: UserID, _ position: UInt32) { cited[user] = max(cited[user] ?? 0, position) }
    let kinds = Dictionary(
      try Line.decode(Array(page.lines)).map { ($0.number, $0.kind) }, uniquingKeysWith: { first, _ in first })
    for row in page.rows {
      let record = try SignedRecord(row.record)
      switch kinds[row.line] {
      case .header:
        if let author = try? UnverifiedHeader(record).body.author { cite(author.user, author.keyringPosition) }
      case .tombstone:
        if let author = try? UnverifiedTombstone(record).body.author { cite(author.user, author.keyringPosition) }
      case .permissions:
        guard let body = try? UnverifiedPermissions(record).body else { continue }
        cite(body.author.user, body.author.keyringPosition)
        for entry in body.entries { if let user = entry.user { cite(user, entry.keyringPosition) } }
      case nil: throw Refusal.rowMismatch
      }
    }
    let missing = try database.read { transaction in
      try cited.filter { try transaction.keyringPosition($0.key) < $0.value }.map(\.key)
    }
    try await fetchKeyrings(missing.sorted(), connection)
  }
}
