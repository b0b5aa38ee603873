import Foundation
import Testing

@testable import TodoCLI

struct ConfigTests {
  @Test(arguments: [
    ("", true), ("# nothing\n\n", true), ("background-sync = false", false),
    ("  background-sync=true   # because\n", true), ("background-sync = false # off\n", false),
  ])
  func settingsAreRead(text: String, isOn: Bool) throws {
    #expect(try Config(text: text).backgroundSync == isOn)
  }

  @Test(arguments: [
    "background-sync", "background-sync = off", "background-sync = \"false\"", "= true", "[sync]",
    "background-sync = true\nbackground-sync = true", "backgroundsync = true", "x = 1",
  ])
  func whatIsNotUnderstoodIsAnErrorThatNamesTheLine(text: String) throws {
    let complaint = try #require(throws: Complaint.self) { try Config(text: "# first\n" + text, path: "config.toml") }
    #expect(complaint.exit == .badData)
    #expect(complaint.message.contains(text.contains("\n") ? "line 3 of config.toml" : "line 2 of config.toml"))
  }

  @Test func aChangeLeavesEverythingElseAsItWas() throws {
    let text = "# mine\n\nbackground-sync = true # why not\n# end"
    let changed = Config.text(text, setting: .backgroundSync, to: false)
    #expect(changed == "# mine\n\nbackground-sync = false\n# end\n")
    #expect(Config.text("", setting: .backgroundSync, to: true) == "background-sync = true\n")
  }

  @Test func numbersAndTextAreReadAndWrittenAlike() throws {
    let commands = ["pass show todo", #"printf '%s' "a # b = c" \ | cat"#, "'", ""]
    for command in commands {
      let text = Config.text("unlock-minutes = 60 # an hour\n", setting: .passphraseCommand, to: .text(command))
      let config = try Config(text: text)
      #expect(config.passphraseCommand == command && config.unlockMinutes == 60, "\(text)")
    }
    #expect(try Config(text: #"passphrase-command = 'a "b" \c' # mine"#).passphraseCommand == #"a "b" \c"#)
    #expect(try Config().unlockMinutes == 480)
  }

  @Test(arguments: [
    "unlock-minutes = 0", "unlock-minutes = 43201", "unlock-minutes = -1", "unlock-minutes = 1.5",
    "unlock-minutes = 99999999999999999999", "unlock-minutes = true", "unlock-minutes = \"60\"", "unlock-minutes =",
    "passphrase-command = pass", "passphrase-command = \"pass", "passphrase-command = \"pass\" show",
    "passphrase-command = \"a\\n\"", "passphrase-command = 'it's'", "background-sync = 1",
  ])
  func aSettingOfAnotherKindIsAnError(text: String) throws {
    let complaint = try #require(throws: Complaint.self) { try Config(text: text) }
    #expect(complaint.kind == "config" && complaint.message.hasPrefix("line 1"))
  }

  @Test func aFileIsWrittenAndReadAgain() throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "todo-config-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let file = ConfigFile(path: folder.appending(path: "config.toml").path)
    #expect(try file.read() == Config())
    try file.write(.backgroundSync, false)
    #expect(try !file.read().backgroundSync)
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["config.toml"])
  }

  @Test func aFileThatCannotBeReplacedStaysAsItWas() throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "todo-config-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let path = folder.appending(path: "file").path
    #expect(DurableFile(path: path).create([1]) == 0)
    #expect(DurableFile(path: path).create([2]) == EEXIST)
    #expect(try Data(contentsOf: URL(filePath: path)) == Data([1]))
    #expect(DurableFile(path: path).replace([3]) == 0)
    #expect(try Data(contentsOf: URL(filePath: path)) == Data([3]))
    #expect(DurableFile(path: folder.path).replace([4]) == EISDIR)
    #expect(DurableFile(path: path + "/below").replace([4]) == ENOTDIR)
    // No draft is left over, neither in the folder nor beside it.
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["file"])
    #expect(!FileManager.default.fileExists(atPath: "\(folder.path).\(getpid())"))
  }

  /// A link stays one, and what it leads to keeps its mode.
  @Test(arguments: [true, false])
  func aLinkStaysALink(isThere: Bool) throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "todo-config-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder.appending(path: "dotfiles"), withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let (link, target) = (folder.appending(path: "config.toml").path, folder.appending(path: "dotfiles/todo.toml").path)
    try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: "middle")
    try FileManager.default.createSymbolicLink(
      atPath: folder.appending(path: "middle").path, withDestinationPath: "dotfiles/todo.toml")
    if isThere {
      try Data("# mine\n".utf8).write(to: URL(filePath: target))
      try #require(chmod(target, 0o640) == 0)
    }
    try ConfigFile(path: link).write(.weekStart, .text("sunday"))
    #expect(try FileManager.default.destinationOfSymbolicLink(atPath: link) == "middle")
    #expect(try String(contentsOfFile: target, encoding: .utf8).contains("week-start"))
    #expect(facts(of: target)?.mode == S_IFREG | (isThere ? 0o640 : 0o600))
  }

  @Test func theLogIsBoundedAndKeepsOneBefore() throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "todo-log-\(UUID().uuidString)")
    let log = SyncLog(folder: folder.path)
    log.write("to a folder that is not there")
    #expect(!FileManager.default.fileExists(atPath: folder.path))
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let line = String(repeating: "x", count: 10_000)
    for _ in 0..<80 { log.write(line) }
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted() == ["sync.log", "sync.log.1"])
    for name in ["sync.log", "sync.log.1"] {
      let size = try Data(contentsOf: folder.appending(path: name)).count
      #expect(size <= SyncLog.limit + 11_000)
    }
  }
}
