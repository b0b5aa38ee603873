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
    usage: "todo login <name> --server <host>",
    discussion: """
      Reads your 24 recovery words from standard input, or asks for them. The lists that are here stay, and are uploaded; \
      one that has the name of another becomes "Groceries (2)".

      Example:
        todo login alice --server todo.example.org < words.txt
      """)

  @OptionGroup var options: GlobalOptions

  @Option(help: ArgumentHelp("The server: a name, or a URL.", valueName: "host"))
  var server: String

  @Option(
    help: ArgumentHelp("What your other devices call this one; its host name if you say nothing.", valueName: "name"))
  var device: String?

  @Argument(help: ArgumentHelp("Your name on the server.", valueName: "name"))
  var handle: String

  func run() async throws {
    let session = try Session.open(options)
    guard try session.read({ try $0.account() }) == nil else { throw TreeError.alreadySignedIn }
    let root = try words(session.voice).root()
    let renamed = try await session.logIn(
      root: root, handle: newHandle(handle), server: server, as: deviceName(device ?? NamedDevice.hostName))
    try session.voice.tell(
      try AccountPage(verb: "signed in as", renamed: renamed, session.read { try $0.accountFacts() }))
  }

  private func words(_ voice: Voice) throws -> RecoveryWords {
    try RecoveryWords(text: StandardInput.secret("your 24 words: ", voice: voice))
  }
}

extension Session {
  /// Signs in, fetches what the account has, and keeps lists of one name apart. Returns the new names of those.
  fileprivate func logIn(
    root: RootKey, handle: String, server: String, as device: String
  ) async throws -> [String] {
    let local = try read { try Set($0.lists().map(\.node)) }
    try await withNewCloud(at: server) { try await $0.logIn(root: root, handle: handle, server: server) }
    try database.write { try $0.setName(device, of: $0.requireAccount().device) }
    guard options.sync != false else { return [] }
    try await sync()
    let renamed = try database.write { try $0.keepApart(local).map(\.name) }
    if !renamed.isEmpty { try await sync() }
    return renamed
  }
}
