import CloudClient
import Sharing
import Signing
import TodoCore
import Treesystem

/// A code as somebody typed it: `7K2Q-MXPA-HJ4S-9VWD-3TQE-C0RN.alice@todo.example.org`.
struct TypedCode {
  let code: InviteCode
  let server: String

  /// Nil for what is no code, a complaint for one that was mistyped.
  init?(_ text: String) throws {
    guard let at = text.firstIndex(of: "@"), text[..<at].contains("."), !text.contains(" ") else { return nil }
    guard let code = InviteCode(text: String(text[..<at])) else {
      throw Complaint(
        "code", .badData, "that is no invite code, or one with a slip in it",
        hint: "compare it with what you were given, character by character")
    }
    self.code = code
    server = String(text[text.index(after: at)...])
  }
}

extension Session {
  /// Proves to whoever made a code that this user has it; on a fresh profile it offers to sign up first.
  func accept(_ typed: TypedCode, alias: String?) async throws {
    let name = try alias.map { try ListName($0).text }
    try await requireAccount(for: typed)
    let inviter = try await requirePerson(typed.code.handle)
    try database.write { try $0.claim(typed.code, of: inviter.user, named: name) }
    try await syncAfterwards()
    let list = try read { transaction in
      try transaction.isAnswered(typed.code) ? transaction.acceptedInvites().last { $0.sender == inviter.user } : nil
    }
    try voice.tell(ClaimPage(inviter: inviter, title: list?.title))
  }

  private func requireAccount(for typed: TypedCode) async throws {
    let address = try address(of: typed.server)
    if let account = try read({ try $0.account() }) {
      guard try ServerAddress(account.server).authority == address.authority else {
        throw Complaint(
          "other_server", .usage,
          "that code is for \(Complaint.shortened(typed.server)), and this profile is on \(account.server)",
          hint: "use another profile for it: --profile <name>")
      }
      return
    }
    guard let handle = try handleToSignUp(at: typed.server) else {
      throw Complaint(
        "not_signed_up", .notSignedUp, "this needs an account on \(Complaint.shortened(typed.server))",
        hint: "todo signup <your name> --server \(Complaint.shortened(typed.server)); then accept the code again")
    }
    try await signUp(handle, at: typed.server, token: "", as: NamedDevice.hostName)
    try await syncAfterwards()
  }

  /// Asks until there is a name that can be one; nil where nobody is there to ask, or wants none.
  private func handleToSignUp(at server: String) throws -> String? {
    guard voice.isConversation, !voice.wantsJSON, !voice.isQuiet else { return nil }
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

/// What became of a code.
struct ClaimPage: Page {
  let inviter: Person
  /// Of the list; nil before it was answered.
  let title: String?

  func lines(_ style: Style) -> [String] {
    let name = harmless(inviter.display)
    guard let title else {
      return ["asked \(name): the list comes when the device that made the code has synced, and you have"]
    }
    return ["accepted \(style.heading(harmless(title))) from \(name), verified by the code"]
  }

  var members: [JSON.Member] {
    [
      .init(key: "from", value: .string(inviter.handle)), .init(key: "title", value: .text(title)),
      .init(key: "answered", value: .bool(title != nil)),
    ]
  }
}
