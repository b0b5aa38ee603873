import ArgumentParser
import Treesystem

/// `todo logout`
struct LogoutCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "logout",
    abstract: "Take your account and its lists off this device.",
    usage: "todo logout [--keep-lists]",
    discussion: """
      With --keep-lists your lists stay here as they are, on this device only, as before you signed up. \
      They stay on the server and on your other devices. Refuses while something here was never sent, or the recovery words were never checked; --yes goes on.

      Example:
        todo sync && todo logout
      """)

  @OptionGroup var options: GlobalOptions

  @Flag(help: "Keep the lists on this device, without the account.")
  var keepLists = false

  func run() async throws {
    let session = try Session.open(options)
    let account = try session.requireAccount()
    // A sync that is under way comes to its end first, so that nothing it brings meets a profile without its account.
    try await ProgressLine(session.voice, "waiting for a sync that is under way").shown {
      try await session.database.whileNothingSyncs(waiting: 60_000) {
        try session.change { transaction in
          // An account that is no more here takes nothing any more.
          let isOver = try transaction.accountEnd() != nil && keepLists
          if !options.yes, !isOver { try transaction.requireNothingToLose(account, keepsLists: keepLists) }
          if keepLists { try transaction.keepTree() } else { try transaction.logOut() }
        }
      }
    }
    try session.voice.tell(LogoutPage(handle: account.handle))
  }
}

extension CloudTransaction {
  fileprivate func requireNothingToLose(_ account: Account, keepsLists: Bool) throws {
    let operations = keepsLists ? [] : try operations()
    let refused = operations.count { $0.state == .refused }
    // What is older than the last sync waits for what was refused: another sync would not send it either.
    let synced = try lastSync() ?? .min
    let waiting = operations.count { $0.state != .refused && (refused == 0 || $0.created > synced) }
    guard waiting == 0 else {
      throw Complaint(
        "unsent", .tryAgain, "\(counted(operations.count, "change")) on this device would be lost",
        hint: "run 'todo sync' first, or add --yes to lose them")
    }
    guard refused == 0 else {
      let others = operations.count == refused ? "" : ", \(operations.count - refused) more cannot be sent without that"
      throw Complaint(
        "refused", .usage, "the server refused \(counted(refused, "change"))\(others)",
        hint: "'todo status' shows what; add --yes to lose it")
    }
    guard !account.holdsRoot else {
      throw Complaint(
        "no_recovery", .usage, "without your recovery words you could never sign in again",
        hint: "run 'todo recovery' first, or add --yes")
    }
  }
}

/// That somebody has signed out.
struct LogoutPage: Page {
  let handle: String

  func lines(_ style: Style) -> [String] { ["signed out \(harmless(handle))"] }

  var members: [JSON.Member] { [.init(key: "signed_out", value: .string(handle))] }
}
