import CloudAPI
import Testing
import Treesystem

@testable import TodoCLI

/// What people read when something is wrong.
struct ExplanationTests {
  private let all = Refusal.allCases.flatMap { refusal in
    [
      Explanation(changes: [7], refused: refusal), Explanation(unbelieved: refusal),
      Explanation(unreadable: "Groceries", refusal), Explanation(unreadable: nil, refusal),
    ]
  }

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

  @Test func severalChangesAreOneThingToDecide() {
    let explanation = Explanation(changes: [7, 9], refused: .letterMissing)
    #expect(explanation.advice[0].hasSuffix("todo sync --retry 7 9"))
    #expect(explanation.advice[1] == "or give them up: todo sync --discard 7 9")
  }

  @Test func whatChangesWaitForIsSaidInPlainWords() {
    let obstacles: [Obstacle] = [
      .refused(7), .unreadable(.fork), .unreadable(.letterMissing), .keyMissing, .unattached,
    ]
    for obstacle in obstacles { #expect(obstacle.meaning.firstMatch(of: jargon) == nil) }
    #expect(obstacles.filter(\.mayLast) == [.unreadable(.letterMissing), .unattached])
  }

  @Test func sizesAreShort() {
    #expect(shortSize(512) == "512 bytes")
    #expect(shortSize(160_400) == "160 KB")
    #expect(shortSize(1_249_999) == "1.2 MB")
  }

  @Test func progressSaysOnlyWhatIsKnown() {
    #expect(ProgressLine.text(SyncProgress(received: 0, sent: 0, unsent: 0)) == "syncing")
    #expect(ProgressLine.text(SyncProgress(received: 12, sent: 0, unsent: 0)) == "12 received")
    #expect(ProgressLine.text(SyncProgress(received: 12, sent: 3, unsent: 40)) == "12 received, 3 sent, 40 to go")
  }
}
