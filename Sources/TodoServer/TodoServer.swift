public import ArgumentParser
public import CloudServer
import Foundation

/// The server's command. It speaks in lower case, without full stops: `error:` and then `hint:`.
@main
struct TodoServer: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "todo-server", abstract: "Keep and forward todo lists that this server cannot read.",
    version: "0.1.0")

  @Option(help: ArgumentHelp("Where everything is kept; made if it is not there.", valueName: "dir"))
  var data: String

  @Option(help: ArgumentHelp("Where to listen; port 0 picks a free one.", valueName: "host:port"))
  var listen = "127.0.0.1:8080"

  @Option(help: "Who may make an account.")
  var signUp = ServerOptions.SignUp.open

  @Option(help: ArgumentHelp("For --sign-up token: a file with the token in its first line.", valueName: "file"))
  var signUpTokenFile: String?

  @Option(help: ArgumentHelp("How many requests are worked on at once, 1 to 64.", valueName: "number"))
  var threads = 4

  @Option(help: ArgumentHelp("How long a shared list is kept that its owner deleted, 0 to 3650.", valueName: "days"))
  var keepDeleted = 30

  @Flag(help: "After a backup was put back: take from people's devices what it lacks.")
  var acceptRestores = false

  @Flag(help: "Log faults only, not requests.")
  var quiet = false

  /// As ArgumentParser does it, but for what it says when it does not understand.
  static func main() async {
    do {
      var command = try parseAsRoot()
      if let server = command as? TodoServer { try await server.run() } else { try command.run() }
    } catch let status as ExitCode {
      exit(withError: status)
    } catch  where exitCode(for: error) == .validationFailure {
      var message = message(for: error).prefix { !$0.isNewline }
      if message.hasSuffix(".") { message.removeLast() }
      say("error: \(message.prefix(1).lowercased())\(message.dropFirst())")
      say("hint: 'todo-server --help' shows how it is used")
      exit(withError: ExitCode(64))
    } catch {
      exit(withError: error)
    }
  }

  func validate() throws {
    guard (1...64).contains(threads) else { throw ValidationError("--threads takes a number from 1 to 64") }
    guard (0...3650).contains(keepDeleted) else {
      throw ValidationError("--keep-deleted takes a number of days from 0 to 3650")
    }
  }

  func run() async throws {
    do {
      let options = try ServerOptions(
        folder: data, listen: listen, signUp: signUp, tokenFile: signUpTokenFile, quiet: quiet,
        threads: threads, keepDeleted: keepDeleted, acceptRestores: acceptRestores)
      try await options.run { Self.say("listening on \($0)") }
    } catch let failure as StartFailure {
      Self.say("error: \(failure.message)")
      Self.say("hint: \(failure.hint)")
      throw ExitCode(failure.exitStatus)
    }
  }

  private static func say(_ line: String) {
    FileHandle.standardError.write(Data("todo-server: \(line)\n".utf8))
  }
}

extension ServerOptions.SignUp: ExpressibleByArgument {}
