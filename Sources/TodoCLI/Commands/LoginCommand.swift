import ArgumentParser
import Sharing
import Signing
import TodoCore
import Treesystem

/// `todo login <handle> --server HOST`
struct LoginCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "login",
    abstract: "Use your account on this device too.",
    usage: "todo login <name> --server <host> [--approve]",
    discussion: """
      Reads your 24 recovery words from standard input, or asks for them. With --approve another device of yours adds this \
      one: both show a code, which has to be the same. The lists that are here stay, and are uploaded; one that has the \
      name of another becomes "Groceries (2)".

      Examples:
        todo login alice --server todo.example.org < words.txt
        todo login alice --server todo.example.org --approve
      """)

  @OptionGroup var options: GlobalOptions

  @Option(help: ArgumentHelp("The server: a name, or a URL.", valueName: "host"))
  var server: String

  @Option(
    help: ArgumentHelp("What your other devices call this one; its host name if you say nothing.", valueName: "name"))
  var device: String?

  @Flag(help: "Let another device of yours add this one, instead of giving the words.")
  var approve = false

  @Argument(help: ArgumentHelp("Your name on the server.", valueName: "name"))
  var handle: String

  func run() async throws {
    let session = try Session.open(options)
    guard try session.read({ try $0.account() }) == nil else { throw TreeError.alreadySignedIn }
    let (handle, device) = (try newHandle(handle), try deviceName(device ?? NamedDevice.hostName))
    let local = try session.read { try Set($0.lists().map(\.node)) }
    if approve {
      try await session.logInByApproval(handle, server: server, as: device)
    } else {
      let root = try words(session.voice).root()
      try await session.withNewCloud(at: server) { try await $0.logIn(root: root, handle: handle, server: server) }
    }
    let renamed = try await session.fetchAccount(as: device, keeping: local)
    try session.voice.tell(
      try AccountPage(verb: "signed in as", renamed: renamed, session.read { try $0.accountFacts() }))
    try session.tellComebacks()
  }

  private func words(_ voice: Voice) throws -> RecoveryWords {
    while true {
      let typed = try StandardInput.secret("your 24 words (they are not shown): ", voice: voice)
      do {
        return try RecoveryWords(text: typed)
      } catch {
        guard voice.isConversation, !typed.allSatisfy(\.isWhitespace) else { throw error }
        // Nothing was sent; so many words are seldom typed right at once.
        let complaint = Complaint(error)
        voice.note("\(complaint.message); \(complaint.hint) (nothing: give up)")
      }
    }
  }
}

extension Session {
  /// Fetches what the account has, and keeps lists of one name apart. Returns the new names of those.
  fileprivate func fetchAccount(as device: String, keeping local: Set<NodeID>) async throws -> [String] {
    try database.write { try $0.setName(device, of: $0.requireAccount().device) }
    guard options.sync != false else { return [] }
    try await sync()
    let renamed = try database.write { try $0.keepApart(local).map(\.name) }
    if !renamed.isEmpty { try await sync() }
    return renamed
  }
}
