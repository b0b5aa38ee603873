import CloudAPI
import Foundation
import Signing
import SwiftProtobuf

/// What a server's other history looks like, as far as it shows it (spec §4.4).
extension SyncEngine {
  /// Notes that the server's head, or its answer, contradicts the cursor of a branch. A head that is a line of the log here is
  /// one that went back; anything else is another history, which is compared line by line to name the first that differs.
  /// - Parameter told: the head that the server names, if that is what contradicts.
  /// - Returns: what differs, where the server showed from which line on.
  @discardableResult
  func noteDivergence(
    of branch: FollowedBranch, from cursor: LogHead, told: LogHead?, _ connection: CloudConnection
  ) async throws -> Contradiction? {
    if let told, told.line < cursor.line, let back = try database.read({ try $0.rollback(of: branch.id, to: told) }) {
      try database.write { try $0.note(back, of: branch.id) }
      try await noteComebacks(to: branch, connection)
      return nil
    }
    var isShown = false
    var found = Contradiction(
      kind: .fork, line: told?.line ?? cursor.line, known: cursor.hash, told: told?.hash ?? .zeros)
    do {
      if let split = try await divergence(of: branch, from: cursor, connection) { (found, isShown) = (split, true) }
    } catch is CloudFailure {
      // A server that does not say more has said enough.
    } catch is Refusal {
      // Nor does what it says have to make sense.
    }
    let contradiction = found
    try database.write { try $0.note(contradiction, of: branch.id) }
    try await noteComebacks(to: branch, connection)
    return isShown ? contradiction : nil
  }

  /// The first line at which the server's log is another, and who signed the first record that it has from there on. Nil where
  /// its pages agree with what is here.
  private func divergence(
    of branch: FollowedBranch, from cursor: LogHead, _ connection: CloudConnection
  ) async throws -> Contradiction? {
    var (low, high) = (UInt64(0), cursor.line)
    while low < high {
      let middle = low + (high - low + 1) / 2
      if try await agrees(branch, at: middle, connection) { low = middle } else { high = middle - 1 }
    }
    guard low < cursor.line, let common = try database.read({ try $0.logHead(of: branch, at: low) }) else { return nil }
    let page = try await PageReading(branch: branch, connection: connection, lines: pageLines).page(after: common)
    var authors: [UserID: Keyring] = [:]
    try await fetchAuthors(of: page, connection, &authors)
    guard page.branch == branch.cloudID.bytes, let first = page.lines.first, first.number == low + 1 else { return nil }
    let known = authors
    let found = try database.read { transaction in
      try transaction.fork(of: branch.id, at: common.appending(first), shownBy: page, known)
    }
    return found.known == found.told ? nil : found
  }

  /// What the log is up to all that members have signed that it was; nil where the server shows none that leads there.
  func vouchedHashes(
    of branch: FollowedBranch, after cursor: LogHead, upTo told: LogHead, _ demands: [LogHead],
    _ connection: CloudConnection
  ) async throws -> [UInt64: Hash32]? {
    guard let last = demands.map(\.line).max(), demands.allSatisfy({ $0.line > cursor.line }), last <= told.line else {
      return nil
    }
    var hashes: [UInt64: Hash32] = [:]
    var head = cursor
    while head.line < last {
      let page: IncomingPage
      do {
        page = try await PageReading(branch: branch, connection: connection, lines: pageLines).page(after: head)
      } catch CloudFailure.refused(.fork) {
        return nil
      }
      let start = head.line
      for line in page.lines {
        guard line.number == head.line + 1 else { return nil }
        head = head.appending(line)
        hashes[head.line] = head.hash
      }
      guard head.line > start else { return nil }
    }
    return demands.allSatisfy { hashes[$0.line] == $0.hash } ? hashes : nil
  }

  /// Whether the server's log has our log hash at a line.
  private func agrees(_ branch: FollowedBranch, at line: UInt64, _ connection: CloudConnection) async throws -> Bool {
    guard let head = try database.read({ try $0.logHead(of: branch, at: line) }) else { return false }
    do {
      _ = try await PageReading(branch: branch, connection: connection, lines: 1).page(after: head)
      return true
    } catch CloudFailure.refused(.fork) {
      return false
    }
  }
}

extension IncomingPage {
  /// Whether its lines are those that were vouched for, as far as these go.
  func agrees(with vouched: [UInt64: Hash32], after cursor: LogHead) -> Bool {
    if vouched.isEmpty { return true }
    var head = cursor
    for line in lines {
      head = head.appending(line)
      if let hash = vouched[head.line], hash != head.hash { return false }
    }
    return true
  }
}

extension CloudTransaction {
  /// Where the log stood at a line, as it was read here.
  fileprivate func logHead(of branch: FollowedBranch, at line: UInt64) throws -> LogHead? {
    if line == 0 { return LogHead(startOf: branch.cloudID) }
    return try LocalBranchView.storedHash(line, branch.id, self).map { LogHead(line: line, hash: $0) }
  }

  /// That a server's log ends at a line of the log here; nil where it is another log.
  fileprivate func rollback(of branch: BranchID, to told: LogHead) throws -> Contradiction? {
    guard let cloudID = try cloudID(of: branch) else { return nil }
    let here =
      told.line == 0 ? LogHead(startOf: cloudID).hash : try LocalBranchView.storedHash(told.line, branch, self)
    guard here == told.hash else { return nil }
    return Contradiction(
      kind: .rollback, line: told.line + 1, known: try LocalBranchView.storedHash(told.line + 1, branch, self),
      told: told.hash, knownBy: try signer(of: branch, from: told.line + 1))
  }

  /// That a server's log has another line here. Nobody is named for the other one whose signature does not say so.
  fileprivate func fork(
    of branch: BranchID, at other: LogHead, shownBy page: IncomingPage, _ authors: [UserID: Keyring]
  ) throws -> Contradiction {
    let lines = Dictionary(page.lines.map { ($0.number, $0) }, uniquingKeysWith: { first, _ in first })
    let members = try Set(permissionsHistory(of: branch).flatMap { $0.entries.compactMap(\.user) })
    let signers = page.rows.sorted { $0.key < $1.key }.lazy.compactMap { number, row -> Finding.Signer? in
      guard lines[number]?.hash == row.hash, row.branch?.bytes == page.branch, let (author, domain) = row.author,
        members.contains(author.user),
        let keyring = authors[author.user],
        let device = keyring.device(author.device, at: min(author.keyringPosition, keyring.position)),
        device.signKey.verifies(row.signed.signature, domain, row.signed.body)
      else { return nil }
      return Finding.Signer(author)
    }
    return Contradiction(
      kind: .fork, line: other.line, known: try LocalBranchView.storedHash(other.line, branch, self), told: other.hash,
      knownBy: try signer(of: branch, from: other.line), toldBy: signers.first)
  }
}
