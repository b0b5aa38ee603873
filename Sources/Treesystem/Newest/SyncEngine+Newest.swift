import CloudAPI
import Signing
import SwiftProtobuf

extension SyncEngine {
  /// Whether this device has read nothing of a trunk that is longer than a page.
  func hasLongTrunk(_ branches: [FollowedBranch], _ heads: [[UInt8]: WireBranchHead]) throws -> Bool {
    let isLong = branches.contains { $0.isTrunk && heads[$0.cloudID.bytes]?.line ?? 0 > UInt64(pageLines) }
    guard isLong else { return false }
    return try unreadTrunks(of: branches).contains { heads[$0.cloudID.bytes]?.line ?? 0 > UInt64(pageLines) }
  }

  private func unreadTrunks(of branches: [FollowedBranch]) throws -> [FollowedBranch] {
    try database.read { transaction in
      try branches.filter { try $0.isTrunk && transaction.cursor(of: $0.id)?.line == 0 }
    }
  }

  /// Has the newest of long trunks shown before they are read from their first line. What is wrong with an answer stops nothing:
  /// what it says is not shown, and comes with the log.
  func showNewest(
    of branches: [FollowedBranch], _ connection: CloudConnection, _ report: inout SyncReport
  ) async throws {
    let me = try database.read { try $0.requireAccount().user }
    for branch in try unreadTrunks(of: branches) {
      guard let trunk = Trunk.allCases.first(where: { $0.cloudID(of: me) == branch.cloudID }),
        let wish = delegate.newestWanted(of: trunk)
      else { continue }
      do {
        var asking = NewestAsking(trunk: trunk, branch: branch, me: me, connection: connection)
        if let refusal = try await show(wish, &asking) { report.troubles[branch.cloudID] = refusal }
      } catch let refusal as Refusal {
        report.troubles[branch.cloudID] = refusal
      } catch CloudFailure.refused(_) {
        // A server that does not know the request, or does not want to answer it, gives the log all the same.
        continue
      }
    }
  }

  /// Returns why some of what came is not believed.
  private func show(_ wish: NewestWish, _ asking: inout NewestAsking) async throws -> Refusal? {
    let first = try await asking.ask(below: [], 0)
    try await fetchOwnKeyring(first.permissions, asking)
    var refused: Refusal?
    var (level, count) = ([asking.branch.cloudID], wish.atRoot)
    for _ in 0..<Limits.depth where !level.isEmpty {
      var next: [CloudID] = []
      while !level.isEmpty {
        let some = Array(level.prefix(Limits.requestItems))
        let answer = try await asking.ask(below: some, count)
        guard (1...some.count).contains(Int(answer.answered)) else { throw Refusal.malformed }
        let shown = try await show(answer, of: some, by: first.permissions, &asking)
        next += shown.wanted
        refused = refused ?? shown.refused
        level.removeFirst(Int(answer.answered))
      }
      (level, count) = (next, wish.below)
    }
    return refused
  }

  private func show(
    _ answer: WireNewest, of parents: [CloudID], by records: [WireSignedRecord], _ asking: inout NewestAsking
  ) async throws -> (wanted: [CloudID], refused: Refusal?) {
    try await fetchSenders(answer.rows.compactMap { try? HeaderBody(decoding: Array($0.record.body)).author }, asking)
    let (reader, rows, refused) = try database.read { [asking] transaction in
      guard let mine = try transaction.keyring(asking.me) else { throw Refusal.keyringStale }
      var reader = NewestReader(
        trunk: asking.trunk, me: asking.me, keys: try NewestKeys(records, of: asking.trunk, mine, in: transaction),
        parents: Set(parents), head: answer.headLine, opened: asking.opened)
      let (rows, refused) = try reader.read(answer.rows, in: transaction)
      return (reader, rows, refused)
    }
    asking.opened = reader.opened
    try await fetchSenders(rows.compactMap { $0.origin?.header.author }, asking)
    return try database.write { [asking] transaction in
      var (wanted, refused): ([CloudID], Refusal?) = ([], refused.first)
      // Where it was read meanwhile there is nothing left to tell beforehand.
      guard try transaction.cursor(of: asking.branch.id)?.line == 0 else { return ([], refused) }
      for row in rows {
        guard row.isByActive else {
          // The log tells when it was written. Till then it is only a place, where others may have written.
          if row.node.header.parent == asking.branch.cloudID { wanted.append(row.line.cloudID) }
          continue
        }
        let number = try transaction.rememberNewest(row.line, in: asking.branch.id, upTo: reader.head)
        do {
          let node = try reader.node(of: row, remembered: number, in: transaction)
          if try delegate.receive(newest: node, in: transaction) { wanted.append(node.cloudID) }
        } catch let refusal as Refusal {
          try transaction.forgetProvisional(number)
          refused = refused ?? refusal
        }
      }
      return (wanted.filter { !parents.contains($0) }, refused)
    }
  }

  /// The records cite no later position of it than the account has.
  private func fetchOwnKeyring(_ records: [WireSignedRecord], _ asking: NewestAsking) async throws {
    let authors = records.compactMap { try? PermissionsBody(decoding: Array($0.body)).author }
    try await fetchSenders(authors.filter { $0.user == asking.me }, asking)
  }

  private func fetchSenders(_ authors: [Author], _ asking: NewestAsking) async throws {
    var cited: [UserID: UInt32] = [:]
    for author in authors { cited[author.user] = max(cited[author.user] ?? 0, author.keyringPosition) }
    let missing = try database.read { transaction in
      try cited.filter { try transaction.keyringPosition($0.key) < $0.value }.map(\.key)
    }
    if !missing.isEmpty { try await fetchKeyrings(missing.sorted(), asking.connection) }
  }
}

/// Asks for what one trunk has newest.
struct NewestAsking {
  let trunk: Trunk
  let branch: FollowedBranch
  let me: UserID
  let connection: CloudConnection
  var opened: [CloudID: OpenedNode] = [:]

  func ask(below parents: [CloudID], _ count: Int) async throws -> WireNewest {
    let request = WireNewestRequest.with {
      $0.branch = data(branch.cloudID.bytes)
      $0.parents = parents.map { data($0.bytes) }
      $0.count = UInt32(count)
    }
    let answer = try await connection.call(.newest, request, answer: WireNewest.self)
    guard Array(answer.branch) == branch.cloudID.bytes else { throw Refusal.branchMismatch }
    return answer
  }
}
