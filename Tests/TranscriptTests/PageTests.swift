import Foundation
import Testing

@Suite struct PageTests {
  @Test(arguments: Samples.pages) func pageIsTrue(_ name: String) async throws {
    let mismatch = try await onThread { () -> String? in
      let page = try Samples.page(name)
      let stage = try Stage()
      defer { try? stage.clear() }
      if let need = page.need, try Program(need, as: "needs", in: stage.folder).exit != 0 {
        print("samples/\(name) is skipped: it needs '\(need)'")
        return nil
      }
      do {
        try stage.play(page)
      } catch let mismatch as Mismatch {
        return mismatch.description
      }
      return nil
    }
    if let mismatch { Issue.record("\(mismatch)") }
  }

  @Test func aMismatchShowsWhatDiffers() throws {
    let page = try Page(name: "a page", text: "# nothing\n\n$ printf 'one\\ntwo\\nthree\\n'; false\none\n2\n<text:x>\n")
    let stage = try Stage()
    defer { try? stage.clear() }
    let mismatch = try #require(throws: Mismatch.self) { try stage.play(page) }
    #expect(
      mismatch.description == """
        samples/a page:3: somebody$ printf 'one\\ntwo\\nthree\\n'; false
          one
        - 2
        + two
          <text:x>
        - [exit 0]
        + [exit 1]
        """)
  }

  @Test func aNamedPlaceholderStaysTheSame() {
    var placeholders = Placeholders()
    let isPage = placeholders.fit(["added <id:a> x", "...", "done <id:a>"], ["added k3fa x", "y", "z", "done k3fa"])
    let isAnother = placeholders.fit("done <id:a>", "done b7qd")
    let isNew = placeholders.fit("done <id:b>", "done b7qd")
    let isOtherForm = placeholders.fit("Café", "Cafe\u{301}")
    #expect(isPage && isNew && !isAnother && !isOtherForm)
    #expect(placeholders.filled("todo done <id:b> <id:c> < file") == "todo done b7qd <id:c> < file")
  }
}
