import CloudAPI
import Signing

/// A branch with lines that are being put back: what storage has, and above it what was judged so far (spec §4.5).
struct RestoredBranch: BranchView {
  let branch: CloudID
  private(set) var head: LogHead
  private(set) var permissions: PermissionsInForce?
  let firstPermissions: Hash32?
  private let stored: StoredBranch

  /// One line that is put back.
  enum Record {
    case header(Header)
    case tombstone(Tombstone)
    case permissions(Permissions)
    /// The record of which a later one took the place: nobody has it any more.
    case superseded
  }

  /// In order, with the head at each.
  private(set) var records: [(line: Line, head: LogHead, record: Record)] = []
  private var hashes: [UInt64: Hash32] = [:]
  private var nodes: [CloudID: NodeState] = [:]
  private var earlier: Set<Hash32> = []
  /// Lines without a record that no record has vouched for yet.
  private var unvouched: [UInt64: Line] = [:]
  private var lastUnvouched: [CloudID: UInt64] = [:]

  init(_ stored: StoredBranch) {
    self.stored = stored
    branch = stored.branch
    head = stored.head
    permissions = stored.permissions
    firstPermissions = stored.firstPermissions
  }

  /// Judges lines that begin somewhere in the stored log: as far as both go they have to be the same.
  mutating func take(_ lines: [Line], after start: LogHead, rows: [UInt64: WireRow]) throws {
    guard start.line <= stored.head.line, try stored.logHash(at: start.line) == start.hash else { throw Refusal.fork }
    var end = start
    for line in lines {
      guard line.number == end.line + 1 else { throw Refusal.chainBroken }
      end = end.appending(line)
      if line.number <= stored.head.line {
        guard try stored.logHash(at: line.number) == end.hash else { throw Refusal.fork }
      } else {
        try take(line, rows[line.number].map { try SignedRecord($0.record) })
      }
    }
    guard unvouched.isEmpty else { throw Refusal.rowMissing }
  }

  private mutating func take(_ line: Line, _ record: SignedRecord?) throws {
    let judged = try judge(line, record)
    head = head.appending(line)
    hashes[head.line] = head.hash
    records.append((line, head, judged))
  }

  private mutating func judge(_ line: Line, _ record: SignedRecord?) throws -> Record {
    guard let record else {
      guard line.kind != .permissions else { throw Refusal.rowMissing }
      unvouched[line.number] = line
      lastUnvouched[line.cloudID] = line.number
      try advance(line, header: nil)
      return .superseded
    }
    guard record.hash == line.hash else { throw Refusal.rowMismatch }
    switch line.kind {
    case .permissions: return try judgePermissions(line, record)
    case .header:
      let header = try verify(UnverifiedHeader(record), in: self)
      guard header.body.cloudID == line.cloudID else { throw Refusal.rowMismatch }
      try vouch(for: line, by: header.body.author)
      try advance(line, header: header.body)
      return .header(header)
    case .tombstone:
      let tombstone = try verify(UnverifiedTombstone(record), in: self)
      guard tombstone.body.cloudID == line.cloudID else { throw Refusal.rowMismatch }
      try vouch(for: line, by: tombstone.body.author)
      try advance(line, header: nil)
      return .tombstone(tombstone)
    }
  }

  private mutating func judgePermissions(_ line: Line, _ record: SignedRecord) throws -> Record {
    guard line.cloudID == branch else { throw Refusal.rowMismatch }
    let unverified = try UnverifiedPermissions(record)
    // A trunk is made by signing up.
    guard permissions != nil || !Trunk.allCases.contains(where: { $0.cloudID(of: unverified.body.owner) == branch })
    else { throw Refusal.firstRecordWrong }
    let verified = try verify(unverified, in: self)
    if let permissions { earlier.insert(permissions.hash) }
    permissions = PermissionsInForce(verified)
    unvouched = unvouched.filter { $0.key > verified.body.author.read.line }
    return .permissions(verified)
  }

  /// A believed record vouches for the line of its node that it follows, whose hash is its `previous`, and for every line that
  /// its author had read.
  private mutating func vouch(for line: Line, by author: Author) throws {
    if let before = lastUnvouched.removeValue(forKey: line.cloudID) { unvouched[before] = nil }
    unvouched = unvouched.filter { $0.key > author.read.line }
  }

  private mutating func advance(_ line: Line, header: HeaderBody?) throws {
    let lines = try node(line.cloudID)?.lines ?? 0
    nodes[line.cloudID] = NodeState(
      lines: lines + 1, hash: line.hash, isDeleted: line.kind == .tombstone, header: header)
  }

  func logHash(at line: UInt64) throws -> Hash32? { try hashes[line] ?? stored.logHash(at: line) }

  func wasInForce(_ permissions: Hash32) throws -> Bool {
    try earlier.contains(permissions) || stored.wasInForce(permissions)
  }

  /// What went with a node above it is known when all lines are here.
  func node(_ cloudID: CloudID) throws -> NodeState? {
    if let node = nodes[cloudID] { return node }
    var node = try stored.node(cloudID)
    node?.isGone = nil
    return node
  }

  func keyring(_ user: UserID) throws -> Keyring? { try stored.keyring(user) }

  func enclosingPermissions(_ branch: CloudID) throws -> PermissionsInForce? {
    try stored.enclosingPermissions(branch)
  }
}
