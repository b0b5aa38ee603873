public import CloudAPI
import Foundation
import GRDB
public import Signing
import SwiftProtobuf

/// What came of giving a server back what it lost of one branch (spec §4.5).
public struct ServerRepair: Sendable {
  /// What came of it.
  public enum Outcome: Sendable {
    /// The server had everything that this device has.
    case whole
    /// It took so many lines back, gets so many contents anew, and lacks so many that this device can send once it has nothing more to give
    /// back.
    case restored(lines: Int, again: Int, lacking: Int)
    /// It has another past by now, or does not take these lines.
    case refused(Refusal)
  }

  /// Which one; nil: the account's keyring.
  public let branch: CloudID?
  /// What came of it.
  public let outcome: Outcome
}

extension SyncEngine {
  /// Gives the server back what it lost since this device read it: the account's keyring, then of every branch the lines and
  /// records, hash for hash. What the server lost of contents is queued to be sealed anew by whoever may write and has no more lines to give
  /// back: that is written on top of the log, and whoever has read more of it than this device has to be first.
  public func repairServer(progress: (@Sendable (SyncProgress) -> Void)? = nil) async throws -> [ServerRepair] {
    try await database.syncing {
      let connection = try connection()
      var repairs: [ServerRepair] = []
      do {
        try await returnAccount(connection)
        // Another device of this user's went on with what the server had. What branches lost is theirs all the same.
      } catch CloudFailure.refused(.chainBroken) {
        repairs.append(ServerRepair(branch: nil, outcome: .refused(.chainBroken)))
      }
      for branch in try database.read({ try $0.followedBranches() }) where !branch.isUnsent {
        // A server that was set back denies what it has never heard of. What a record that was read here has taken away stays so.
        if branch.trouble == .branchDenied, try !database.read({ try $0.gaveReading(branch.id) }) { continue }
        do {
          let outcome = try await repair(branch, connection, progress)
          repairs.append(ServerRepair(branch: branch.cloudID, outcome: outcome))
        } catch let refusal as Refusal {
          repairs.append(ServerRepair(branch: branch.cloudID, outcome: .refused(refusal)))
          // A server that takes nothing back has nothing to say of this branch.
        } catch CloudFailure.refused(let refusal) where !refusal.isPassing && refusal != .restoreClosed {
          repairs.append(ServerRepair(branch: branch.cloudID, outcome: .refused(refusal)))
        }
      }
      return repairs
    }
  }

  /// Says of branches of this user's own how far they are, where nobody and no other device of theirs can have read more: then nothing has to
  /// wait. Of any other branch people say when (`repairServer`).
  func giveBackAwaited(_ branches: Set<BranchID>, _ connection: CloudConnection) async throws {
    if branches.isEmpty { return }
    let own = try database.read { transaction in
      try transaction.followedBranches().filter {
        try branches.contains($0.id) && !$0.isUnsent && transaction.isReadOnlyHere($0.id)
      }
    }
    for branch in own {
      do {
        _ = try await repair(branch, connection, nil)
        try database.write { try $0.endAwaiting(branch.id) }
      } catch is Refusal {
        // What waits there goes on waiting.
      } catch CloudFailure.refused {
        // The same.
      }
    }
  }

  /// A server that does not know this account any more gets it as it was made, one that does the rest of its keyring.
  private func returnAccount(_ connection: CloudConnection) async throws {
    let (append, signUp) = try database.read { transaction in
      let user = try transaction.requireAccount().user
      let entries = try transaction.keyring(user)?.entries ?? []
      let first = try Trunk.allCases.compactMap { try transaction.firstRecord(of: $0.cloudID(of: user)) }
      let append = WireKeyringAppend.with {
        $0.user = data(user.bytes)
        $0.entries = entries.map(\.wire)
      }
      let signUp = WireSignUp.with {
        $0.keyring = entries.prefix(4).map(\.wire)
        $0.permissions = first.map(\.wire)
      }
      return (append, signUp)
    }
    do {
      try await connection.call(.keyringAppend, append)
    } catch CloudFailure.refused(.deviceUnknown) {
      try await connection.call(.accounts, signUp)
      try await connection.call(.keyringAppend, append)
    }
  }

