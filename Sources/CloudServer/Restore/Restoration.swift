import CloudAPI
import Signing

/// What was judged so far of lines that are being put back, in one request or several (spec §4.5).
struct Restoration: Sendable {
  /// One line that is put back.
  enum Record: Sendable {
    case header(Header)
    case tombstone(Tombstone)
    case permissions(Permissions)
    /// The record of which a later one took the place: nobody has it any more.
    case superseded
  }

  struct Part: Sendable {
    let line: Line
    let head: LogHead
    let record: Record
  }

  let branch: CloudID
  /// The server's own head, which these lines continue.
  let base: LogHead
  var head: LogHead
  var permissions: PermissionsInForce?
  /// In order.
  private(set) var parts: [Part] = []
  private(set) var nodes: [CloudID: NodeState] = [:]
  private(set) var hashes: [UInt64: Hash32] = [:]
  /// Records that were in force, and who signed records, the newest last; nil for one that was due.
  var earlier: Set<Hash32> = []
  var renewers: [UserID?] = []
  /// The keyrings that came with them of people who have no account here.
  private(set) var lost: [UserID: Keyring] = [:]
  /// Record hashes: none stands twice in a log.
  private var records: Set<Hash32> = []
  /// Lines without a record that no record names as its `previous`; and up to which line authors had read.
  private var unvouched: Set<UInt64> = []
  private var lastUnvouched: [CloudID: UInt64] = [:]
  private var read: UInt64 = 0
  private var bytes = 0

  init(continuing stored: StoredBranch) {
    branch = stored.branch
    base = stored.head
    head = stored.head
    permissions = stored.permissions
  }

  /// Whether each line without a record is vouched for by a record.
  var isVouched: Bool { unvouched.allSatisfy { $0 <= read } }

  /// Takes the keyring of somebody who has no account here, whole.
  mutating func take(_ keyring: Keyring) throws(Refusal) {
    let size = keyring.entries.reduce(0) { $0 + $1.body.count + 128 }
    guard size <= ServerLimits.keyringBytes else { throw .limitExceeded }
    bytes += size
    guard bytes <= ServerLimits.restorationBytes else { throw .limitExceeded }
    lost[keyring.user] = keyring
  }

  /// Remembers a line that was judged, and what it says of its node.
  mutating func take(_ line: Line, _ record: Record, size: Int, node: NodeState?) throws(Refusal) {
    guard records.insert(line.hash).inserted else { throw .malformed }
    bytes += size
    guard parts.count < ServerLimits.restorationLines, bytes <= ServerLimits.restorationBytes else {
      throw .limitExceeded
    }
    switch record {
    case .superseded:
      unvouched.insert(line.number)
      lastUnvouched[line.cloudID] = line.number
    case .header(let header): vouch(for: line.cloudID, header.body.author)
    case .tombstone(let tombstone): vouch(for: line.cloudID, tombstone.body.author)
    case .permissions(let permissions): read = max(read, permissions.body.author.read.line)
    }
    if let node { nodes[line.cloudID] = node }
    head = head.appending(line)
    hashes[head.line] = head.hash
    parts.append(Part(line: line, head: head, record: record))
  }

  /// A believed record vouches for the line of its node that it follows, whose hash is its `previous`, and for every line that
  /// its author had read.
  private mutating func vouch(for node: CloudID, _ author: Author) {
    if let before = lastUnvouched.removeValue(forKey: node) { unvouched.remove(before) }
    read = max(read, author.read.line)
  }
}
