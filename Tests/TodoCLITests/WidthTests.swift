import Testing

@testable import TodoCLI

/// What fits into a terminal.
@Suite struct WidthTests {
  @Test(arguments: [
    ("", 0), ("milk", 4), ("牛乳", 4), ("ｶﾅ", 2), ("한국어", 6), ("é", 1), ("e\u{301}", 1), ("🛒", 2), ("👩‍👩‍👧", 2), ("❤️", 2),
    ("❤", 1),
    ("🇩🇪", 2), ("שלום", 4), ("a\u{200B}b", 2), ("Ａ", 2), ("✓", 1), ("…", 1),
  ])
  func aTextTakesSoManyColumns(text: String, columns: Int) {
    #expect(displayWidth(text) == columns)
  }

  @Test(arguments: [
    (
      "  k3fa a title that is longer than the line is wide",
      "  k3fa a title that is longer\n       than the line is wide"
    ),
    (
      "✓ k3fa a title that is longer than the line is wide",
      "✓ k3fa a title that is longer\n       than the line is wide"
    ),
    ("Groceries  3 open · with alice, bob and carol", "Groceries  3 open · with\n  alice, bob and carol"),
    ("  k3fa 牛乳を買う 牛乳を買う 牛乳を買う", "  k3fa 牛乳を買う 牛乳を買う\n       牛乳を買う"),
    ("short", "short"), ("  k3fa \(String(repeating: "x", count: 40))", "  k3fa \(String(repeating: "x", count: 40))"),
  ])
  func longLinesAreBrokenBetweenWords(line: String, expected: String) {
    #expect(wrapped(line, to: 30) == expected)
  }

  @Test func coloursTakeNoRoom() {
    let style = Style(isColoured: true)
    let line = "  \(style.id("k3fa")) a title\(style.quiet(" · bob"))"
    #expect(wrapped(line, to: 20) == line)
    #expect(wrapped(line + " and more words", to: 20).split(separator: "\n").count == 3)
    #expect(pad("牛乳", to: 6) == "牛乳  ")
  }
}
