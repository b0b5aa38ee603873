import ArgumentParser
import Sharing
import Treesystem

/// `todo decline <invite>`
struct DeclineCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "decline",
    abstract: "Turn an invitation down. Whoever sent it sees that you did.",
    usage: "todo decline <invite>",
    discussion: """
      Example:
        todo decline 1
      """)

  @OptionGroup var options: GlobalOptions

  @Argument(help: ArgumentHelp("The number that 'todo invites' shows, or the list's title.", valueName: "invite"))
  var invite: String

  func run() async throws {
    let session = try Session.open(options)
    _ = try session.requireAccount()
    try await session.syncIfPossible()
    let declined = try session.change { transaction in
      let invite = try transaction.requireInvite(invite)
      try transaction.declineInvite(invite.number)
      return invite
    }
    try await session.finish(InvitesPage(verb: "declined", invites: [declined]))
  }
}
