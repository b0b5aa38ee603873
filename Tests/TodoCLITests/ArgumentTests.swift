import ArgumentParser
import CloudClient
import Testing
import TodoCore

@testable import TodoCLI

struct ArgumentTests {
  private let commands = ["ls": [], "add": [], "version": [], "lists": ["add", "rename", "rm"]]

  private func read(_ words: String...) -> FirstWord { FirstWord.read(words) { commands[$0] } }

  @Test func globalOptionsStandAnywhere() {
    #expect(read("--json", "ls", "Work") == .command(["ls", "--json", "Work"]))
    #expect(read("ls", "Work", "--json") == .command(["ls", "Work", "--json"]))
    #expect(
      read("--profile", "a", "--yes", "lists", "--quiet", "rm", "x")
        == .command(["lists", "rm", "--profile", "a", "--yes", "--quiet", "x"]))
    #expect(read("--json") == .command(["overview", "--json"]))
    #expect(read() == .command(["overview"]))
  }

  @Test func aSettingBelowZeroIsNoOption() {
    #expect(
      FirstWord.read(["config", "unlock-minutes", "-1", "--json"]) { ["config": []][$0] }
        == .command(["config", "unlock-minutes", "--json", "--", "-1"]))
    #expect(read("add", "Groceries", "-1") == .command(["add", "Groceries", "-1"]))
  }

  @Test func aMistypedCommandIsNotSwallowed() {
    #expect(read("lst") == .perhapsList("lst", options: []))
    #expect(read("Groceries", "--json") == .perhapsList("Groceries", options: ["--json"]))
    #expect(read("lists", "ad", "x") == .unknownVerb("ad", noun: "lists", similar: ["add"]))
    #expect(read("lists", "--help") == .command(["lists", "--help"]))
    #expect(read("help", "lists", "add") == .help(["lists", "add"]))
    #expect(read("--version", "--json") == .command(["version", "--json"]))
    #expect(read("--json", "--version") == .command(["version", "--json"]))
    #expect(read("version", "--json") == .command(["version", "--json"]))
    #expect(read("help", "help") == .help(["help"]))
  }

  @Test(arguments: ["-dash", "-h 5 items", "-5 hours", "-hello", "-mh", "-hh"])
  func anHInAWordIsNoRequestForHelp(word: String) {
    #expect(RawArguments.mistakenForHelp(in: ["add", word]) == word)
    #expect(RawArguments.mistakenForHelp(in: ["add", "Groceries", "eggs", word]) == word)
    #expect(RawArguments.mistakenForHelp(in: ["add", "--json", "--", word]) == nil)
    #expect(RawArguments.mistakenForHelp(in: ["add", word, "--help"]) == nil)
    #expect(RawArguments.mistakenForHelp(in: ["add", "-h", word]) == nil)
  }

  @Test func everyCommandHasAnExample() {
    for command in TodoCommand.configuration.subcommands where command.configuration.shouldDisplay {
      #expect(command.configuration.discussion.contains("todo "), "\(command)")
    }
    #expect(TodoCommand.verbs["list"] == [])
    #expect(TodoCommand.verbs["lists"] == ["add", "rename", "merge", "clear", "rm", "keep"])
  }

  @Test func everyCommandIsFoundByEachOfItsNames() {
    for command in TodoCommand.configuration.subcommands {
      for name in TodoCommand.names(of: command) { #expect(TodoCommand.command(named: name) == command, "\(name)") }
    }
    #expect(TodoCommand.command(named: "lst") == nil)
    #expect(TodoCommand.verbs.count >= TodoCommand.configuration.subcommands.count)
  }

  @Test func aCommandThatIsParsedAloneIsOneOfTheProgram() throws {
    #expect(try TodoCommand.parse(command: ["ls", "--json"]) is LsCommand)
    #expect(try TodoCommand.parse(command: ["lists"]) is ListsCommand)
    #expect(throws: (any Error).self) { try TodoCommand.parse(command: ["ls", "--no-such-option"]) }
    var help = try TodoCommand.parse(command: ["lists", "--help"])
    let message = #expect(throws: (any Error).self) { try help.run() }.map { TodoCommand.fullMessage(for: $0) }
    #expect(message?.contains("See 'todo help lists <subcommand>'") == true)
  }

  @Test func addTakesOneTitleAnArgument() throws {
    func words(_ words: String...) throws -> AddWords {
      try AddWords(words) { [(1, "milk"), (3, " eggs ")] }
    }
    #expect(try words("buy milk").list == nil)
    #expect(try words("Groceries", "milk", "oat milk").titles.map(\.title.text) == ["milk", "oat milk"])
    #expect(try words("Groceries", "-").titles.map(\.title.text) == ["milk", "eggs"])
    #expect(try words("-").titles.map(\.title.text) == ["milk", "eggs"])
    #expect(try words("buy", "milk").mayBeOneTitle == true)
    #expect(try words("Groceries", "oat milk").mayBeOneTitle == false)
    #expect(throws: Complaint.self) { try words("Groceries", "-", "-") }
    #expect(throws: Complaint.self) { try words("Groceries", "") }
  }

  @Test func aBadLineIsReportedWithItsNumber() {
    #expect { try AddWords(["-"]) { [(1, "milk"), (7, "a\tb")] } } throws: { error in
      (error as? Complaint)?.message.hasPrefix("line 7: ") == true && (error as? Complaint)?.exit == .badData
    }
  }

  @Test func linesOfInputAreUTF8() throws {
    #expect(try StandardInput.lines(of: Array("a\r\n\n  \nb".utf8)).map(\.number) == [1, 4])
    #expect { try StandardInput.lines(of: [0x61, 0x0A, 0xFF, 0x0A]) } throws: { error in
      (error as? Complaint)?.message.hasPrefix("line 2") == true
    }
  }

  @Test func theProfileComesFromOptionThenEnvironment() throws {
    let environment = ["TODO_HOME": "/t", "TODO_PROFILE": "work", "HOME": "/h", "XDG_DATA_HOME": ""]
    var home: String?
    func directory(_ option: String?, without names: String...) throws -> String {
      try Profile(named: option, environment: { names.contains($0) ? nil : environment[$0] }, accountHome: { home })
        .directory
    }
    #expect(try directory("x") == "/t/profiles/x")
    #expect(try directory(nil) == "/t/profiles/work")
    #expect(try directory(nil, without: "TODO_PROFILE", "TODO_HOME") == "/h/.local/share/todo/profiles/default")
    #expect(throws: Complaint.self) { try directory("../evil") }
    #expect(throws: Complaint.self) { try directory("Work") }
    #expect(throws: Complaint.self) { try directory(nil, without: "TODO_HOME", "HOME") }
    home = "/people/ann"
    #expect(try directory("x", without: "TODO_HOME", "HOME") == "/people/ann/.local/share/todo/profiles/x")
  }

  @Test(arguments: [
    ("127.0.0.1:18473", "http://127.0.0.1:18473"), ("LocalHost:8080", "http://localhost:8080"),
    ("[::1]:8080", "http://[::1]:8080"), ("localhost", "http://localhost"),
    ("https://localhost:8443", "https://localhost:8443"), ("http://127.0.0.1:80/", "http://127.0.0.1"),
    ("todo.example.org", "https://todo.example.org"), ("127.0.0.1.example.org:1", "https://127.0.0.1.example.org:1"),
    ("128.0.0.1", "https://128.0.0.1"), ("[2001:db8::1]:9", "https://[2001:db8::1]:9"),
  ])
  func aServerOnThisMachineNeedsNoScheme(text: String, url: String) throws {
    #expect(try ServerAddress(text).description == url)
  }

  @Test(arguments: ["", "localhost/", "localhost:0", "127.0.0.1:", "x y"])
  func whatIsNoAddressStaysNone(text: String) {
    #expect(throws: ServerAddress.Failure.malformed) { try ServerAddress(text) }
  }

  @Test func aHandleMayNameTheOwnServer() throws {
    #expect(try plainHandle("bob@localhost:8080", server: "http://localhost:8080") == "bob")
    #expect(try plainHandle("@Bob", server: "todo.example.org") == "bob")
    #expect(try plainHandle("bob@todo.example.org", server: "https://todo.example.org") == "bob")
    #expect(throws: Complaint.self) { try plainHandle("bob@elsewhere.org", server: "todo.example.org") }
  }
}
