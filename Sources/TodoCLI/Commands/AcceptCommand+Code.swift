import CloudAPI
import CloudClient
import Sharing
import Signing
import TodoCore
import Treesystem

extension Session {
  /// Proves to whoever made a code that this user has it; on a fresh profile it offers to sign up first.
  func accept(_ typed: TypedCode, alias: String?) async throws {
    let name = try alias.map { try ListName(alias: $0).text }
    try await requireAccount(for: typed)
    let inviter = try await requirePerson(typed.code.handle)
    let wasAnswered = try database.write { transaction in
      if try transaction.isAnswered(typed.code) { return true }
      try transaction.claim(typed.code, of: inviter.user, named: name)
      return false
    }
    try await syncAfterwards()
    try voice.tell(try read { try $0.claimPage(typed.code, of: inviter, isRepeated: wasAnswered) })
  }

  private func requireAccount(for typed: TypedCode) async throws {
    let address = try address(of: typed.server)
    if let account = try read({ try $0.account() }) {
      guard try ServerAddress(account.server).authority == address.authority else {
        throw Complaint(
          "other_server", .usage,
          "that code is for \(Complaint.shortened(typed.server)), and this profile is on \(account.server)",
          hint: "use a profile of its own for it: todo accept <code> --profile <name>")
      }
      guard account.handle != typed.code.handle else { throw Complaint.ownCode }
      return
    }
    guard try await signUpByAsking(at: typed.server) else {
      throw Complaint(
        "not_signed_up", .notSignedUp, "this needs an account on \(Complaint.shortened(typed.server))",
        hint:
          "todo signup <your name> --server \(Complaint.shortened(typed.server)) (and --token < <file>, if it asks for a sign-up token); then accept the code again"
      )
    }
    try await syncAfterwards()
    // Whatever becomes of the code, there is an account now, with words to write down.
    try voice.tell(AccountPage(verb: "signed up as", read { try $0.accountFacts() }))
  }

  /// Asks for a name until the server has one for this user, and for its token where it wants one. False where nobody is there to
  /// ask, or wants none.
  private func signUpByAsking(at server: String) async throws -> Bool {
    guard voice.isConversation, !voice.wantsJSON, !voice.isQuiet else { return false }
    var (wanted, token): (String?, String) = (nil, "")
    while let handle = try wanted ?? handleToSignUp(at: server) {
      do {
        try await signUp(handle, at: server, token: token, as: NamedDevice.hostName)
        return true
      } catch CloudFailure.refused(.handleTaken) {
        wanted = nil
        voice.note("'\(handle)' is taken there: choose another; if it is you, press return, and sign in: todo login")
      } catch CloudFailure.refused(.tokenWrong) {
        voice.note(token.isEmpty ? "this server asks for a sign-up token" : "that is not the server's sign-up token")
        token = try StandardInput.secret("sign-up token (nothing: do not sign up): ", voice: voice)
        if token.isEmpty { return false }
        wanted = handle
      }
    }
    return false
  }

  /// Asks until there is a name that can be one; nil where somebody wants none.
  private func handleToSignUp(at server: String) throws -> String? {
    while let wanted = voice.ask("your name on \(server) (nothing: do not sign up): "), !wanted.isEmpty {
      do {
        return try newHandle(wanted)
      } catch let complaint as Complaint {
        voice.note("\(complaint.message); \(complaint.hint)")
      }
    }
    return nil
  }
}

extension CloudTransaction {
  /// What became of a code, or a complaint where it leads nowhere.
  fileprivate func claimPage(_ code: InviteCode, of inviter: Person, isRepeated: Bool) throws -> ClaimPage {
    guard try isAnswered(code) else {
      if let claim = try openClaims().first(where: { $0.id == code.id }), let dead = claim.dead {
        throw Complaint.deadCode(dead, claim)
      }
      return ClaimPage(
        inviter: inviter, title: nil, expires: try openClaims().first { $0.id == code.id }?.expires)
    }
    // It may have come by another invitation before, so that none was accepted for the code.
    let branch = try branch(answering: code)
    let root = try branch.flatMap { try self.branch($0) }.flatMap { try self.root(of: $0) }
    let name = try root.flatMap { try list($0.id)?.name }
    guard let title = try name ?? acceptedInvites().last(where: { $0.branch == branch })?.title else {
      throw Complaint(
        "used", .notFound, "you have used this code, and its list is not on your lists any more",
        hint: "ask \(inviter.display) for another")
    }
    return ClaimPage(
      inviter: inviter, title: title, isRepeated: isRepeated, isForNothing: try isUsedForNothing(code))
  }
}

extension Complaint {
  fileprivate static let ownCode = Complaint(
    "own_code", .usage, "that code is one of your own",
    hint: "give it to somebody who is to share the list; 'todo members' shows the codes that are open")

  fileprivate static func deadCode(_ dead: DeadCode, _ claim: OpenClaim) -> Complaint {
    Complaint(
      "dead_code", .notFound, dead.words(claim.inviter),
      hint: (dead == .accountDeleted ? "" : "ask \(claim.inviter) for another; ")
        + "'todo decline \(claim.beginning)' forgets this one")
  }
}

extension DeadCode {
  /// Why nothing comes of a code.
  func words(_ inviter: String) -> String {
    switch self {
    case .expired: "the code from \(inviter) has expired: a code is good for 7 days"
    case .withdrawn: "the code from \(inviter) was withdrawn"
    case .used: "the code from \(inviter) has let somebody in before: it is for one person"
    case .guessed: "the code from \(inviter) was withdrawn, because somebody tried to guess it"
    case .notShared: "the code from \(inviter) leads to a list that \(inviter) cannot share any more"
    case .unanswered:
      "no answer to the code from \(inviter) came in the 7 days that it was good: \(Self.silence(inviter))"
    case .deviceEnded: "the code from \(inviter) is worth nothing any more: the device that made it has ended"
    case .accountDeleted: "\(inviter) has deleted their account, and the code went with it"
    case .notSaid: "the code from \(inviter) is worth nothing any more"
    }
  }
}

extension DeadCode {
  /// What can be behind it that nobody answers: whoever is kept out is not told so, and everybody else reads the same.
  static func silence(_ inviter: String) -> String {
    "the device that made it did not sync, or \(inviter) does not let you in with it"
  }
}

/// What became of a code.
struct ClaimPage: Page {
  let inviter: Person
  /// Of the list; nil before it was answered.
  let title: String?
  /// Until when it may be answered, in milliseconds since 1970; nil where it was.
  var expires: Int64?
  /// Whether it had been answered before.
  var isRepeated = false
  /// Whether the list was here before the code was typed.
  var isForNothing = false

  func lines(_ style: Style) -> [String] {
    let name = harmless(inviter.display)
    guard let title else {
      let until = expires.map { "; it waits until \(localTime($0))" } ?? ""
      return ["asked \(name): the list comes when the device that made the code has synced, and you have\(until)"]
    }
    let list = style.heading(harmless(title))
    if isForNothing { return ["you shared \(list) already: the code from \(name) lets nobody else in any more"] }
    return [
      isRepeated ? "already accepted: \(list) from \(name)" : "accepted \(list) from \(name), verified by the code"
    ]
  }

  var members: [JSON.Member] {
    [
      .init(key: "from", value: .string(inviter.handle)), .init(key: "title", value: .text(title)),
      .init(key: "answered", value: .bool(title != nil)), .init(key: "already", value: .bool(isRepeated)),
      .init(key: "expires_at", value: .time(expires)),
    ]
  }
}
