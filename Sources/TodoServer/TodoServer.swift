public import ArgumentParser
import CloudAPI
public import CloudServer
import Foundation

/// The server's command. It speaks in lower case, without full stops: `error:` and then `hint:`.
@main
struct TodoServer: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "todo-server", abstract: "Keep and forward todo lists that this server cannot read.",
    discussion: """
      Without --sign-up whoever is on this machine makes an account freely, and everybody else needs a token: it is printed
      by 'todo-server token --data <dir>', also while the server runs.
      """,
    version: programVersion)

  @Option(help: ArgumentHelp("Where everything is kept; made if it is not there.", valueName: "dir"))
  var data: String

  @Option(help: ArgumentHelp("Where to listen; port 0 picks a free one.", valueName: "host:port"))
  var listen = "127.0.0.1:8080"

  @Option(help: "Who may make an account; without it people on this machine, and whoever has the server's token.")
  var signUp: ServerOptions.SignUp?

  @Option(help: ArgumentHelp("For --sign-up token: a file with the token in its first line.", valueName: "file"))
  var signUpTokenFile: String?

  @Option(
    help: ArgumentHelp(
      "A name by which clients reach this server, such as todo.example.org; others are refused. May be repeated.",
      valueName: "host"))
  var name: [String] = []

  @Option(help: ArgumentHelp("How many requests are worked on at once, 1 to 64.", valueName: "number"))
  var threads = 4

  @Option(
    help: ArgumentHelp(
      "How many connections one address may hold, 1 to 512; those from this machine are not counted.",
      valueName: "number"))
  var connectionsPerAddress = HTTPLimits().connectionsOfAddress

  @Option(
    help: ArgumentHelp(
      "A proxy on another machine, or the network it is in: who is behind it, it says in x-forwarded-for; may be repeated.",
      valueName: "address"))
  var trustedProxy: [String] = []

  @Option(help: ArgumentHelp("How long a shared list is kept that its owner deleted, 0 to 3650.", valueName: "days"))
  var keepDeleted = 30

  @Option(
    help: ArgumentHelp(
      "How much one person may keep here, lists, messages, images and other files together, such as 500M or 10G.",
      valueName: "size"))
  var quota = ByteCount(FileRules().quota)

  @Option(help: ArgumentHelp("How large one file may be.", valueName: "size"))
  var maxFile = ByteCount(FileRules().largest)

  @Option(help: ArgumentHelp("How long a file is kept that no list has any more, 1 to 3650.", valueName: "days"))
  var keepFiles = 7

  @Flag(help: "After a backup was put back: take from people's devices what it lacks.")
  var acceptRestores = false

  @Option(
    help: ArgumentHelp(
      "With --accept-restores: how long a list takes nothing new before a device of its owner has given back, 0 to 365.",
      valueName: "days"))
  var restoreWait = 7

  @Flag(help: "Log faults only, not requests.")
  var quiet = false

  /// As ArgumentParser does it, but for what it says when it does not understand.
  static func main() async {
    FaultNote.begin()
    do {
      // Not a subcommand: those would want this command's own options as well.
      let words = Array(CommandLine.arguments.dropFirst())
      if words.first == TokenCommand.name { return try TokenCommand.run(Array(words.dropFirst())) }
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
    guard (1...HTTPLimits().connections).contains(connectionsPerAddress) else {
      throw ValidationError("--connections-per-address takes a number from 1 to \(HTTPLimits().connections)")
    }
    guard trustedProxy.allSatisfy({ AddressRange($0) != nil }) else {
      throw ValidationError("--trusted-proxy takes an address or a network, such as 10.0.0.7 or 172.16.0.0/12")
    }
    guard name.allSatisfy({ ServerNames.isName($0) }) else {
      throw ValidationError("--name takes a host, such as todo.example.org or todo.example.org:8443")
    }
    guard (0...3650).contains(keepDeleted) else {
      throw ValidationError("--keep-deleted takes a number of days from 0 to 3650")
    }
    // Less, and an upload could go between two of its parts.
    guard (1...3650).contains(keepFiles) else {
      throw ValidationError("--keep-files takes a number of days from 1 to 3650")
    }
    guard (0...365).contains(restoreWait) else {
      throw ValidationError("--restore-wait takes a number of days from 0 to 365")
    }
  }

  func run() async throws {
    do {
      let options = try ServerOptions(
        folder: data, listen: listen, signUp: signUp, tokenFile: signUpTokenFile, quiet: quiet,
        threads: threads, connectionsOfAddress: connectionsPerAddress,
        proxies: trustedProxy.compactMap { AddressRange($0) }, names: name, keepDeleted: keepDeleted,
        files: FileRules(
          quota: quota.bytes, largest: maxFile.bytes, keep: Int64(keepFiles) * 24 * 3600 * 1000),
        acceptRestores: acceptRestores, restoreWait: restoreWait)
      try await options.run(onToken: Self.tell) { Self.say("listening on \($0)") }
    } catch let failure as StartFailure {
      throw Self.said(failure)
    } catch  where !(error is ExitCode) {
      // Its kind only: what it says could name what somebody sent.
      Self.say("error: stopped by a failure that nobody foresaw: \(type(of: error))")
      Self.say("hint: please report it; start it again, nothing was lost")
      throw ExitCode(70)
    }
  }

  private static func tell(token: String) { say("sign-up token for people elsewhere: \(token)") }

  /// Says why there is no server, or no token; returns how the program ends.
  static func said(_ failure: StartFailure) -> ExitCode {
    say("error: \(failure.message)")
    say("hint: \(failure.hint)")
    return ExitCode(failure.exitStatus)
  }

  static func say(_ line: String) {
    FileHandle.standardError.write(Data("todo-server: \(line)\n".utf8))
  }
}

extension ServerOptions.SignUp: ExpressibleByArgument {}

/// A number of bytes as people write it: 500M, 10G.
struct ByteCount: ExpressibleByArgument {
  private static let units: [(letter: Character, bytes: UInt64)] = [
    ("K", 1 << 10), ("M", 1 << 20), ("G", 1 << 30), ("T", 1 << 40),
  ]

  let bytes: UInt64

  init(_ bytes: UInt64) { self.bytes = bytes }

  init?(argument: String) {
    let unit = Self.units.first { argument.uppercased().last == $0.letter }
    guard let number = UInt64(unit == nil ? argument : String(argument.dropLast())) else { return nil }
    let (bytes, overflow) = number.multipliedReportingOverflow(by: unit?.bytes ?? 1)
    // As the database counts.
    guard !overflow, bytes <= UInt64(Int64.max) else { return nil }
    self.bytes = bytes
  }

  var defaultValueDescription: String {
    let unit = Self.units.last { bytes >= $0.bytes && bytes.isMultiple(of: $0.bytes) }
    return unit.map { "\(bytes / $0.bytes)\($0.letter)" } ?? String(bytes)
  }
}
