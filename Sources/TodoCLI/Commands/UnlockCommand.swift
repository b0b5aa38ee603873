import ArgumentParser
import Treesystem

/// `todo unlock`
struct UnlockCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "unlock",
    abstract: "Open what 'todo lock' has locked, for some hours.",
    usage: "todo unlock",
    discussion: """
      The kernel keeps the key for all your sessions on this machine, for as long as 'todo config unlock-minutes' says. The passphrase \
      is typed, or comes through standard input, or from the command that 'todo config passphrase-command' names.

      Example:
        todo unlock
      """)

  @OptionGroup var options: GlobalOptions

  func run() throws {
    let profile = try Profile(named: options.profile, environment: environment)
    EditFolder.clear(profile)
    let lock = ProfileLock(profile: profile, config: try profile.config.read(), voice: options.voice)
    guard let state = try lock.unlock() else {
      return try options.voice.tell(UnlockPage(state: .open))
    }
    guard state != .once else {
      throw Complaint(
        "no_keyring", .notPermitted, "the passphrase is right, but this system's kernel keeps no keys",
        hint: "every command asks for it; for scripts, 'todo config passphrase-command' names a command that prints it")
    }
    try options.voice.tell(UnlockPage(state: state))
  }
}

/// Until when a profile is open.
struct UnlockPage: Page {
  let state: LockState

  func lines(_ style: Style) -> [String] {
    guard case .unlocked(let until) = state else { return [state.words] + (state.advice.map { ["  → \($0)"] } ?? []) }
    return ["unlocked until \(localTime(until))"]
  }

  var members: [JSON.Member] { [.init(key: "lock", value: state.json)] }
}
