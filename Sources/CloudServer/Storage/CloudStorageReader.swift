public import CloudAPI
public import Signing

/// What can be asked of storage.
public protocol CloudStorageReader {
  /// Sets how much this transaction may do, for what is more than usual by its nature.
  func allow(_ budget: Work)

  // MARK: Accounts

  /// Whose handle this is or ever was: a handle is never reassigned.
  func user(handle: String) throws -> UserID?
  /// How many handles a user has taken.
  func handleCount(of user: UserID) throws -> Int
  /// True once anybody has signed up.
  func hasAccounts() throws -> Bool
  /// How long a user's keyring is; nil where there is no such user.
  func keyringHead(of user: UserID) throws -> StoredKeyringHead?
  /// A user's keyring entries after a position, in order.
  func keyringEntries(of user: UserID, after position: UInt32) throws -> [SignedRecord]
  /// A device of a user's, active or not, or the root, which is nil; nil where there is none.
  func signer(_ device: DeviceID?, of user: UserID) throws -> StoredSigner?
  /// Whether a user has deleted their account.
  func isDeleted(_ user: UserID) throws -> Bool
  /// How long the keyring is that others gave back of somebody; 0 for nearly everybody.
  func lostKeyringLength(of user: UserID) throws -> Int
  /// The keyring of somebody whose account was lost, as others gave it back; empty for nearly everybody.
  func lostKeyring(of user: UserID) throws -> [SignedRecord]

  // MARK: Branches

  /// A branch's head; nil where there is no such branch.
  func head(of branch: CloudID) throws -> LogHead?
  /// The log hash at a line.
  func logHash(of branch: CloudID, at line: UInt64) throws -> Hash32?
  /// At most `limit` lines after a line, in order.
  func lines(of branch: CloudID, after line: UInt64, limit: Int) throws -> [Line]
  /// The head just after the line with this record hash; nil where no line has it.
  func head(of branch: CloudID, atRecord hash: Hash32) throws -> LogHead?
  /// The permissions record in force.
  func permissions(of branch: CloudID) throws -> SignedRecord?
  /// A permissions record that is or was in force.
  func permissions(of branch: CloudID, named hash: Hash32) throws -> SignedRecord?
  /// The newest permissions records, at most `limit`.
  func newestPermissions(of branch: CloudID, limit: Int) throws -> [SignedRecord]
  /// Every permissions record, oldest first; nil where their bodies are more than `bytes`.
  func permissionsHistory(of branch: CloudID, upTo bytes: Int) throws -> [SignedRecord]?
  /// What a user may do by the record in force: their own letters and anyone's; nothing where their own entry has none.
  func letters(of user: UserID, on branch: CloudID) throws -> Letters

  /// Whether the record in force has an entry for a user, or for anyone.
  func isNamed(_ user: UserID, on branch: CloudID) throws -> Bool
  /// Whether a device of a branch's owner has given back what it has of it, or the branch was made since giving back began.
  func isGivenBack(_ branch: CloudID) throws -> Bool

  /// Those whose own entry in the record in force gives them `r`.
  func readers(of branch: CloudID) throws -> Set<UserID>

  /// The branches whose owner a user is, by the record in force.
  func branches(ownedBy user: UserID) throws -> [CloudID]

  // MARK: Nodes

  /// Where a node hangs and those above it, without their records: as many as a tree is deep.
  func places(from cloudID: CloudID, in branch: CloudID) throws -> [NodePlace]
  /// A node's latest row.
  func node(_ cloudID: CloudID, in branch: CloudID) throws -> StoredNode?
  /// The node whose latest row stands at a line; nil for a line that a later one superseded.
  func node(at line: UInt64, of branch: CloudID) throws -> StoredNode?
  /// Every node's latest row, of what is gone too.
  func nodes(of branch: CloudID) throws -> [StoredNode]
  /// How many messages of somebody's lie in an inbox.
  func messageCount(in inbox: CloudID, by sender: UserID) throws -> Int
  /// How many lines somebody has added to an inbox on a day, with messages and with the end of some.
  func messageLines(in inbox: CloudID, by sender: UserID, onDay day: Int64) throws -> Int
  /// The live child of a node with a name token.
  func liveChild(of parent: CloudID, token: Hash32, in branch: CloudID) throws -> CloudID?
  /// The live children of a node, those with the newest lines first.
  func newestChildren(of parent: CloudID, in branch: CloudID, limit: Int) throws -> [CloudID]
  /// The newest line of the live nodes below a node; nil where none is below. It is kept with the nodes: asking costs the same whatever is there.
  func newestLine(below cloudID: CloudID, in branch: CloudID) throws -> UInt64?

  // MARK: Contents

