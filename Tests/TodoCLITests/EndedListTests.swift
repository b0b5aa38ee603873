import Testing

@testable import TodoCLI

/// What somebody reads of a list that goes on without them, or not at all.
struct EndedListTests {
  static let all: [EndedList] = [EndedList.Kind.deleted, .unshared].flatMap { kind in
    [String?.none, "alice", "carol", "you"].flatMap { by in
      [Int64?.none, 0].flatMap { since in [0, 1, 2].map { list(kind, by: by, since: since, unsent: $0) } }
    }
  }

  private static func list(
    _ kind: EndedList.Kind, by: String?, since: Int64? = nil, unsent: Int = 0, name: String = "Our flat"
  ) -> EndedList {
    EndedList(kind: kind, name: name, id: "aaaa", since: since, by: by, owner: "alice", unsent: unsent, carried: unsent)
  }

  @Test func keepingItIsAlwaysNamedFirst() {
    for end in Self.all {
      #expect(Explanation(end).advice[0].hasSuffix("todo lists keep 'Our flat'"))
      #expect(Complaint(end).hint.hasPrefix("make it a list of your own: todo lists keep 'Our flat'"))
      #expect(end.unsent > 0 || end.notice.hasSuffix("(todo lists keep 'Our flat')"))
      #expect(end.unsent == 0 || end.notice.hasSuffix("kept here (todo status)"))
    }
  }

  @Test func onlyWhatComesAlongIsPromised() {
    let keep = "todo lists keep Flat"
    for (carried, words) in [(0, ": "), (1, ", with 1 change that was not sent: ")] {
      let end = EndedList(
        kind: .unshared, name: "Flat", id: "aaaa", since: nil, by: nil, owner: "alice", unsent: 2, carried: carried)
      #expect(end.advice[0] == "make it a list of your own\(words)\(keep)")
      #expect(end.notice.contains("2 changes of yours are kept here"))
    }
  }

  @Test func onlyWhatIsKnownIsSaid() {
    let silent = Self.list(.unshared, by: nil)
    #expect(silent.words == "no longer shared with you")
    #expect(silent.why.contains("the server says"))
    let told = Self.list(.unshared, by: "carol", since: 0)
    #expect(told.words.hasPrefix("no longer shared with you since ") && told.words.hasSuffix(", by carol"))
    #expect(told.why.contains("carol took you off it") && told.why.contains("alice's list"))
    #expect(Self.list(.deleted, by: "alice").words == "deleted by alice")
    #expect(Self.list(.deleted, by: "you").why.contains("another device"))
  }

  /// On another device, of which this one has heard.
  @Test func whoLeftIsNotToldThatSomebodyTookThemOff() {
    let left = Self.list(.unshared, by: "you", since: 0)
    #expect(left.words.hasPrefix("left by you ") && Self.list(.unshared, by: "you").words == "left by you")
    #expect(left.notice.hasPrefix("Our flat was left by you ") && Complaint(left).message.contains("was left by you "))
    #expect(left.why == "you left it; what you had read stays here")
    #expect(left.advice[1] == "ask alice to share it with you again")
    let given = EndedList(
      kind: .unshared, name: "Flat", id: "aaaa", since: nil, by: "you", owner: "you", unsent: 0, carried: 0)
    #expect(given.words == "left by you" && given.advice[1] == "ask whoever has it now to share it with you again")
    #expect(left.json.encoded.contains(#""kind":"unshared""#) && left.json.encoded.contains(#""by":"you""#))
  }

  /// A server that denies somebody their own list has nobody else to be asked.
  @Test func nobodyIsSentToThemselves() {
    let own = EndedList(
      kind: .unshared, name: "Flat", id: "aaaa", since: nil, by: nil, owner: "you", unsent: 1, carried: 1)
    #expect(own.words == "kept from you by the server")
    for text in [own.why, own.notice, Complaint(own).hint] + own.advice {
      #expect(!text.contains("ask you") && !text.contains("you's"), "\(text)")
    }
    #expect(own.why.contains("the server hides it"))
  }

  @Test func scriptsGetEveryMember() {
    #expect(
      Self.list(.unshared, by: nil, unsent: 2).json.encoded
        == #"{"kind":"unshared","list":"Our flat","list_id":"aaaa","since":null,"by":null,"unsent":2}"#)
    #expect((nil as EndedList?).json.encoded == "null" && (nil as EndedList?).remark.isEmpty)
  }
}

/// Numbers that somebody has to type.
struct ChangeNumbersTests {
  @Test func manyBecomeRuns() {
    #expect(ChangeNumbers([3, 4, 5]).text == "3 4 5")
    #expect(ChangeNumbers([9, 3, 4, 5, 6, 11, 12, 20]).text == "3-6 9 11 12 20")
    #expect(ChangeNumbers(Array(1...400)).text == "1-400")
  }

  @Test func whatIsWrittenIsRead() {
    #expect(ChangeNumbers(argument: "7") == ChangeNumbers([7]))
    #expect(ChangeNumbers(argument: "7-9") == ChangeNumbers([7, 8, 9]))
    for text in ["", "-", "x", "9-7", "1-2-3", "-3", "3-", "0", "1-9223372036854775807"] {
      #expect(ChangeNumbers(argument: text) == nil, "\(text)")
    }
  }
}
