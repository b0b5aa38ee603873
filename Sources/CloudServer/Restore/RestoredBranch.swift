import CloudAPI
import Signing

/// A branch with lines that are being put back: what storage has, and above it what was judged so far (spec §4.5).
struct RestoredBranch: BranchView {
  private(set) var work: Restoration
  private let stored: StoredBranch

  /// `work` continues what is stored.
  init(_ work: Restoration, on stored: StoredBranch) {
    self.work = work
    self.stored = stored
  }

  var branch: CloudID { work.branch }
  var head: LogHead { work.head }
  var permissions: PermissionsInForce? { work.permissions }
  var firstPermissions: Hash32? { stored.firstPermissions }

  /// Judges lines that begin somewhere in the stored log, or right after what was judged: as far as both go they have to be the same.
  mutating func take(_ lines: [Line], after start: LogHead, rows: [UInt64: SignedRecord]) throws {
    guard start.line <= head.line else { throw Refusal.chainBroken }
    guard try logHash(at: start.line) == start.hash else { throw Refusal.fork }
    var end = start
    for line in lines {
      guard line.number == end.line + 1 else { throw Refusal.chainBroken }
      end = end.appending(line)
      if line.number <= head.line {
        guard try logHash(at: line.number) == end.hash else { throw Refusal.fork }
      } else {
        try take(line, rows[line.number])
      }
    }
  }

  private mutating func take(_ line: Line, _ record: SignedRecord?) throws {
    guard try stored.storage.head(of: branch, atRecord: line.hash) == nil else { throw Refusal.malformed }
    let judged = try judge(line, record)
    let node = line.kind == .permissions ? nil : try state(after: line, judged)
    try work.take(line, judged, size: record?.body.count ?? 0, node: node)
    guard case .permissions(let permissions) = judged else { return }
    var counts = true
    if let before = work.permissions {
      work.earlier.insert(before.hash)
      counts = try !isDue(permissions.body, after: before.body)
    }
    work.permissions = PermissionsInForce(permissions)
    work.renewers.append(counts ? permissions.body.author.user : nil)
  }

  private func judge(_ line: Line, _ record: SignedRecord?) throws -> Restoration.Record {
    guard let record else {
      guard line.kind != .permissions else { throw Refusal.rowMissing }
      return .superseded
    }
    guard record.hash == line.hash else { throw Refusal.rowMismatch }
    switch line.kind {
    case .permissions: return try judgePermissions(line, record)
    case .header:
      let header = try verify(UnverifiedHeader(record), in: self)
      guard header.body.cloudID == line.cloudID else { throw Refusal.rowMismatch }
      return .header(header)
    case .tombstone:
      let tombstone = try verify(UnverifiedTombstone(record), in: self)
      guard tombstone.body.cloudID == line.cloudID else { throw Refusal.rowMismatch }
      return .tombstone(tombstone)
    }
  }

  private func judgePermissions(_ line: Line, _ record: SignedRecord) throws -> Restoration.Record {
    guard line.cloudID == branch else { throw Refusal.rowMismatch }
    let unverified = try UnverifiedPermissions(record)
    // A trunk is made by signing up.
    guard permissions != nil || !Trunk.allCases.contains(where: { $0.cloudID(of: unverified.body.owner) == branch })
    else { throw Refusal.firstRecordWrong }
    let verified = try verify(unverified, in: self)
    try checkOlderKeys(of: verified.body)
    try checkRenewals(of: verified.body) { try newestRenewers() }
    return .permissions(verified)
  }

  private func newestRenewers() throws -> [UserID?] {
    let new = work.renewers.suffix(Limits.renewalsLookedAt)
    return try new + stored.renewers(Limits.renewalsLookedAt - new.count)
  }

  private func state(after line: Line, _ record: Restoration.Record) throws -> NodeState {
    let before = try node(line.cloudID)
    let lines = (before?.lines ?? 0) + 1
    var header: HeaderBody?
    if case .header(let verified) = record { header = verified.body }
    // What came back with a version had gone with the one before, at the latest.
    let gone = before?.header.map { max($0.revived, 1) - 1 } ?? 0
    return NodeState(
      lines: lines, hash: line.hash, isDeleted: line.kind == .tombstone, header: header,
      lastTombstone: line.kind == .tombstone ? lines : max(before?.lastTombstone ?? 0, gone))
  }

  func logHash(at line: UInt64) throws -> Hash32? { try work.hashes[line] ?? stored.logHash(at: line) }

  func wasInForce(_ permissions: Hash32) throws -> Bool {
    try work.earlier.contains(permissions) || stored.wasInForce(permissions)
  }

  /// What went with a node above it is known when all lines are here.
  func node(_ cloudID: CloudID) throws -> NodeState? {
    if let node = work.nodes[cloudID] { return node }
    var node = try stored.node(cloudID)
    node?.isGone = nil
    return node
  }

  func keyring(_ user: UserID) throws -> Keyring? {
    let known = try stored.keyring(user)
    guard let lost = work.lost[user], lost.entries.starts(with: known?.entries ?? []) else { return known }
    return lost
  }

  /// Takes the keyrings of people who have no account here: their records are judged by them, and nothing else.
  mutating func take(_ keyrings: [Keyring]) throws {
    for keyring in keyrings where try stored.storage.keyringHead(of: keyring.user) == nil { try work.take(keyring) }
  }

  func enclosingPermissions(_ enclosing: Enclosing) throws -> PermissionsInForce?? {
    try stored.enclosingPermissions(enclosing)
  }

  func verifies(_ key: PublicKey, _ signature: Signature, _ domain: Domain, _ body: [UInt8]) -> Bool {
    stored.verifies(key, signature, domain, body)
  }
}
