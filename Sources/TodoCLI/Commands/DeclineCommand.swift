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
      A code that you typed, and that waits or leads nowhere, is forgotten; nobody is told.

      Examples:
        todo decline 1
        todo decline 7K2Q
      """)

  @OptionGroup var options: GlobalOptions

  @Argument(
    help: ArgumentHelp(
      "The number that 'todo invites' shows, the list's title, or the beginning of a code.", valueName: "invite"))
  var invite: String

  func run() async throws {
    let session = try Session.open(options)
    _ = try session.requireAccount()
    try await session.syncIfPossible()
    let answer = try session.change { try $0.decline(invite) }
    switch answer {
    case .declined(let invite): try await session.finish(InvitesPage(verb: "declined", invites: [invite]))
    case .dismissed(let claim): try session.voice.tell(DismissedCodePage(claim: claim))
    }
  }
}

private enum Declined {
  case declined(Invite)
  case dismissed(OpenClaim)
}

extension CloudTransaction {
  fileprivate func decline(_ reference: String) throws -> Declined {
    do {
      let invite = try requireInvite(reference)
      try declineInvite(invite.number)
      return .declined(invite)
    } catch ShareError.noSuchInvite {
      let claim = try requireClaim(reference)
      try dismiss(claim)
      return .dismissed(claim)
    }
  }

  /// A code that was typed here: by all of it, or by its first four characters.
  private func requireClaim(_ reference: String) throws -> OpenClaim {
    let code = InviteCode(text: String(reference.prefix { $0 != "@" }))
    let beginning = reference.uppercased().prefix { $0 != "-" && $0 != "…" }
    let found = try openClaims().filter { code.map(\.id).map($0.id.elementsEqual) ?? ($0.beginning == beginning) }
    guard let claim = found.first else { throw ShareError.noSuchInvite }
    guard found.count == 1 else {
      throw Complaint(
        "ambiguous", .notFound, "'\(Complaint.shortened(reference))' can be \(found.count) codes",
        hint: "give all of the code")
    }
    return claim
  }
}

/// A code that was forgotten.
struct DismissedCodePage: Page {
  let claim: OpenClaim

  func lines(_ style: Style) -> [String] {
    ["forgot the code \(claim.beginning)-… from \(harmless(claim.inviter))"]
      + (claim.dead == nil ? ["if it is answered after all, 'todo invites' shows what it offers"] : [])
  }

  var members: [JSON.Member] {
    [
      .init(key: "code", value: .string(claim.beginning)), .init(key: "from", value: .string(claim.inviter)),
      .init(key: "dead", value: .text(claim.dead?.rawValue)),
    ]
  }
}
