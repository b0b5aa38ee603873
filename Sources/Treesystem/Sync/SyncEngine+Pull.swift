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
      if branches.isEmpty {
        if try retryPointers() { continue }
        break
      }
      seen.formUnion(branches.map(\.cloudID))
      for part in stride(from: 0, to: branches.count, by: Limits.requestItems) {
        let some = Array(branches[part..<min(part + Limits.requestItems, branches.count)])
        try await pull(some, connection, &report, progress)
      }
    }
    try await checkOrigins(connection)
    try await fillHollowBranches(connection, &report)
    // Where a node went was perhaps read before it came there: what left a branch had arrived first. And a branch was read
    // before it was deleted with its pointer.
    let (again, stranded) = try database.read { transaction in
      let destinations = try Set(transaction.pendingRelocations().compactMap(\.destination))
      let stranded = try transaction.strandedPointers()
      let targets = Set(stranded.compactMap(\.pointer))
      let again = try transaction.followedBranches().filter {
        destinations.contains($0.cloudID) || targets.contains($0.id)
      }
      return (again, stranded)
    }
    if !again.isEmpty { try await pull(again, connection, &report, progress) }
    try database.write { transaction in
      try RelocationSettler(transaction: transaction, delegate: delegate).settle()
      try transaction.settle(stranded: stranded, telling: delegate)
      try transaction.deleteHollowPointers(telling: delegate)
      try transaction.deleteClosedPointers(telling: delegate)
    }
  }

  private func pull(
    _ branches: [FollowedBranch], _ connection: CloudConnection, _ report: inout SyncReport,
    _ progress: (@Sendable (SyncProgress) -> Void)?
  ) async throws {
    // Oneself and those whose lists hang here first: strangers may be many.
    let users = try database.read { transaction in
      let near = try [transaction.requireAccount().user] + transaction.readers().sorted()
      let far = try transaction.knownUsers()
      var seen: Set<UserID> = []
      return (near + far).filter { seen.insert($0).inserted }.prefix(Limits.requestItems)
    }
    let request = WireHeadsRequest.with {
      $0.branches = branches.map { data($0.cloudID.bytes) }
      $0.users = users.map { data($0.bytes) }
    }
    let heads = try await connection.call(.heads, request, answer: WireHeads.self)
    try await extendKeyrings(heads.keyrings, asked: Set(users), connection)
    // Each once: of two answers about one branch the second would be judged by what was so before the first.
    let asked = Set(branches.map { Array($0.cloudID.bytes) })
    var told: [[UInt8]: WireBranchHead] = [:]
    for head in heads.branches
    where told.updateValue(head, forKey: Array(head.branch)) != nil || !asked.contains(Array(head.branch)) {
      if Defence.askedBranch.isDown { continue }
      throw CloudFailure.nonsense
    }
    if try hasLongTrunk(branches, told) {
      // Whom this user has blocked, or let in, stands there.
      let prefs = users.first.map { Trunk.prefs.cloudID(of: $0) }
      for branch in branches where branch.cloudID == prefs {
        if let head = told[branch.cloudID.bytes] { try await follow(branch, to: head, connection, &report, progress) }
      }
      try await showNewest(of: branches, connection, &report)
    }
    var left: Set<BranchID>?
    for var branch in branches {
      guard let head = told[Array(branch.cloudID.bytes)] else { continue }
      // Trunks are first, and home tells what was left.
      if !branch.isTrunk {
        let gone = try left ?? database.read { try $0.leftBranches() }
        (left, branch.isLeft) = (gone, gone.contains(branch.id))
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
    } catch let found as Contradiction {
      try database.write { try $0.note(found, of: branch.id) }
      refusal = .fork
    } catch let error as Refusal {
      if error == .rowMissing { try database.write { try $0.noteWithheld(from: branch.id, head) } }
      refusal = error
    } catch CloudFailure.refused(let error) {
      // Whatever it says: there may be a removal in what it does not give.
      report.unreadable.insert(branch.id)
      refusal = error == .letterMissing ? branch.denial : error
    }
    // That this user was taken off a branch is news once, and then a state that is kept with the branch.
    if let refusal, refusal != .branchDenied || branch.trouble != .branchDenied {
      report.troubles[branch.cloudID] = refusal
    }
    let isDenied = (head.denied || branch.isLeft) && refusal == .branchDenied
    guard try refusal != branch.trouble || isDenied && database.read({ try $0.isWaiting(branch.id) }) else { return }
    // At once: what is refused here for a denial that nobody remembers would hold nothing back.
    try database.write { transaction in
      if isDenied {
        // Nothing of it can be sealed again: it is kept, and shown.
        try transaction.refusePending(in: branch.id)
        try transaction.finishLeaving(branch.id, telling: delegate)
      }
      guard refusal != branch.trouble else { return }
      try transaction.setTrouble(refusal, of: branch.id)
      if refusal == .branchDenied { try transaction.tellDenied(branch.id, delegate) }
    }
  }

  /// Notes another past than the one that was read, and goes on with it where that loses nothing, once in a sync.
  private func meet(
    _ told: LogHead?, of branch: FollowedBranch, from cursor: LogHead, to head: WireBranchHead, isSecond: Bool,
    _ connection: CloudConnection, _ report: inout SyncReport, _ progress: (@Sendable (SyncProgress) -> Void)?
  ) async throws -> Refusal? {
    let fork = try await noteDivergence(of: branch, from: cursor, told: told, connection)
    guard try !isSecond && goOn(withInbox: branch, after: fork) else { return .fork }
    return try await read(branch, to: head, isSecond: true, connection, &report, progress)
  }

  /// Returns why the branch cannot be read; nil if all is well.
  private func read(
    _ branch: FollowedBranch, to head: WireBranchHead, isSecond: Bool = false, _ connection: CloudConnection,
    _ report: inout SyncReport, _ progress: (@Sendable (SyncProgress) -> Void)?
  ) async throws -> Refusal? {
    if branch.isLeft { return .branchDenied }
    if head.denied { return branch.isUnsent || branch.isNested ? nil : branch.denial }
    guard let known = try database.read({ try BranchKnown(branch, $0) }) else { return nil }
    // What was held while the server denied the branch, no new record takes up again.
    if known.hasDenied { try database.write { try $0.reopenDenied(in: branch.id) } }
    var cursor = known.cursor
    guard let told = try? LogHead(told: head.line, head.logHash) else { return .malformed }
    if told.line <= cursor.line, told != cursor {
      if (told.line < cursor.line ? Defence.headBack : .headFork).isDown { return nil }
      return try await meet(
        told, of: branch, from: cursor, to: head, isSecond: isSecond, connection, &report, progress)
    }
    let last = cursor.line.addingReportingOverflow(Limits.pullLines).partialValue
    let demands = known.demands
    // Neither a server nor a member makes this device follow lines without end.
    if demands.contains(where: { $0.line > last && $0.line <= told.line }) { return .limitExceeded }
    let vouched =
      demands.isEmpty ? [:] : try await vouchedHashes(of: branch, after: cursor, upTo: told, demands, connection)
    guard let vouched else { return .fork }
    if told == cursor {
      // Of a trunk that this device made and alone wrote, no page tells that this is all.
      if branch.isTrunk, cursor.line > 0, !known.isCaughtUp { try database.write { try $0.setCaughtUp(branch.id) } }
      if branch.isUnfinished {
        try database.write { transaction in
          try PageReader(transaction: transaction, delegate: delegate, identity: transaction.identity()).finish(
            branch.id)
        }
      }
      return known.awaitsHead || branch.isUnfinished ? try judgeHead(of: branch.id, cursor) : nil
    }
    var reading = PageReading(branch: branch, connection: connection, lines: pageLines)
    while true {
      let page: IncomingPage
      do {
        page = try await reading.page(after: cursor)
      } catch CloudFailure.refused(.fork) {
        return try await meet(
          nil, of: branch, from: cursor, to: head, isSecond: isSecond, connection, &report, progress)
      }
      guard page.agrees(with: vouched, after: cursor) else { return .fork }
      try await fetchAuthors(of: page, connection, &reading.authors)
      let complete = try await take(page, &reading, after: cursor)
      report.received += page.rows.count
      progress?(SyncProgress(received: report.received, sent: report.sent, unsent: 0))
      guard let next = try database.read({ try $0.cursor(of: branch.id) }) else { return nil }
      if complete { return try judgeHead(of: branch.id, next) }
      // A server that sends nothing more and names a higher head would keep us here for ever.
      guard next.line > cursor.line else { return Defence.pageProgress.isDown ? nil : .chainBroken }
      guard next.line < last else { return .limitExceeded }
      cursor = next
    }
  }

  /// Whether what is open about a branch is over, now that it was read to its head.
  private func judgeHead(of branch: BranchID, _ head: LogHead) throws -> Refusal? {
    guard try database.read({ try $0.awaitsHead(branch) }) else { return nil }
    return try database.write { try $0.judgeHead(of: branch, head) }
  }

  /// Takes in a page, and meanwhile fetches the one that follows and checks its signatures.
  private func take(_ page: IncomingPage, _ reading: inout PageReading, after cursor: LogHead) async throws -> Bool {
    guard readsAhead else { return try take(page, reading) }
    await reading.checked.check(page, by: reading.authors)
    let end = page.end(after: cursor)
    guard end.line > cursor.line, end.line < page.headLine else { return try take(page, reading) }
    let present = reading
    async let following = present.following(end)
    let complete = try take(page, present)
    (reading.ahead, reading.checked) = try await following
    return complete
  }

  private func take(_ page: IncomingPage, _ reading: PageReading) throws -> Bool {
    defer { if Defect.cursorBeforeApply.isPlanted, !page.lines.isEmpty { _ = try? take(page.emptied(), reading) } }
    return try database.write { transaction in
      let reader = PageReader(
        transaction: transaction, delegate: delegate, identity: try transaction.identity(),
        keyrings: KeyringCache(reading.authors), checked: reading.checked)
      return try reader.read(page, of: reading.branch.id)
    }
  }

  /// Fetches what is missing of the keyrings that a page's records cite, before the page is judged.
  func fetchAuthors(
    of page: IncomingPage, _ connection: CloudConnection, _ authors: inout [UserID: Keyring]
  ) async throws {
    let behind = page.citedKeyrings.filter { (authors[$0.key]?.position ?? 0) < $0.value }
    if behind.isEmpty { return }
    let missing = try database.read { transaction in
      try behind.filter { try transaction.keyringPosition($0.key) < $0.value }.map(\.key)
    }
    try await fetchKeyrings(missing.sorted(), connection)
    let known = try database.read { transaction in
      try behind.keys.compactMap { try transaction.keyring($0) }
    }
    for keyring in known { authors[keyring.user] = keyring }
  }
}

/// What is known of a branch before it is read on: one look, because nearly always there is nothing to read.
private struct BranchKnown {
  let cursor: LogHead
  let demands: [LogHead]
  let hasDenied: Bool
  let isCaughtUp: Bool
  let awaitsHead: Bool

  init?(_ branch: FollowedBranch, _ transaction: CloudTransaction) throws {
    guard let cursor = try transaction.cursor(of: branch.id) else { return nil }
    self.cursor = cursor
    demands = try transaction.demands(on: branch.id)
    hasDenied = try transaction.hasDenied(in: branch.id)
    isCaughtUp = try transaction.isCaughtUp(branch.id)
    awaitsHead = try transaction.awaitsHead(branch.id)
  }
}
