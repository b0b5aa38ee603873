import Signing
import Testing

@testable import TodoCore

struct NameTests {
  @Test func titlesAreTrimmedAndChecked() throws {
    #expect(try Title("  oat milk \n").text == "oat milk")
    #expect(try Title(String(repeating: "ä", count: 500)).text.count == 500)
    #expect(try Title("👩‍👩‍👧 שלום").text == "👩‍👩‍👧 שלום")
    #expect(throws: TitleError.empty) { try Title(" \t ") }
    for unseen in [
      "\u{200B}", "\u{2060}\u{FEFF}", "\u{AD}", "\u{200E} \u{34F}", "\u{2800}", "\u{3164}", "\u{E0020}", "\u{301}",
    ] {
      #expect(throws: TitleError.empty) { try Title(unseen) }
      #expect(throws: ListNameError.title(.empty)) { try ListName(unseen) }
      #expect(throws: TagError.empty) { try Tag(unseen) }
      #expect(Title(suiting: unseen).text == "untitled")
    }
    // A row of flags, of which none begins anew: cut in no time.
    let flags = String(repeating: "🇩🇪", count: 100_000)
    let time = ContinuousClock().measure {
      #expect(Title(suiting: flags).text.utf8.count == Title.limit)
      #expect(Note(suiting: flags).text.utf8.count <= Note.limit)
      #expect(ListName.suiting(flags).utf8.count == 900)
    }
    #expect(time < .seconds(20))
    #expect("aü".cut(to: 2) == "a" && "aü".cut(to: 3) == "aü" && "ü".cut(to: 1) == "")
    for seen in [".", "é", "e\u{301}", "\u{200B}a", "🎉", "语", "👩\u{200D}💻"] {
      #expect(throws: Never.self) { try Title(seen) }
    }
    #expect(throws: TitleError.controlCharacter) { try Title("a\nb") }
    #expect(throws: TitleError.controlCharacter) { try Title("a\u{1B}[31mb") }
    #expect(throws: TitleError.controlCharacter) { try Title("a\u{2028}b") }
    #expect(throws: TitleError.tooLong(bytes: 1 << 20)) { try Title(String(repeating: "a", count: 1 << 20)) }
  }

  @Test func listNamesCanStandInCommands() throws {
    #expect(try ListName("Summer holiday").text == "Summer holiday")
    #expect(throws: ListNameError.slash) { try ListName("a/b") }
    for character in "-+@" {
      #expect(throws: ListNameError.firstCharacter(character)) { try ListName("\(character)x") }
    }
    #expect(throws: ListNameError.title(.empty)) { try ListName("") }
  }

  @Test func namesAreTheSameWhateverTheirCaseAndUnicodeForm() {
    #expect(areSameName("Groceries", "gROCERIES"))
    #expect(areSameName("Caf\u{E9}", "cafe\u{301}"))
    #expect(areSameName("Größe", "GRÖSSE") || !areSameName("Größe", "Grobe"))
    #expect(areSameName("ﬁsh", "fish"))
    #expect(!areSameName("Groceries", "Grocery"))
  }

  @Test(arguments: [
    ("Grocery", "Groceries", true), ("groceris", "Groceries", true), ("Work", "Home", false), ("Word", "Work", true),
    ("adn", "add", true), ("Todo", "Summer holiday", false), ("", "a", true),
  ]) func similarNamesAreFound(_ name: String, _ other: String, _ expected: Bool) {
    #expect(isSimilar(name, to: other) == expected)
  }

  @Test func theNearestNameComesFirst() {
    #expect(similar(to: "dne", among: ["undone", "done", "add"]) == ["done"])
    #expect(similar(to: "gro", among: ["Groceries", "Garden"]) == ["Groceries"])
  }

  @Test func everyListHasANameOfItsOwn() {
    func names(_ sources: (String, String?)...) -> [String] {
      ListNames.unique(sources.map { .init(title: $0.0, owner: $0.1) })
    }
    #expect(names(("Groceries", nil), ("Todo", nil)) == ["Groceries", "Todo"])
    #expect(names(("groceries", nil), ("Groceries", "alice")) == ["groceries", "Groceries (alice)"])
    #expect(names(("Groceries", "alice")) == ["Groceries"])
    #expect(names(("A", "alice"), ("A", "bob"), ("A", "bob")) == ["A", "A (bob)", "A (bob 2)"])
    #expect(names(("A", nil), ("A", nil), ("A", nil)) == ["A", "A (2)", "A (3)"])
    #expect(names(("A", nil), ("A (bob)", nil), ("A", "bob")) == ["A", "A (bob)", "A (bob 2)"])
    #expect(names(("Home", nil), ("Todo", "alice"), ("TODO", "bob")) == ["Home", "Todo (alice)", "TODO (bob)"])
  }

  @Test func whatAListWasCalledNoTitleTakes() {
    #expect(ListNames.unique([.init(given: "Todo", title: "Party", owner: "alice")]) == ["Todo"])
    let names = ListNames.unique([
      .init(title: "A", owner: nil), .init(given: "A", title: "B", owner: "bob"), .init(title: "A (2)", owner: nil),
      .init(given: "B", title: "A", owner: nil), .init(given: "B", title: "", owner: "carol"),
    ])
    #expect(names == ["A (2)", "A", "A (2) (2)", "B", "B (carol)"])
  }

  @Test func whateverATitleIsAListCanBeNamed() throws {
    let titles = ["", "a/b", "-rf", "+@x", "a\u{0}b\u{1B}[2J", " \n", String(repeating: "ä", count: 5000)]
    for title in titles {
      let name = ListName.suiting(title)
      #expect(try ListName(name).text == name && name.utf8.count <= ListName.limit)
    }
    #expect(ListName.suiting("a\u{0}b/c") == "ab-c")
  }

  @Test func shortIdsAreNeitherWordsNorNumbers() throws {
    let entropy = SystemEntropy()
    for _ in 0..<500 {
      let short = TodoID.draw(entropy) { $0 < "n" }.text.prefix(4)
      #expect(short < "n")
      #expect(short.first?.isLetter == true)
      #expect(short.contains { $0.isNumber })
    }
    // Where everything is taken, it still ends.
    let id = TodoID.draw(entropy) { _ in false }
    #expect(TodoID(text: id.text) == id)
    #expect(TodoID(text: "k3fa") == nil)
  }
}
