import ArgumentParser
import CloudServer

/// `todo-server token --data <dir>`
struct TokenCommand: ParsableCommand {
  static let name = "token"
  static let configuration = CommandConfiguration(
    commandName: "todo-server token",
    abstract: "Print the token with which people elsewhere make an account.",
    discussion: """
      Give it to whom you want here: they sign up with 'todo signup <name> --server <host> --token' and paste it. It is kept in
      sign-up-token in the folder; remove that file and start the server again for another one.
      """)

  @Option(help: ArgumentHelp("The server's folder.", valueName: "dir"))
  var data: String

  /// Runs it with what stands behind its name, or prints its help.
  static func run(_ words: [String]) throws {
    let command: TokenCommand
    do {
      command = try parse(words)
    } catch  where exitCode(for: error) == .success {
      exit(withError: error)
    }
    try command.run()
  }

  func run() throws {
    do {
      print(try SignUpToken(in: data).text)
    } catch {
      throw TodoServer.said(error)
    }
  }
}
