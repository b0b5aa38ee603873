import CloudAPI
import Glibc
import Sharing
import TodoCore
import Treesystem

extension Session {
  /// How long a terminal waits for what is new, in milliseconds: less than a person notices.
  private static let patience = 250
  /// The same where a program reads: it cannot look again.
  private static let patienceOfPrograms = 1000
  /// What was synced so recently needs no other sync: a script may ask many times a second.
  private static let fresh: Int64 = 2000
  /// From when on people are told how old it is what they see.
  private static let stale: Int64 = 60_000

  /// Shows what is here; with `--sync` after a sync, else while one starts in the background.
  func show(tellsNews: Bool = true, _ page: (CloudTransaction) throws -> some Page) async throws {
    let isFresh = try await freshen()
    try voice.tell(read(page))
    if !isFresh { try tellAge() }
    if tellsNews { try tellNews() }
  }

  /// Whether what is here is what the server has.
  func freshen() async throws -> Bool {
    if options.sync == true { try await sync() }
    guard options.sync == nil, try read({ $0.clock.now() - (try $0.lastSync() ?? .min / 2) }) > Self.fresh else {
      return true
    }
    guard let background = startBackgroundSync() else { return false }
    return background.hasSynced(within: voice.isRead ? Self.patience : Self.patienceOfPrograms)
  }

  private func tellAge() throws {
    guard isatty(STDERR_FILENO) == 1, try read({ try $0.account() }) != nil else { return }
    let (synced, now) = try read { (try $0.lastSync(), $0.clock.now()) }
    guard let synced else { return voice.note("never synced") }
    if now - synced > Self.stale { voice.note("as of \(shortTime(synced, now: now))") }
  }
}
