import Signing
import Testing
import Treesystem

@testable import Sharing
@testable import TodoCLI

/// What is shown of what people say, and the line that is typed meanwhile.
struct ChatTests {
  private func type(_ bytes: some Sequence<UInt8>) -> (line: TypedLine, keys: [TypedLine.Key]) {
    var line = TypedLine()
    let keys = bytes.map { line.take($0) }.filter { $0 != .changed }
    return (line, keys)
  }

  @Test func aLineIsTypedCorrectedAndSent() {
    #expect(type("hello\n".utf8).keys == [.entered("hello")])
    #expect(type("hex\u{7F}llo\r".utf8).keys == [.entered("hello")])
    #expect(type("two words\u{17}one\n".utf8).keys == [.entered("two one")])
    #expect(type("all of it\u{15}none".utf8).line.text == "none")
    // A letter goes whole, however many bytes it has.
    #expect(type("a👩‍👩‍👧\u{8}é\u{7F}b".utf8).line.text == "ab")
    // Arrows and other keys that say nothing here leave nothing behind.
    #expect(type("a\u{1B}[A\u{1B}[1;5Cb\u{1B}OHc".utf8).line.text == "abc")
  }

  @Test func anEmptyLineAndControlDEndIt() {
    #expect(type("\n".utf8).keys == [.ended])
    #expect(type("  \n".utf8).keys == [.ended])
    #expect(type([0x04]).keys == [.ended])
    #expect(type([0x61, 0x04]).keys.isEmpty)
  }

  @Test func halfALetterIsNotShown() {
    let bytes = Array("é".utf8)
    var line = type([0x61, bytes[0]]).line
    #expect(line.text == "a" && line.row(columns: 80) == "> a")
    _ = line.take(bytes[1])
    #expect(line.text == "aé")
  }

  /// What wraps would stay on the screen when the row is drawn again.
  @Test(arguments: [1, 2, 3, 10, 80]) func theRowFitsTheTerminal(columns: Int) {
    let line = type(String(repeating: "abcdefghij", count: 30).utf8).line
    #expect(line.row(columns: columns).count <= max(columns, 4))
    #expect(line.row(columns: columns).hasSuffix(columns > 4 ? "hij" : "…"))
  }

  private func lines(of text: String) -> [String] {
    guard let user = UserID(bytes: [UInt8](repeating: 1, count: 20)),
      let id = PostID(bytes: [UInt8](repeating: 2, count: 16)),
      let conversation = ConversationID(bytes: [UInt8](repeating: 3, count: 16))
    else { return [] }
    let post = Post(
      id: id, conversation: conversation, sender: user, isOwn: false, text: text, data: [], sent: 0, isRead: true,
      expires: nil, hasFile: false, node: NodeID(rawValue: 1))
    let page = ChatPage(
      names: ["bob"], messages: [NamedPost(post: post, by: "bob", image: nil, ways: [])], isRequest: false)
    return page.lines(Style(isColoured: false)).map { String($0.dropFirst(18)) }
  }

  /// Overrides turn the writing around, isolates hide, and what moves the cursor could draw a line of somebody else's.
  @Test func whatSomebodySaysCannotSteerTheTerminal() {
    #expect(lines(of: "\u{202E}gnp.exe\u{202C} \u{2066}x\u{2069}\u{200F}") == ["bob  gnp.exe x"])
    #expect(
      lines(of: "\u{1B}[2J\u{9B}31m\u{7}\u{8}\r2026-01-01 00:00  alice  I owe you") == [
        "bob  [2J31m 2026-01-01 00:00  alice  I owe you"
      ])
    #expect(lines(of: "a\u{0}b\u{FEFF}") == ["bob  ab"])
    // Its own lines stand below, where no name stands.
    #expect(lines(of: "one\ntwo") == ["bob  one", "     two"])
  }
}
