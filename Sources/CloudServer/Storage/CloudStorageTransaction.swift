public import CloudAPI
public import Signing

/// What can be changed in one write. Nothing here judges: `verify` has spoken before.
public protocol CloudStorageTransaction: CloudStorageReader {
  /// Runs `body`; takes back its changes, and only its, where it throws.
  func attempt<T>(_ body: () throws -> T) throws -> T

  /// Makes an account without keyring entries.
  func addAccount(_ user: UserID) throws
  /// Gives a free handle to a user, for ever.
  func claim(handle: String, for user: UserID) throws
  /// Appends an entry to a user's keyring.
  func append(_ entry: SignedRecord, hash: Hash32, at position: UInt32, to user: UserID) throws
  /// Keeps who may sign for a user, or that they may not any more; nil: the root.
  func store(_ signer: StoredSigner, as device: DeviceID?, of user: UserID) throws
  /// Notes that an account was deleted.
  func noteDeleted(_ user: UserID) throws
  /// Keeps the keyring of somebody who has no account, in place of what was kept of it; `payer` pays for it.
  func keepLost(_ entries: [SignedRecord], of user: UserID, by payer: UserID) throws

  /// Appends lines that follow each other to a branch, which it makes with line 1.
  func append(_ lines: [PaidLine], to branch: CloudID) throws
  /// Puts the record of a line in force; `payer` pays for it.
  func putInForce(_ permissions: Permissions, at line: UInt64, by payer: UserID) throws
  /// Remembers when a branch was closed; its record is in force already.
  func noteClosing(of branch: CloudID, at time: Int64) throws
  /// Drops the contents of at most `limit` nodes of a branch that was closed before a time. Lines and rows stay. Returns whether there was one.
  func purge(closedBefore time: Int64, limit: Int) throws -> Bool
  /// Notes that lost lines are given back from now on, unless they are already. Returns since when, in milliseconds since 1970.
  func beginRestoring(at time: Int64) throws -> Int64
  /// Notes that they are not any more, and forgets which branches were given back.
  func endRestoring() throws
  /// Notes that a branch waits for its owner no more, while lost lines are given back.
  func noteGivenBack(_ branch: CloudID) throws
  /// Replaces a node's latest row; the node's line is there already. `author` pays for its record.
  func store(_ node: StoredNode, in branch: CloudID, by author: UserID?) throws
  /// Marks a node as one that went with a node above it, or as one that did not.
  func setGone(_ isGone: Bool, _ cloudID: CloudID, in branch: CloudID) throws
  /// Remembers who put a message, whose row is there already.
  func noteMessage(_ cloudID: CloudID, in inbox: CloudID, by sender: UserID) throws
  /// Counts a line that somebody adds to an inbox on a day, with a message or its end. Days before it are forgotten.
  func countMessageLine(in inbox: CloudID, by sender: UserID, onDay day: Int64) throws
  /// Remembers when the contents of a node go, in milliseconds since 1970; its row is there already. 0: never.
  func noteExpiry(_ time: UInt64, of cloudID: CloudID, in branch: CloudID) throws
  /// Drops the contents of at most `limit` nodes that have expired by a time. Lines and rows stay. Returns how many they were.
  func burn(expiredBy time: Int64, limit: Int) throws -> Int
  /// Replaces the contents that a node lists, and drops bytes that nothing lists any more. If a file is among them, `file` is its number.
  /// `author` pays for what the node did not list before.
  func setContents(
    _ contents: [ContentReference], file: UInt64?, of cloudID: CloudID, in branch: CloudID, by author: UserID?) throws
  /// Keeps the bytes of a content, until nothing lists it.
  func store(_ bytes: [UInt8], of content: ContentReference) throws
  /// Lets nobody read or write a branch from now on. All that there is of it is taken away in pieces.
  func beginDeleting(_ branch: CloudID) throws
  /// Takes away a piece of a branch, of some times `limit` rows at most. Returns whether there was one.
  func goOnDeleting(limit: Int) throws -> Bool
  /// Takes away the contents of a node and everything below it, and marks what is below as gone.
  func remove(_ cloudID: CloudID, in branch: CloudID) throws

  /// Begins an upload of a user's who has none under this content id.
  func addFile(_ content: ContentID, _ layout: FileLayout, of user: UserID, at time: Int64) throws -> StoredFile
  /// Notes a part that was kept, with the hashes of its leaves, 32 bytes each. Returns how many have not come yet.
  func addPart(_ part: UInt64, leaves: [UInt8], to file: StoredFile, at time: Int64) throws -> UInt64
  /// Says which root a file has whose parts have all come.
  func setRoot(_ root: Hash32, of file: StoredFile) throws
  /// Forgets a user's upload, unless a header lists it. Returns where its bytes are.
  func removeUpload(_ content: ContentID, of user: UserID) throws -> BlobName?
  /// Notes the time for what nothing lists any more, and forgets at most `limit` of those that nothing has listed since before a time.
  func collectFiles(unlistedBefore time: Int64, now: Int64, limit: Int) throws -> [BlobName]
}

extension CloudStorageTransaction {
  /// Lists none any more.
  public func dropContents(of cloudID: CloudID, in branch: CloudID) throws {
    try setContents([], file: nil, of: cloudID, in: branch, by: nil)
  }
}

/// A line as a server keeps it.
public struct PaidLine: Sendable {
  public let line: Line
  /// The head of the log with it.
  public let head: LogHead
  /// Who pays for it (§6.7); nil: nobody.
  public let payer: UserID?
}

extension CloudStorageTransaction {
  /// Appends one line; `head` is the head with it, and `payer` pays for it.
  public func append(_ line: Line, head: LogHead, to branch: CloudID, by payer: UserID?) throws {
    try append([PaidLine(line: line, head: head, payer: payer)], to: branch)
  }
}
