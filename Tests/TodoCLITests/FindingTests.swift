import CloudAPI
import Signing
import Testing
import Treesystem

@testable import TodoCLI

/// What people read when a server contradicts itself.
struct FindingTests {
  private let device = Finding.Signer(
    user: .random(SystemEntropy()), device: DeviceID(exactly: [0xAB, 0xCD] + [UInt8](repeating: 0, count: 14)))

  private func found(
    _ kind: Finding.Kind, toldBy: String? = nil, mine: Bool = false, ended: Int64? = nil
  ) -> NamedFinding {
    let finding = Finding(
      number: 3, branch: .random(SystemEntropy()), kind: kind, line: 12, known: .zeros, told: .random(SystemEntropy()),
      knownBy: mine ? device : nil, toldBy: toldBy == nil ? nil : device, firstSeen: 0, lastSeen: 60_000, ended: ended)
    return NamedFinding(
      finding: finding, list: "Groceries", place: "Groceries",
      knownBy: mine ? .init(signer: device, name: "alice", isOneself: true) : nil,
      toldBy: toldBy.map { .init(signer: device, name: $0, isOneself: false) })
  }

  @Test func aForkNamesWhoWasShownAnotherPastAndSinceWhen() {
    let explanation = found(.fork, toldBy: "bob").explanation
    #expect(
      explanation.why
        == "the server shows bob's device abcd0000 another past than you, which differs since line 12 or before")
    #expect(explanation.advice.contains { $0.hasPrefix("ask bob, not through this server") })
    #expect(explanation.advice.last?.hasSuffix("todo doctor --forget 3") == true)
  }

  @Test func aRollbackSaysHowTheServerGetsBackWhatItLost() {
    #expect(found(.rollback).explanation.why.contains("from line 12 on"))
    #expect(found(.rollback).explanation.advice.contains { $0.hasSuffix("todo doctor --repair-server") })
  }

  /// Whoever follows the advice would let them in again unseen.
  @Test func whoIsBackStandsBeforeTheAdvice() {
    func back(_ letters: Letters, before: Letters, isQueued: Bool) -> NamedComeback {
      let user = device.user
      return NamedComeback(
        comeback: Comeback(
          branch: .random(SystemEntropy()), user: user, letters: letters, before: before, by: user, isQueued: isQueued),
        list: "Groceries", isInbox: false, name: "mallory", by: "you")
    }
    let removed = back([.read, .write], before: [], isQueued: false)
    for kind in [Finding.Kind.fork, .rollback] {
      var named = found(kind, toldBy: kind == .fork ? "bob" : nil)
      named.comebacks = [removed]
      #expect(
        named.explanation.advice.first
          == "by what the server has, mallory, whom you had removed, is an editor again")
    }
    let lowered = back([.read, .write, .share], before: [.read], isQueued: true)
    #expect(lowered.words == "mallory, whom you had made a viewer, is an admin again")
    #expect(lowered.remedy == "that is taken back with the next sync")
    #expect(removed.remedy == "whoever may share the list takes that back: todo members Groceries")
  }

  @Test func anOmissionSaysWhoseItIs() {
    #expect(found(.omission, mine: true).explanation.why.contains("a change of yours as line 12"))
    #expect(found(.omission, toldBy: "bob").explanation.why.hasPrefix("bob's device abcd0000 has read line 12"))
    #expect(found(.omission).explanation.advice[0].hasSuffix("todo doctor --repair"))
  }

  @Test func everythingIsSaidInPlainWordsAndInJSON() {
    let jargon = #/\b(key|keys|epoch|branch|node|header|tombstone|cursor|quarantine|keyring|hash)\b/#
    for kind in [Finding.Kind.fork, .rollback, .omission] {
      for finding in [found(kind), found(kind, toldBy: "bob"), found(kind, mine: true), found(kind, ended: 90_000)] {
        #expect(!finding.explanation.advice.isEmpty)
        for text in [finding.explanation.why] + finding.explanation.advice {
          #expect(text.firstMatch(of: jargon) == nil && text.last != ".", "\(text)")
        }
        let text = finding.json.encoded
        #expect(text.contains(#""number":3,"kind":"\#(kind.rawValue)","list":"Groceries""#))
        #expect(text.contains(#""first_seen_at":"1970-01-01T00:00:00.000Z","last_seen_at":"1970-01-01T00:01:00.000Z""#))
      }
    }
    #expect(found(.fork, toldBy: "bob").json.encoded.contains(#""there_by":{"user":"#))
    #expect(found(.rollback, ended: 90_000).isOver && !found(.rollback).isOver)
  }

  @Test func whatIsNotOverIsNoSuccess() throws {
    let distrust = Distrust(findings: 1)
    #expect(distrust.words == "1 contradiction in what the server showed")
    #expect(Complaint(SyncPage(report: SyncReport(), distrust: distrust))?.exit == .notVerified)
  }
}
