/// What a server keeps or answers at most, beside the limits of the protocol.
public enum ServerLimits {
  /// Of what one transaction may do (spec §6.4). A batch of 500 changes takes less than half of it; the deletion of a list with 30,000 nodes fits too.
  public static let work = Work(statements: 40_000, rows: 250_000, bytes: 256 * 1024 * 1024)
  /// The same for giving lost lines back, which is done only while who runs the server wants it.
  static let restorationWork = Work(statements: 5_000_000, rows: 10_000_000, bytes: 1024 * 1024 * 1024)
  /// Of signatures of which it is known what came of checking them: some batches full.
  static let signatures = 16 * 1024
  /// Of the body of a request that no known device has signed: a sign-up takes less than 4 KiB.
  static let strangersBodyBytes = 64 * 1024
  /// Of a body that is taken before its head is judged: it costs less than judging.
  static let shortBodyBytes = 16 * 1024
  /// Of one keyring, in bytes of bodies (spec §2.5): of what devices sign, of what they sign to end each other, and of all.
  static let keyringBytesOfDevices = 640 * 1024
  static let keyringBytesToEndDevices = 896 * 1024
  static let keyringBytes = 1024 * 1024
  /// Of one entry that a device signs; a new user key has so many more for each device that is active, and the root.
  static let entryBytes = 512
  static let sealedUserKeyBytes = 128
  /// Of an answer that is not paged; a client reads 4 MiB at most.
  static let answerBytes = 3 * 1024 * 1024
  /// Of decoded keyrings and permissions records in memory, so that memory is bounded whatever is stored.
  static let memoryBytes = 32 * 1024 * 1024
  /// Of event streams, of all users and of one: each holds a connection, and there must be some left for requests.
  static let streams = 256
  static let streamsOfUser = 16
  /// From one address, as far as it is known.
  static let streamsOfOrigin = 64
  /// Of branches that a user's streams tell of beside their trunks.
  static let askedBranches = 10_000
  /// Of branches that a listener has not taken: then the stream ends, and the listener asks for the heads.
  static let waitingEvents = 10_000
  /// Of one person's messages that lie in another's inbox: what a stranger can make somebody read.
  static let messagesOfSender = 100
  /// Of the lines that one person's messages add to another's inbox in a day, taken out or not: a log never shrinks.
  static let messageLinesOfDay = 2000
  /// Of handles that one account ever takes: none is given to anybody else afterwards.
  static let handlesOfAccount = 10
  /// Of handles that are taken from one address in a day, by signing up or later; the machine's own users are not counted.
  static let handlesOfOrigin = 50
  /// Of logins that wait for approval: of one account, from one address, and in all. Whoever asks is a stranger.
  static let loginsOfUser = 3
  static let loginsOfOrigin = 5
  static let logins = 500
  /// Of lines that are given back in several requests, and of their records' bytes, until all are kept or none; of such at a time,
  /// and how long one waits for its next request, in milliseconds. They are in memory only.
  static let restorationLines = 100_000
  static let restorationBytes = 16 * 1024 * 1024
  static let restorations = 8
  /// Of branches of which it is known what they lack: 160 KB each at most.
  static let branchesLooked = 64
  static let restorationLife: Int64 = 5 * 60_000
  /// Of requests by one account, or unsigned from one address, that wait for their turn: all devices of an account come at once where one of
  /// them has written.
  static let requestsWaiting = 64
  /// Of keyring entries of one account that its devices sign in a day (spec §2.5), and what ending a device takes.
  static let entriesOfDay = 20
  static let entriesToEnd = 4
  /// Of those that the root signs: whoever has it needs a handful at a time.
  static let rootEntriesOfDay = 100
  /// Of requests by one user whose nonces are remembered, for up to two minutes.
  static let noncesOfUser = 10_000
  /// Of requests by all users, so that memory is bounded.
  static let nonces = 500_000
  /// How often it is looked for closed branches whose contents have been kept for long enough, in milliseconds, and of how many
  /// nodes they go at once: the request that finds them waits for it.
  static let sweepInterval: Int64 = 3600 * 1000
  static let nodesPurgedAtOnce = 500
  /// Of a branch that goes with an account, so many rows of each kind at once: others are answered in between.
  static let rowsDeletedAtOnce = 500
  /// How often it is looked for what has expired, in milliseconds, and how much of it goes at once: what people burn goes soon.
  static let burnInterval: Int64 = 60 * 1000
  static let burntAtOnce = 500
  /// What the smallest file takes of a quota, so that files are bounded in number too. The database counts with it as well.
  static let smallestFile: UInt64 = 64 * 1024
  /// Of files that go at once: the request that finds them waits for it.
  static let filesCollectedAtOnce = 100
  /// Of a file's bytes in memory while they are sent.
  static let pieceBytes: UInt64 = 256 * 1024
  /// Of the database's write-ahead log, where it stays.
  static let logBytes = 64 * 1024 * 1024
  /// Of database pages in memory: what the largest batch changes fits, so that no page is written twice for it.
  static let cacheKiB = 32 * 1024
}
