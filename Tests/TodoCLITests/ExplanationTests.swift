import CloudAPI
import Testing
import Treesystem

@testable import TodoCLI

/// What people read when something is wrong.
struct ExplanationTests {
  private let all: [Explanation] =
    Refusal.allCases.flatMap { refusal in
      [
        Explanation(changes: [7], refused: refusal), Explanation(unbelieved: refusal),
        Explanation(unreadable: refusal), Explanation(of: [change(.added, refusal)]),
        Explanation(of: [change(.retitled, refusal, unsharedBy: "alice")]),
      ]
    } + EndedListTests.all.map { Explanation($0) }

  private let jargon = #/\b(key|keys|epoch|branch|node|header|tombstone|signed record|cursor|quarantine|keyring)\b/#

  @Test func everyReasonIsSaidInPlainWordsWithSomethingToDo() {
    for explanation in all {
      #expect(!explanation.why.isEmpty && explanation.why.last != ".")
      #expect(!explanation.advice.isEmpty)
      for text in [explanation.why] + explanation.advice {
        // The code in brackets is for whoever is asked for help.
        #expect(text.replacing(#/\([a-z-]+\)/#, with: "").firstMatch(of: jargon) == nil, "\(text)")
        #expect(text.last != ".")
      }
    }
  }

  @Test func whatIsNoLongerSharedIsNotTriedAgain() {
    let changes = [
      change(.added, .letterMissing, unsharedBy: "alice", title: "bob's tea"),
      change(.done, .letterMissing, unsharedBy: "alice"),
    ]
    let explanation = Explanation(of: changes)
    #expect(explanation.why.contains("alice's list"))
    #expect(explanation.advice.allSatisfy { !$0.contains("--retry") })
    #expect(explanation.advice[1] == "make it a list of your own, with these: todo lists keep Groceries")
    #expect(explanation.advice[2] == "or give them up: todo sync --discard 7 7")
  }

  @Test(arguments: [
    ("tea", "tea"), ("", "''"), ("a b", "'a b'"), ("$(rm)", "'$(rm)'"), ("a'b", #"'a'\''b'"#), ("-x", "'-x'"),
    ("é", "'é'"),
  ])
  func wordsAreQuotedForAShell(word: String, quoted: String) { #expect(shellQuoted(word) == quoted) }

  @Test func severalChangesAreOneThingToDecide() {
    let explanation = Explanation(changes: [7, 9], refused: .letterMissing)
    #expect(explanation.advice[0].hasSuffix("todo sync --retry 7 9"))
    #expect(explanation.advice[1] == "or give them up: todo sync --discard 7 9")
  }

  @Test func whatChangesWaitForIsSaidInPlainWords() {
    let obstacles: [Obstacle] = [
      .refused(7), .unreadable(.fork), .unreadable(.letterMissing), .keyMissing, .unattached, .contentMissing,
    ]
    for obstacle in obstacles { #expect(obstacle.meaning.firstMatch(of: jargon) == nil) }
    #expect(obstacles.filter(\.mayLast) == [.unreadable(.letterMissing), .unattached])
  }

  @Test func sizesAreShort() {
    #expect(shortSize(512) == "512 bytes")
    #expect(shortSize(160_400) == "160 KB")
    #expect(shortSize(1_249_999) == "1.2 MB")
  }

  @Test func progressSaysWhatItWaitsFor() {
    #expect(
      ProgressLine.text(SyncProgress(received: 0, sent: 0, unsent: 0, isWaiting: true))
        == "waiting for another sync of this profile")
    #expect(ProgressLine.text("3 sent", .seconds(2)) == "3 sent")
    #expect(ProgressLine.text("3 sent", .seconds(12)) == "3 sent, no answer from the server for 12 s")
    #expect(ProgressLine.text("waiting", .zero, unsent: 40) == "waiting, 40 to go")
  }

  @Test func progressSaysOnlyWhatIsKnown() {
    #expect(ProgressLine.text(SyncProgress(received: 0, sent: 0, unsent: 0)) == "syncing")
    #expect(ProgressLine.text(SyncProgress(received: 12, sent: 0, unsent: 0)) == "12 received")
    #expect(ProgressLine.text(SyncProgress(received: 12, sent: 3, unsent: 40)) == "12 received, 3 sent, 40 to go")
  }
}

private func change(
  _ kind: ChangeWords.Kind, _ reason: Refusal, unsharedBy owner: String? = nil, title: String = "tea"
) -> QueuedChange {
  QueuedChange(
    number: 7, words: ChangeWords([kind], todo: title, on: "Groceries"), list: "Groceries", unsharedBy: owner,
    state: .refused, reason: reason, obstacle: nil, since: 0)
}
