import ArgumentParser
import Treesystem

/// `todo logout`
struct LogoutCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "logout",
    abstract: "Take your account and its lists off this device.",
    usage: "todo logout",
    discussion: """
      They stay on the server and on your other devices. Refuses while something here was never sent.

      Example:
        todo sync && todo logout
      """)

  @OptionGroup var options: GlobalOptions

  func run() async throws {
    let session = try Session.open(options)
    let account = try session.requireAccount()
    try session.change { transaction in
      if !options.yes { try transaction.requireNothingToLose(account) }
      try transaction.logOut()
    }
    try session.voice.tell(LogoutPage(handle: account.handle))
  }
}

extension CloudTransaction {
  fileprivate func requireNothingToLose(_ account: Account) throws {
    let unsent = try pendingOperationCount()
    guard unsent == 0 else {
      throw Complaint(
        "unsent", .tryAgain, "\(counted(unsent, "change")) on this device would be lost",
        hint: "run 'todo sync' first, or add --yes to lose them")
    }
    guard !account.holdsRoot else {
      throw Complaint(
        "no_recovery", .tryAgain, "without your recovery words you could never sign in again",
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
