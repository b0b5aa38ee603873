import ArgumentParser
import CloudAPI
import Sharing
import Treesystem

/// `todo signup <handle> --server HOST`
struct SignupCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "signup",
    abstract: "Make an account, to share lists and to have them on other devices.",
    usage: "todo signup <name> --server <host>",
    discussion: """
      The lists that are here stay, and are uploaded encrypted.

      Examples:
        todo signup alice --server todo.example.org
        todo signup alice --server todo.example.org --token < token.txt
      """)

  @OptionGroup var options: GlobalOptions

  @Option(help: ArgumentHelp("The server: a name, or a URL.", valueName: "host"))
  var server: String

  @Option(
    help: ArgumentHelp("What your other devices call this one; its host name if you say nothing.", valueName: "name"))
  var device: String?

  @Flag(help: "The server asks for a sign-up token: read it from standard input.")
  var token = false

  @Argument(help: ArgumentHelp("What others will call you: letters a-z, digits, '-' and '_'.", valueName: "name"))
  var handle: String

  func run() async throws {
    let session = try Session.open(options)
    let handle = try newHandle(handle)
    let token = token ? try StandardInput.secret("sign-up token: ", voice: session.voice) : ""
    let device = try deviceName(device ?? NamedDevice.hostName)
    do {
      try await session.signUp(handle, at: server, token: token, as: device)
    } catch CloudFailure.refused(.tokenWrong) where !token.isEmpty {
      throw Complaint.tokenWrong
    }
    try await session.syncAfterwards()
    try session.voice.tell(try AccountPage(verb: "signed up as", session.read { try $0.accountFacts() }))
  }
}

extension Complaint {
  fileprivate static let tokenWrong = Complaint(
    "token_wrong", .notPermitted, "that is not the server's sign-up token",
    hint: "compare it with what whoever runs the server gave you, character by character")
}

extension Session {
  /// Makes an account, and gives this device a name there.
  func signUp(_ handle: String, at server: String, token: String, as device: String) async throws {
    try await withNewCloud(at: server) { try await $0.signUp(handle: handle, server: server, token: token) }
    try database.write { try $0.setName(device, of: $0.requireAccount().device) }
  }
}

/// Checks a name for a new account.
func newHandle(_ text: String) throws -> String {
  let handle = text.hasPrefix("@") ? String(text.dropFirst()) : text
  guard isValidHandle(handle) else {
    throw Complaint(
      "handle", .badData, "'\(Complaint.shortened(text))' cannot be a name here",
      hint: "use up to 32 of a-z, 0-9, '-' and '_', beginning with a letter or digit")
  }
  return handle
}
