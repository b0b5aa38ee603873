import Signing

/// Every limit of the protocol, with its reason (spec §6.4).
public enum Limits {
  /// Of a version, an epoch or a line number: a log that grows by a thousand lines a second gets there in 285,000 years, and a double holds it.
  public static let counter: UInt64 = 1 << 53
  /// Of a signed record's body: a permissions record for a thousand members fits.
  public static let recordBytes = 256 * 1024
  /// Of fields of a record that a reader does not know, in all: room for what a later version adds, and none for a store of one's own.
  public static let unknownBytes = 512
  /// Of one sealed section; what is larger is a file, and travels alone.
  public static let contentBytes = 64 * 1024
  /// Of a request's line and headers; our largest is under 1 KiB.
  public static let headBytes = 16 * 1024
  /// Of a request's body; a batch is at most `batchBytes` of records and contents.
  public static let bodyBytes = 2 * 1024 * 1024
  /// Of a part of a file, which is hashed and written as it comes.
  public static let partBytes = Int(FileParts.wholeBelow)
  /// Of a file, in what a client asks for at once: leaves as many as a part has. The longest answer.
  public static let rangeBytes = Int(FileParts.leaves * FileChunk.sealedLeafSize)
  /// Of the leaves' hashes in one answer.
  public static let leaves = 32 * 1024
  /// Of the records and contents in one batch, so that one transaction stays short.
  public static let batchBytes = 1024 * 1024
  /// Of one batch.
  public static let batchOperations = 500
  /// Of one page.
  public static let pageLines = 1000
  /// Of one branch in one sync: a server that invents lines without end must not keep a client for ever.
  public static let pullLines: UInt64 = 1_000_000
  /// Of the rows in one page, so that memory is bounded on both sides.
  public static let pageBytes = 1024 * 1024
  /// How long the contents of a closed branch are kept at least, in milliseconds, unless whoever runs the server decides otherwise (spec §3.7).
  public static let closedLife: Int64 = 30 * 24 * 3600 * 1000
  /// Of lines, and of keyring entries, that one request gives a server back: one takes a moment, whatever is in it.
  public static let restoreLines = 5000
  public static let restoreEntries = 1000
  /// Of nodes without contents that an answer to it names.
  public static let restoreBare = 10_000
  /// Of branches or users named in one request.
  public static let requestItems = 1000
  /// Of branches that hang below each other, and of those that hang in one: a member must not make others read without end.
  public static let nesting = 8
  public static let nestedBranches = 1000
  /// Of nested branches that a device follows, in all the branches that it shares.
  public static let followedBranches = 10_000
  /// Of a tree below its branch root.
  public static let depth = 64
  /// Of a node's name, in bytes of UTF-8.
  public static let nameBytes = 1024
  /// Of one keyring.
  public static let keyringEntries = 1000
  /// Of those, how many devices may sign: a stolen one cannot leave the root without room.
  public static let keyringEntriesOfDevices = 900
  /// Up to here devices may still end each other: room for each of `devices` to be ended, and a user key after it.
  public static let keyringEntriesToEndDevices = 960
  /// Of an account at a time. The root may add more.
  public static let devices = 30
  /// How long a login may wait for its approval, in milliseconds (spec §2.6).
  public static let loginLife: Int64 = 10 * 60_000
  /// Of what a new device says of itself, sealed.
  public static let openingBytes = 1024
  /// Of a device's name.
  public static let deviceNameBytes = 64
  /// Of the user keys that a new device gets: more than a keyring has generations.
  public static let sealedUserKeysBytes = 64 * 1024
  /// Of permissions records by one person who may not share, among the newest of a branch: who signs one after the other keeps others
  /// from reading.
  public static let renewalsOfMember = 32
  public static let renewalsLookedAt = 128
  /// Of older keys in a permissions record that a server takes: what later records of the same epoch have to repeat leaves room in them.
  public static let olderKeys = 1000
  /// Of older keys that a client puts into a record because they do not follow from the epoch before.
  public static let mendedKeys = 128
  /// Of one permissions record.
  public static let permissionsEntries = 1000
  /// Of the contents that one header lists.
  public static let contents = 8
  /// Of a line in an event stream: ours are under 64.
  public static let eventLineBytes = 256
  /// The largest difference between `created` and the server's clock, and the longest life of a request, in milliseconds.
  public static let requestLife: Int64 = 60_000
}
