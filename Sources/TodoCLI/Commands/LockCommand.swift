import ArgumentParser
import Sealing
import Treesystem

/// `todo lock`
struct LockCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "lock",
    abstract: "Lock your lists and keys on this device with a passphrase.",
    usage: "todo lock [--change | --remove]",
    discussion: """
      The first time it sets the passphrase, and seals everything of the profile that lies on the disk. After that it locks at once \
      what 'todo unlock' has opened. The passphrase is typed, or comes through standard input; with --change the present one comes \
      first. Without it nobody reads what is here: what was sent comes back with the 24 words. Where the file with the key is gone and the profile \
      is still unlocked, 'todo lock' asks for a passphrase and writes it anew.

      Examples:
        todo lock
        todo lock --change
      """)

  @OptionGroup var options: GlobalOptions

  @Flag(help: "Set another passphrase.")
  var change = false

  @Flag(help: "Take the passphrase off: anybody who can read the disk can read your lists then.")
  var remove = false

  func validate() throws {
    if change, remove { throw ValidationError("--change and --remove exclude each other") }
  }

  func run() throws {
    let voice = options.voice
    let profile = try Profile(named: options.profile, environment: environment)
    let lock = ProfileLock(profile: profile, config: try profile.config.read(), voice: voice)
    do {
      var page = try outcome(of: lock, profile, voice)
      if page.isLocked { try requireNothingReadable(profile) }
      page.opensByCommand = !lock.config.passphraseCommand.isEmpty
      try voice.tell(page)
    } catch StoreError.busy {
      throw Complaint(
        "busy", .tryAgain, "another todo is using this profile",
        hint: "end 'todo watch' and what else runs, and try again; nothing was changed")
    }
  }

  private func outcome(of lock: ProfileLock, _ profile: Profile, _ voice: Voice) throws -> LockPage {
    if change { return try changed(lock, voice) }
    if remove { return try removed(lock, voice) }
    if let key = try lock.orphan() {
      try lock.rewrite(key, under: Self.new(StandardInput.secrets(Self.questions, voice)))
      return LockPage("locked, with a new file for the key", isLocked: true, isNew: true)
    }
    if let wasKept = try lock.forget() { return LockPage(wasKept ? "locked" : "locked already", isLocked: true) }
    // Makes the profile, if this is the first command.
    _ = try Session.open(options)
    try lock.set(Self.new(StandardInput.secrets(Self.questions, voice)))
    return LockPage("locked; 'todo unlock' opens it", isLocked: true, isNew: true)
  }

  /// Whoever is told that all is locked can rely on that.
  private func requireNothingReadable(_ profile: Profile) throws {
    guard EditFolder.clear(profile) else {
      throw Complaint(
        "readable", .tryAgain, "the profile is locked, but an editor still has a todo of it open",
        hint: "close the editor, and lock again")
    }
    let strangers = profile.strangers
    if strangers.isEmpty { return }
    throw Complaint(
      "readable", .notVerified,
      "the profile is locked, but what else lies in its folder is not: \(strangers.joined(separator: ", "))",
      hint: "look at it, and move it away: \(profile.directory)")
  }

  private func changed(_ lock: ProfileLock, _ voice: Voice) throws -> LockPage {
    try lock.requirePassphrase()
    let typed = try StandardInput.secrets(["present passphrase: "] + Self.questions, voice)
    try lock.change(typed[0], to: Self.new(Array(typed.dropFirst())))
    return LockPage("locked, with another passphrase", isLocked: true, isNew: true)
  }

  private func removed(_ lock: ProfileLock, _ voice: Voice) throws -> LockPage {
    try lock.requirePassphrase()
    try lock.remove(StandardInput.secrets(["passphrase: "], voice)[0])
    return LockPage(
      "there is no passphrase any more: anybody who can read this disk can read your lists", isLocked: false)
  }

  /// On a terminal it is typed twice, because nobody sees it.
  private static let questions = ["new passphrase: ", StandardInput.again]

  private static func new(_ typed: [[UInt8]]) throws -> Passphrase {
    guard typed.allSatisfy({ $0 == typed[0] }) else {
      throw Complaint("passphrase", .badData, "these were two passphrases", hint: "try again; nothing was changed")
    }
    return try Passphrase(typed[0])
  }
}

/// Whether a profile is locked now.
struct LockPage: Page {
  let outcome: String
  let isLocked: Bool
  /// Whether somebody has to remember something new.
  var isNew = false
  /// Whether the settings have a command that prints the passphrase.
  var opensByCommand = false

  init(_ outcome: String, isLocked: Bool, isNew: Bool = false) {
    self.outcome = outcome
    self.isLocked = isLocked
    self.isNew = isNew
  }

  func lines(_ style: Style) -> [String] {
    [outcome + (isLocked && opensByCommand ? "; the next command opens it by the setting passphrase-command" : "")]
  }

  var members: [JSON.Member] { [.init(key: "lock", value: ["passphrase": .bool(isLocked), "unlocked_until": .null])] }

  var hints: [String] {
    isNew ? ["nobody can tell you the passphrase again; keep it with your 24 words"] : []
  }
}