  /// Whether contents are there of branches that were closed before a time.
  func hasClosed(before time: Int64) throws -> Bool
  /// Whether contents are there that have expired by a time.
  func hasExpired(by time: Int64) throws -> Bool
  /// The contents that a live node lists.
  func contents(of cloudID: CloudID, in branch: CloudID) throws -> [StoredContent]
  /// The hash of the bytes that a content id stands for in a branch; of a file that is here whole, its root.
  func contentHash(_ content: ContentID, in branch: CloudID) throws -> Hash32?
  /// The bytes of a content that a live node of the branch lists; nil for a file.
  func content(_ content: ContentID, in branch: CloudID) throws -> [UInt8]?

  // MARK: Files

  /// What a user has uploaded under a content id, whole or not.
  func file(_ content: ContentID, of user: UserID) throws -> StoredFile?
  /// A file that a live node of the branch lists.
  func file(_ content: ContentID, in branch: CloudID) throws -> StoredFile?
  /// The file that has a number.
  func file(numbered number: UInt64) throws -> StoredFile?
  /// The numbers of the parts that came, in order.
  func parts(of file: StoredFile) throws -> [UInt64]
  /// The hashes of the leaves of a part, 32 bytes each; nil if it did not come.
  func leaves(of file: StoredFile, part: UInt64) throws -> [UInt8]?
  /// The same of at most `limit` parts from one on, in order.
  func leaves(of file: StoredFile, from part: UInt64, limit: Int) throws -> [[UInt8]]
  /// How many bytes a user makes this server keep: lines, records, contents and files that they brought.
  func bytes(of user: UserID) throws -> UInt64
  /// Whether there are files to collect, or to note that nothing lists them.
  func hasFilesToCollect(unlistedBefore time: Int64) throws -> Bool
}

/// How long a keyring is, and the record hash of its last entry.
public struct StoredKeyringHead: Equatable, Sendable {
  public let position: UInt32
  public let hash: Hash32

  public init(position: UInt32, hash: Hash32) {
    self.position = position
    self.hash = hash
  }
}

/// Who may sign for a user: a device, or the root.
public struct StoredSigner: Equatable, Sendable {
  public let signKey: PublicKey
  public let boxKey: PublicKey
  /// Whether it may not any more.
  public let hasEnded: Bool

  public init(signKey: PublicKey, boxKey: PublicKey, hasEnded: Bool) {
    (self.signKey, self.boxKey, self.hasEnded) = (signKey, boxKey, hasEnded)
  }
}

/// Where a node hangs.
public struct NodePlace: Equatable, Sendable {
  public let cloudID: CloudID
  /// Nil: it is the root.
  public let parent: CloudID?
  /// Whether it lives: neither it nor a node above it was deleted.
  public let isLive: Bool

  public init(cloudID: CloudID, parent: CloudID?, isLive: Bool) {
    (self.cloudID, self.parent, self.isLive) = (cloudID, parent, isLive)
  }
}

/// A node's latest row.
public struct StoredNode: Sendable {
  public let cloudID: CloudID
  /// The line of the row.
  public let line: UInt64
  /// How many lines the node has.
  public let lines: UInt64
  /// A header or a tombstone.
  public let kind: Line.Kind
  public let hash: Hash32
  public let record: SignedRecord
  /// As the node's last header has it.
  public let parent: CloudID?
  public let nameToken: Hash32?
  /// Whether it went with a node above it; a later line of its own brings it back.
  public let isGone: Bool

  public init(
    cloudID: CloudID, line: UInt64, lines: UInt64, kind: Line.Kind, hash: Hash32, record: SignedRecord,
    parent: CloudID?, nameToken: Hash32?, isGone: Bool = false
  ) {
    self.cloudID = cloudID
    self.line = line
    self.lines = lines
    self.kind = kind
    self.hash = hash
    self.record = record
    self.parent = parent
    self.nameToken = nameToken
    self.isGone = isGone
  }

  /// Whether it lives: neither it nor a node above it was deleted.
  public var isLive: Bool { kind == .header && !isGone }
}

/// A file, or what there is of one.
public struct StoredFile: Hashable, Sendable {
  /// Never given to another one.
  public let number: UInt64
  /// Whose upload it is, and whose quota it takes.
  public let user: UserID
  public let content: ContentID
  public let layout: FileLayout
  /// How many of its parts have not come.
  public let missing: UInt64
  /// Nil as long as some have not.
  public let root: Hash32?

  public init(
    number: UInt64, user: UserID, content: ContentID, layout: FileLayout, missing: UInt64, root: Hash32? = nil
  ) {
    self.number = number
    self.user = user
    self.content = content
    self.layout = layout
    self.missing = missing
    self.root = root
  }

  /// Where its bytes are.
  public var blob: BlobName { BlobName(number: number, content: content) }
  /// What was uploaded at once.
  public var pieces: FileParts { FileParts(of: layout) }
}

/// A content's id and bytes.
public struct StoredContent: Sendable {
  public let content: ContentID
  public let bytes: [UInt8]

  public init(content: ContentID, bytes: [UInt8]) {
    self.content = content
    self.bytes = bytes
  }
}
