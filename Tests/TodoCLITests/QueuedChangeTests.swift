import Sharing
import Testing
import Treesystem

@testable import TodoCLI

/// What somebody reads before they give something up.
struct QueuedChangeTests {
  private func change(_ words: ChangeWords) -> QueuedChange {
    QueuedChange(
      number: 7, words: words, list: "Work", unsharedBy: nil, state: .pending, reason: nil, obstacle: nil, since: 0)
  }

  @Test func allThatIsDoneToATodoIsSaid() {
    #expect(ChangeWords([.retitled, .edited], todo: "tea", on: "Work").text == "renaming and changing 'tea' on Work")
    #expect(ChangeWords([.removed], todo: "tea", on: "Work").text == "removing 'tea' from Work")
    let both = ChangeWords([.removed, .edited], todo: "tea", on: "Work")
    #expect(both.text == "changing and removing 'tea' from Work")
    #expect(both.kinds == [.removed, .edited])
  }

  @Test func eachMessageThatWaitsSaysWhatItIs() {
    let all = MessageKind.allCases
    #expect(Set(all.map { ChangeWords(sending: $0, to: "bob").text }).count == all.count)
    #expect(Set(all.map { ChangeWords(writing: $0).text }).count == all.count)
    #expect(ChangeWords(sending: .withdrawal, to: "bob").text == "telling bob of the removal")
    #expect(ChangeWords(sending: .withdrawal, to: "bob").kinds == [.unshared])
  }

  @Test func whatGoesWithAChangeIsNamedTodosFirst() {
    let naming = change(ChangeWords([.added], list: "Work"))
    let making = change(ChangeWords(kinds: [.added], text: "making the list Work"))
    let todos = (1...5).map { change(ChangeWords([.added], todo: "todo \($0)", on: "Work")) }
    #expect(QueuedChange.words([naming], with: []) == "naming the list Work")
    #expect(
      QueuedChange.words([naming], with: [making] + todos.prefix(1))
        == "naming the list Work, and with it adding 'todo 1' to Work, making the list Work")
    let many = QueuedChange.words([naming, making], with: [making, making] + todos)
    #expect(many.hasPrefix("naming the list Work, making the list Work, and with them adding 'todo 1' to Work, "))
    #expect(many.hasSuffix(", adding 'todo 5' to Work and 2 more"))
  }
}
