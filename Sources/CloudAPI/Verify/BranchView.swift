public import Signing

/// What `verify` has to know of a branch before a line: the server reads it from its tables, a client from its own.
public protocol BranchView {
  var branch: CloudID { get }
  /// The head before the line in question.
  var head: LogHead { get }
  /// The permissions record in force; nil before line 1.
  var permissions: PermissionsInForce? { get }
  /// What is pinned as the hash of the first permissions record, where something is.
  var firstPermissions: Hash32? { get }
  /// The log hash at a line at or below the head.
  func logHash(at line: UInt64) throws -> Hash32?
  /// Whether a record was in force earlier.
  func wasInForce(_ permissions: Hash32) throws -> Bool
  /// What the lines before say of a node; nil if it has none.
  func node(_ cloudID: CloudID) throws -> NodeState?
  /// A person's verified keyring.
  func keyring(_ user: UserID) throws -> Keyring?
  /// The user who makes this branch in a trunk of theirs, where that waits to be sent: nobody else can have made it.
  var maker: UserID? { get }
  /// The record of an enclosing branch that a record of a nested one names. Returns `.none` in the outer optional where
  /// this reader does not have that branch's log.
  func enclosingPermissions(_ enclosing: Enclosing) throws -> PermissionsInForce??
  /// Whether a signature is the key's: whoever checks many at once has checked it before.
  func verifies(_ key: PublicKey, _ signature: Signature, _ domain: Domain, _ body: [UInt8]) -> Bool
}

extension BranchView {
  public var maker: UserID? { nil }

  public func verifies(_ key: PublicKey, _ signature: Signature, _ domain: Domain, _ body: [UInt8]) -> Bool {
    key.verifies(signature, domain, body)
  }
}

/// What the lines before say of one node of a branch.
public struct NodeState: Sendable {
  /// How many lines it has: the next version is one more.
  public var lines: UInt64
  /// The record hash at its last line.
  public var hash: Hash32
  /// Whether that line is a tombstone.
  public var isDeleted: Bool
  /// The header at its last header line, where the verifier has it: the server keeps only the latest row.
  public var header: HeaderBody?
  /// Whether it went with a node above it; nil where the verifier cannot tell before it has read on.
  public var isGone: Bool?
  /// The version of the last of its lines that is called a tombstone; 0 for none, or where the header before tells all.
  public var lastTombstone: UInt64

  public init(
    lines: UInt64, hash: Hash32, isDeleted: Bool, header: HeaderBody?, isGone: Bool? = nil, lastTombstone: UInt64 = 0
  ) {
    self.lines = lines
    self.hash = hash
    self.isDeleted = isDeleted
    self.header = header
    self.isGone = isGone
    self.lastTombstone = lastTombstone
  }
}

/// A permissions record that its holder verified when it came, and stored.
public struct PermissionsInForce: Sendable {
  public let hash: Hash32
  public let body: PermissionsBody

  /// Reads a record back from one's own tables.
  public init(stored record: SignedRecord) throws(Refusal) {
    hash = record.hash
    body = try PermissionsBody(decoding: record.body)
  }

  /// A record that `verify` has just believed.
  public init(_ permissions: Permissions) {
    hash = permissions.hash
    body = permissions.body
  }
}
