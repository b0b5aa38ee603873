import Foundation
import Sealing
import Signing
import Testing

@testable import TodoCLI

/// What opens a profile without somebody who types.
struct UnlockTests {
  /// Whether this system's kernel keeps keys: some containers may not use them.
  static let hasKeyring: Bool = {
    let key = DatabaseKey(SystemEntropy())
    defer { _ = KernelKeyring.forget(key.id) }
    return KernelKeyring.keep(key, minutes: 1, now: 0) != nil
  }()

  @Test(.enabled(if: hasKeyring)) func theKernelKeepsAKeyUntilItIsForgotten() throws {
    let (key, other) = (DatabaseKey(SystemEntropy()), DatabaseKey(SystemEntropy()))
    defer { _ = KernelKeyring.forget(other.id) }
    #expect(KernelKeyring.find(key.id) == nil)
    #expect(!KernelKeyring.forget(key.id))
    #expect(KernelKeyring.keep(key, minutes: 5, now: 1_000_000)?.until == 1_300_000)
    #expect(KernelKeyring.keep(other, minutes: 5, now: 0) != nil)
    let kept = try #require(KernelKeyring.find(key.id))
    #expect(kept.key.secret == key.secret && kept.until == 1_300_000)
    // Another time takes the place of the first.
    _ = KernelKeyring.keep(key, minutes: 1, now: 0)
    #expect(KernelKeyring.find(key.id)?.until == 60_000)
    #expect(KernelKeyring.forget(key.id))
    #expect(KernelKeyring.find(key.id) == nil)
    #expect(KernelKeyring.find(other.id) != nil)
  }

  /// The kernel says of each key how long it keeps it.
  @Test(.enabled(if: hasKeyring)) func theKernelForgetsAKeyByItself() throws {
    let key = DatabaseKey(SystemEntropy())
    defer { _ = KernelKeyring.forget(key.id) }
    _ = KernelKeyring.keep(key, minutes: 3, now: 0)
    // A listing skips some while others come and go.
    var line: Substring?
    for _ in 0..<100 where line == nil {
      let lines = try String(contentsOfFile: "/proc/keys", encoding: .utf8).split(separator: "\n")
      line = lines.first { $0.contains("todo:\(key.id)") }
    }
    let fields = try #require(line).split(separator: " ")
    #expect(fields[3] == "2m" || fields[3] == "3m")
    #expect(fields[4] == "3f0b0000", "whose it is, and nobody else")
  }

  @Test func aCommandPrintsThePassphrase() throws {
    func run(_ text: String) throws -> String {
      String(decoding: try PassphraseCommand(text: text, profile: "work").run(), as: UTF8.self)
    }
    #expect(try run("echo correct horse; echo more") == "correct horse")
    #expect(try run("printf 'no end of line'") == "no end of line")
    #expect(try run("echo \"of $TODO_PROFILE\"") == "of work")
    #expect(try run("cat; echo nothing comes in") == "nothing comes in")
    for command in ["exit 3", "echo half; kill -9 $$", "no-such-command 2> /dev/null", "yes"] {
      let complaint = try #require(throws: Complaint.self, "\(command)") { try run(command) }
      #expect(complaint.kind == "passphrase_command" && complaint.exit == .notPermitted)
    }
  }
}
