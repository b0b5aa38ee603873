import CloudAPI
import Sealing
import Signing
import Synchronization
import Treesystem

/// What locks and opens a profile.
struct ProfileLock {
  let profile: Profile
  let config: Config
  let voice: Voice

  /// What opens the database, if it is sealed.
  struct Opened {
    var key: DatabaseKey?
    let state: LockState
  }

  private var seal: ProfileSeal { ProfileSeal(path: profile.database) }

  /// What this process has opened already, so that nobody is asked twice for one command.
  private static let opened = Mutex<[DatabaseKeyID: DatabaseKey]>([:])

  /// Opens the profile: by the kernel's keyring, by the command of the settings, or by asking where somebody sits at a terminal.
  func open() throws -> Opened {
    try seal.tidy()
    guard let id = try seal.key() else { return Opened(state: .open) }
    if let kept = KernelKeyring.find(id) { return opened(kept) }
    if let key = Self.opened.withLock({ $0[id] }) { return Opened(key: key, state: .once) }
    if !config.passphraseCommand.isEmpty { return try keep(commandedKey()) }
    guard let typed = try asked() else { throw StoreError.locked }
    return try keep(key(of: typed))
  }

  /// The same without asking anybody and without running anything; nil where that does not suffice.
  func peek() throws -> Opened? {
    guard let id = try seal.key() else { return Opened(state: .open) }
    return KernelKeyring.find(id).map(opened)
  }

  /// A key file that cannot be read is as good as none: who works on hears of it while the key is still kept.
  private func opened(_ kept: KernelKeyring.Kept) -> Opened {
    let hasFile = (try? seal.hasKeyFile()) == true
    return Opened(key: kept.key, state: hasFile ? .unlocked(until: kept.until) : .keyless(until: kept.until))
  }

  /// The key that the kernel keeps of a profile whose key file is gone; nil for any other.
  func orphan() throws -> DatabaseKey? {
    try seal.tidy()
    guard let id = try seal.key(), let kept = KernelKeyring.find(id) else { return nil }
    return try seal.hasKeyFile() ? nil : kept.key
  }

  /// Writes a key's file anew. The profile is locked then.
  func rewrite(_ key: DatabaseKey, under passphrase: Passphrase) throws {
    try seal.replaceKeyFile(KeyFile(key, under: passphrase, SystemEntropy()))
    _ = KernelKeyring.forget(key.id)
  }

  /// Opens the profile with a passphrase that somebody gives now. Nil where it has none.
  func unlock() throws -> LockState? {
    try seal.tidy()
    guard let id = try seal.key() else { return nil }
    if let kept = KernelKeyring.find(id) { return keep(kept.key).state }
    let isGiven = config.passphraseCommand.isEmpty || voice.isConversation
    return try keep(isGiven ? key(of: StandardInput.secrets(["passphrase: "], voice)[0]) : commandedKey()).state
  }

  /// Forgets the key that opens the profile. Nil where it has no passphrase, false where none was kept. Not for an `orphan`.
  func forget() throws -> Bool? {
    try seal.tidy()
    return try seal.key().map { KernelKeyring.forget($0) }
  }

  /// Complains where the profile has no passphrase.
  func requirePassphrase() throws {
    try seal.tidy()
    if try seal.key() == nil { throw Complaint.noPassphrase }
  }

  /// Seals the profile under its first passphrase. It is locked then.
  func set(_ passphrase: Passphrase) throws {
    let key = DatabaseKey(SystemEntropy())
    let file = try KeyFile(key, under: passphrase, SystemEntropy())
    try seal.seal(under: key, file)
  }

  /// Puts another passphrase in place of the one that was typed. The profile is locked then.
  func change(_ typed: [UInt8], to passphrase: Passphrase) throws {
    try rewrite(key(of: typed), under: passphrase)
  }

  /// Takes the passphrase that was typed off the profile.
  func remove(_ typed: [UInt8]) throws {
    let key = try key(of: typed)
    try seal.unseal(key)
    _ = KernelKeyring.forget(key.id)
  }

  private func keep(_ key: DatabaseKey) -> Opened {
    if let kept = KernelKeyring.keep(key, minutes: config.unlockMinutes, now: SystemClock().now()) {
      return opened(kept)
    }
    Self.opened.withLock { $0[key.id] = key }
    return Opened(key: key, state: .once)
  }

  private func key(of typed: [UInt8]) throws -> DatabaseKey {
    guard let id = try seal.key() else { throw Complaint.noPassphrase }
    guard let file = try seal.keyFile(), file.id == id else { throw Complaint.keyMissing }
    // What cannot be a passphrase is not this one.
    guard let passphrase = try? Passphrase(typed) else { throw KeyFileError.keyUnopenable }
    return try file.open(passphrase)
  }

  /// Nobody has typed anything that could be typed again.
  private func commandedKey() throws -> DatabaseKey {
    let command = PassphraseCommand(self)
    do {
      return try key(of: command.run())
    } catch KeyFileError.keyUnopenable {
      throw command.failed("prints something that is not the passphrase")
    }
  }

  private func asked() throws -> [UInt8]? {
    voice.isConversation && !voice.wantsJSON ? try StandardInput.secrets(["passphrase: "], voice)[0] : nil
  }
}

extension PassphraseCommand {
  fileprivate init(_ lock: ProfileLock) { self.init(text: lock.config.passphraseCommand, profile: lock.profile.name) }
}

extension Complaint {
  static let noPassphrase = Complaint(
    "no_passphrase", .notFound, "the profile has no passphrase", hint: "'todo lock' sets one")

  fileprivate static let keyMissing = Complaint(
    "key_missing", .disk, "the profile is locked, and the file with its key is not here",
    hint:
      "put todo.db.key back from a backup, or while the profile is unlocked: todo lock; what was sent comes back with the 24 words in another profile"
  )
}