  private func repair(
    _ branch: FollowedBranch, _ connection: CloudConnection, _ progress: (@Sendable (SyncProgress) -> Void)?
  ) async throws -> ServerRepair.Outcome {
    let (members, cursor) = try database.read { transaction in
      (try transaction.everyMember(of: branch.id), try transaction.cursor(of: branch.id))
    }
    guard let cursor, cursor.line > 0 else { return .whole }
    let request = WireHeadsRequest.with {
      $0.branches = [data(branch.cloudID.bytes)]
      $0.users = members.prefix(Limits.requestItems).map { data($0.bytes) }
    }
    let heads = try await connection.call(.heads, request, answer: WireHeads.self)
    guard let head = heads.branches.first else { throw CloudFailure.nonsense }
    // Whether a branch is not there or only not for us is not said: then all of it is told.
    let told = try? LogHead(told: head.line, head.logHash)
    guard let told = head.denied ? LogHead(startOf: branch.cloudID) : told else { throw CloudFailure.nonsense }
    // Of what it has more of than there is here nothing is missing but contents perhaps.
    let first = told.line < cursor.line ? told : cursor
    guard try database.read({ try $0.has(first, in: branch) }) else {
      let fork = try await noteDivergence(of: branch, from: cursor, told: told, connection)
      guard try goOn(withInbox: branch, after: fork) else { throw Refusal.fork }
      return try await repair(branch, connection, progress)
    }
    let (lines, bare) = try await giveBack(
      branch, from: first, to: cursor, try database.read { try $0.missingEnds(of: members, heads.keyrings) },
      connection,
      progress)
    return try database.write { transaction in
      try transaction.putAllDropped(in: branch.id)
      let isLast = try lines == 0 || transaction.isOnlyHere(branch.id)
      let again = try isLast ? transaction.sealAnew(bare, in: branch.id) : 0
      let lacking = try isLast ? 0 : transaction.sendable(bare, in: branch.id).count
      return lines == 0 && again == 0 ? .whole : .restored(lines: lines, again: again, lacking: lacking)
    }
  }

  /// Returns how many lines were given back, and of which nodes the server lacks the contents. The server keeps nothing before the last of a
  /// row of requests, so that nobody reads half of it.
  private func giveBack(
    _ branch: FollowedBranch, from first: LogHead, to cursor: LogHead, _ ends: [WireKeyring],
    _ connection: CloudConnection, _ progress: (@Sendable (SyncProgress) -> Void)?
  ) async throws -> (lines: Int, bare: [CloudID]) {
    for some in Self.shares(of: ends).dropLast() { try await giveBack(some, of: branch, at: first, connection) }
    var (start, kept, bare, open) = (first, first.line, [CloudID](), Set<CloudID>())
    var keyrings = Self.shares(of: ends).last ?? []
    repeat {
      let (from, nodes) = (start, open)
      let request = try database.read {
        try $0.restoreRequest(of: branch, after: from, upTo: cursor.line, open: nodes)
      }
      let isLast =
        request.end.line == cursor.line
        || request.open.isEmpty && request.end.line - kept >= Self.linesKeptTogether
      var message = request.message
      message.keyrings = keyrings
      message.more = !isLast
      let answer = try await connection.call(.restore, message, answer: WireRestored.self)
      let isThere =
        answer.line > request.end.line
        || answer.line == request.end.line && Array(answer.logHash) == request.end.hash.bytes
      guard isThere || Defence.restoredHead.isDown else { throw CloudFailure.nonsense }
      (keyrings, start, open) = ([], request.end, request.open)
      if isLast { kept = start.line }
      bare = answer.bare.compactMap { CloudID(bytes: $0) }
      progress?(
        SyncProgress(received: 0, sent: Int(start.line - first.line), unsent: Int(cursor.line - start.line)))
    } while start.line < cursor.line
    return (Int(cursor.line - first.line), bare)
  }

  /// Far more than that a server does not keep in mind (spec §6.4).
  private static let linesKeptTogether: UInt64 = 50_000

  /// Keyrings alone, without a line.
  private func giveBack(
    _ ends: [WireKeyring], of branch: FollowedBranch, at head: LogHead, _ connection: CloudConnection
  ) async throws {
    let message = WireRestoreRequest.with {
      $0.branch = data(branch.cloudID.bytes)
      $0.afterLine = head.line
      $0.afterHash = data(head.hash.bytes)
      $0.keyrings = ends
    }
    do {
      _ = try await connection.call(.restore, message, answer: WireRestored.self)
    } catch CloudFailure.refused(.letterMissing) {
      // It has taken them, and does not have the branch yet that would say who reads it.
    }
  }

  /// As many keyrings together as one request takes.
  private static func shares(of ends: [WireKeyring]) -> [[WireKeyring]] {
    var shares: [[WireKeyring]] = []
    var (entries, bytes) = (0, 0)
    for end in ends {
      entries += end.entries.count
      bytes += end.entries.reduce(0) { $0 + $1.body.count + 128 }
      if shares.isEmpty || entries > Limits.restoreEntries || bytes > Limits.batchBytes / 2 {
        shares.append([])
        (entries, bytes) = (end.entries.count, end.entries.reduce(0) { $0 + $1.body.count + 128 })
      }
      shares[shares.count - 1].append(end)
    }
    return shares
  }
}
