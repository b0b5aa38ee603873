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
        Explanation(of: [change(.retitled, refusal, unsharedBy: "you")]),
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

  /// A list that is kept begins with nobody else: whoever was to come on the old one is not on it.
  @Test func whoWasToComeDoesNotComeAlong() {
    let sharing = QueuedChange(
      number: 8, words: ChangeWords(kinds: [.shared], text: "sharing Groceries with dora"), list: "Groceries",
      unsharedBy: "alice", state: .refused, reason: .letterMissing, obstacle: nil, since: 0)
    let both = Explanation(of: [sharing, change(.added, .letterMissing, unsharedBy: "alice")])
    let left = "(sharing Groceries with dora does not come along): todo lists keep Groceries"
    #expect(both.advice[1] == "make it a list of your own, with this \(left)")
    #expect(Explanation(of: [sharing]).advice[1] == "make it a list of your own \(left)")
  }

  /// They may have left it on another device.
  @Test func nobodyIsAccusedWhereNobodySaidThatTheyDidIt() {
    let all = [
      Explanation(of: [change(.added, .letterMissing, unsharedBy: "alice")]), Explanation(late: "Flat", by: "alice"),
      .neverRead, Explanation(EndedListTests.all.first { $0.kind == .unshared && $0.by == nil }!),
    ]
    for explanation in all {
      #expect(explanation.why.contains("on it no more") && !explanation.why.contains("taken"), "\(explanation.why)")
    }
  }

  @Test func whoLeftIsToldSo() {
    for explanation in [Explanation(left: "Flat", by: "alice"), .leftUnread] {
      #expect(explanation.why.hasPrefix("you left it on another device") && !explanation.why.contains("on it no more"))
    }
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
      .refused(7), .unreadable(.fork), .unreadable(.branchDenied), .keyMissing, .unattached, .contentMissing,
    ]
    for obstacle in obstacles { #expect(obstacle.meaning.firstMatch(of: jargon) == nil) }
    #expect(obstacles.filter(\.mayLast) == [.unreadable(.branchDenied), .unattached])
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

  @Test(arguments: [
    (80, "fetching 12.4 of 36.7 MB, 3.1 MB/s, 8 s left …"), (30, "fetching 12.4 of 36.7 MB, 3.…"), (1, "…"),
  ])
  func progressFitsARow(columns: Int, row: String) {
    #expect(ProgressLine.row("fetching 12.4 of 36.7 MB, 3.1 MB/s, 8 s left", columns: columns) == row)
    #expect(row.count < columns || columns == 1)
  }

  @Test func anImageThatIsTooLargeIsReplacedAndGivenUp() {
    var image = change(.edited, .limitExceeded)
    #expect(Explanation(of: [image]).advice[0] == "make it smaller, and it is sent again")
    image = QueuedChange(
      number: 7, words: ChangeWords(kinds: [.edited], text: "attaching an image", isImage: true), list: "Groceries",
      unsharedBy: nil, state: .refused, reason: .limitExceeded, obstacle: nil, since: 0)
    #expect(
      Explanation(of: [image]).advice == [
        "attach a smaller one in its place: todo image add <todo> <file>",
        "or give it up: todo sync --discard 7",
      ])
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
