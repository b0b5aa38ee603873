import ArgumentParser
import Sharing
import Signing
import TodoCore
import Treesystem

/// `todo invites`
struct InvitesCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "invites",
    abstract: "Show the lists that others offer you.",
    usage: "todo invites",
    discussion: """
      Examples:
        todo invites
        todo accept 1
      """)

  @OptionGroup var options: GlobalOptions

  func run() async throws {
    let session = try Session.open(options)
    try await session.syncIfPossible()
    let page = try session.read { InvitesPage(invites: try $0.invites(), claims: try $0.openClaims()) }
    try session.voice.tell(page)
  }
}

/// Invitations that wait for an answer; or what became of one.
struct InvitesPage: Page {
  /// What happened, in the past tense; nil where they are only shown.
  var verb: String?
  let invites: [Invite]
  /// Codes that were typed here and wait for an answer.
  var claims: [OpenClaim] = []

  func lines(_ style: Style) -> [String] {
    if let verb { return invites.map { "\(verb) \(harmless($0.title)) from \(harmless($0.senderName))" } }
    if invites.isEmpty, claims.isEmpty { return ["no invitations"] }
    return lines(of: invites, style) + claims.map { style.quiet(harmless($0.words)) }
  }

  private func lines(of invites: [Invite], _ style: Style) -> [String] {
    invites.flatMap { invite in
      let title = style.heading(harmless(invite.title))
      if invite.isOwnership {
        return [
          "\(style.id(String(invite.number)))  \(title): \(harmless(invite.senderName)) wants to make you its owner\(invite.senderRemark)"
        ]
      }
      let head =
        "\(style.id(String(invite.number)))  \(title) from \(harmless(invite.senderName)) (\(invite.role.rawValue))\(invite.senderRemark)"
      return [head] + (invite.note.isEmpty ? [] : ["   \(style.quiet("“\(harmless(invite.note))”"))"])
    }
  }

  var members: [JSON.Member] {
    let invites: [JSON] = invites.map { invite in
      [
        "number": .int(Int64(invite.number)), "title": .string(invite.title), "from": .string(invite.senderName),
        "from_user": .string(invite.sender.description), "role": .string(invite.role.rawValue),
        "note": .string(invite.note), "ownership": .bool(invite.isOwnership), "received_at": .time(invite.received),
        "expires_at": .time(invite.expires),
        "sender_verified": .bool(invite.isSenderVerified), "other_number": .bool(invite.isSenderOther),
        "account_deleted": .bool(invite.isSenderGone),
      ]
    }
    let claims: [JSON] = claims.map {
      [
        "code": .string($0.beginning), "from": .string($0.inviter), "claimed_at": .time($0.made),
        "expires_at": .time($0.expires), "dead": .text($0.dead?.rawValue),
      ]
    }
    return [
      .init(key: "change", value: .text(verb)), .init(key: "invites", value: .array(invites)),
      .init(key: "codes", value: .array(claims)),
    ]
  }

  var hints: [String] {
    if verb != nil { return [] }
    let dead = claims.first { $0.dead != nil }
    return (invites.first.map { ["answer with: todo accept \($0.number), or todo decline \($0.number)"] } ?? [])
      + (dead.map { ["forget a code that leads nowhere: todo decline \($0.beginning)"] } ?? [])
  }
}

extension Invite {
  /// What is known of whoever sent it.
  fileprivate var senderRemark: String {
    isSenderGone
      ? ", who has deleted their account"
      : isSenderVerified ? ", verified" : isSenderOther ? ", the numbers were not the same" : ""
  }
}

extension OpenClaim {
  /// What a code waits for, or why it waits for nothing.
  var words: String {
    let what = dead.map { "\($0.words(inviter))\($0 == .accountDeleted ? "" : "; ask for another")" } ?? waiting
    return "\(beginning)-…  \(what)"
  }

  private var waiting: String {
    let (typed, end) = (localTime(made), localTime(expires))
    return isLate
      ? "the code from \(inviter) has had no answer since it was typed, \(typed): \(DeadCode.silence(inviter)); ask them; it waits until \(end)"
      : "the code from \(inviter), typed \(typed), waits for the device that made it to sync, until \(end)"
  }
}

extension CloudTransaction {
  /// The invitation that somebody referred to: by its number, or the list's title.
  func requireInvite(_ reference: String) throws -> Invite {
    let invites = try invites()
    func isMeant(_ number: Int, _ title: String) -> Bool {
      Int(reference).map { $0 == number } ?? areSameName(title, reference)
    }
    let all = invites.filter { isMeant($0.number, $0.title) }
    // Of two to one list, that of somebody who is still there is meant.
    let titled = all.filter { one in !one.isSenderGone || !all.contains { $0.branch == one.branch && !$0.isSenderGone }
    }
    if titled.count == 1 { return titled[0] }
    if titled.isEmpty { throw try isOfferOver(isMeant) ? ShareError.offerOver : ShareError.noSuchInvite }
    let candidates = titled.map { "\($0.number) from \($0.senderName)" }
    throw Complaint(
      "ambiguous", .notFound, "'\(Complaint.shortened(reference))' can be \(titled.count) invitations",
      hint: "say which by its number: \(candidates.joined(separator: ", "))", candidates: candidates)
  }
}
