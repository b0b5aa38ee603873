import CloudAPI
import Dates
import Glibc
import Sharing
import Signing
import TodoCore
import Treesystem

/// What a command works with: the profile's database, and the voice that answers.
struct Session {
  let profile: Profile
  let database: CloudDatabase
  let voice: Voice
  let options: GlobalOptions
  let config: Config
  /// What opened the profile.
  let lock: LockState
  /// When the command began, in milliseconds since 1970.
  let opened: Int64
  /// Whether nothing can be written where the profile lies: what is there can be shown all the same.
  let isReadOnly: Bool

  /// Opens the profile, making it if this is the first command. No network, no key derivation.
  static func open(_ options: GlobalOptions) throws -> Session {
    let profile = try Profile(named: options.profile, environment: environment)
    let config = try profile.config.read()
    if !profile.isReadOnly {
      try profile.makeDirectory()
      EditFolder.clear(profile)
    }
    let opened = try ProfileLock(profile: profile, config: config, voice: options.voice).open()
    let session = try Session(profile, config, opened, options)
    if let zone = Zone.unknownName {
      session.voice.note(
        "TZ names a zone that is not known here, '\(Complaint.shortened(zone))': times are those of UTC")
    }
    if let advice = opened.state.advice {
      session.voice.note(opened.state.words)
      session.voice.note("hint: \(advice)")
    }
    return session
  }

  /// Opens a profile that is there, and makes none: it may be on its way out.
  static func reopen(_ options: GlobalOptions) throws -> Session? {
    let profile = try Profile(named: options.profile, environment: environment)
    return access(profile.database, W_OK) == 0 ? try open(options) : nil
  }

  /// Opens a profile that is there, if that needs nobody: nothing is asked, run or made. Nil where there is none, or it is locked.
  static func peek(_ options: GlobalOptions) throws -> Session? {
    let profile = try Profile(named: options.profile, environment: environment)
    guard access(profile.database, R_OK) == 0 else { return nil }
    let config = try profile.config.read()
    guard let opened = try ProfileLock(profile: profile, config: config, voice: options.voice).peek() else {
      return nil
    }
    return try Session(profile, config, opened, options)
  }

  private init(_ profile: Profile, _ config: Config, _ opened: ProfileLock.Opened, _ options: GlobalOptions) throws {
    let migrations = sharingMigrations + TodoTables.migrations
    isReadOnly = profile.isReadOnly
    database =
      isReadOnly
      ? try CloudDatabase(reading: profile.database, key: opened.key, appMigrations: migrations)
      : try CloudDatabase(
        path: profile.database, key: opened.key, appMigrations: migrations,
        app: SharingDelegate(app: TodoDelegate()), entropy: SystemEntropy(), clock: SystemClock())
    var voice = options.voice
    voice.pager = config.pager
    (self.profile, self.config, self.options, self.voice, lock) = (profile, config, options, voice, opened.state)
    self.opened = database.clock.now()
  }

  /// Reads from one snapshot.
  func read<Result>(_ body: (CloudTransaction) throws -> Result) throws -> Result { try database.read(body) }

  /// Remembers what somebody was told, where that can be kept.
  func markTold(_ body: (CloudTransaction) throws -> Void) throws {
    if !isReadOnly { try database.write(body) }
  }

  /// Changes something in one durable transaction. Without an account `--sync` is refused before anything changes.
  /// - Parameter isAction: whether `todo undo` takes it back.
  func change<Result>(isAction: Bool = true, _ body: (CloudTransaction) throws -> Result) throws -> Result {
    if options.sync == true { _ = try requireAccount() }
    let result = try database.write { transaction in
      isAction ? try transaction.asAction { try body(transaction) } : try body(transaction)
    }
    clearFiles()
    return result
  }

  /// Prints what a change came to; then syncs, or lets that happen in the background. The change is stored whatever comes of it.
  /// - Parameter files: whether the point of the change is a file.
  func finish(_ page: some Page, files: Bool = false) async throws {
    try voice.tell(page)
    runHook(for: page)
    if options.sync == true { try await syncAfterwards(files: files) } else { _ = startBackgroundSync() }
    try tellEnd()
    if options.sync != true, let stopped = try read({ try $0.stopped(since: opened) }) {
      voice.note(stopped.notice)
    }
    try tellNews()
  }

  /// Says that what was changed goes nowhere, where the account has ended on this device.
  private func tellEnd() throws {
    guard let end = try read({ try $0.endedHere() }) else { return }
    let complaint = Complaint(end)
    voice.note("\(complaint.message): this stays here")
    voice.note("hint: \(complaint.hint)")
  }

  /// Asks before what cannot be taken back. Without a terminal only `--yes` will do.
  func confirm(_ question: String) throws {
    if options.yes { return }
    guard voice.isConversation else {
      throw Complaint.usage("\(question): this cannot be taken back", hint: "add --yes if that is what you want")
    }
    guard voice.agrees("\(question)?") else {
      throw Complaint("not_confirmed", .usage, "nothing was changed", hint: "answer y, or add --yes")
    }
  }
}
