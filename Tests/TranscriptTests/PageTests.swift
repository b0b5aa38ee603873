import Foundation
import Testing

@Suite struct PageTests {
  @Test(arguments: Samples.pages.filter { !Samples.demanding.contains($0) })
  func pageIsTrue(_ name: String) async throws {
    try await play([Samples.page(name)])
  }

  /// A test of its own, so that it is reported as skipped where this machine lacks what a page needs.
  @Test(.enabled("'# needs:' of a page fails here") { try await Samples.needsAreMet() }, arguments: Samples.demanding)
  func pageWithNeedsIsTrue(_ name: String) async throws {
    try await play([Samples.page(name)])
  }

  @Test func theSessionInTheReadmeIsTrue() async throws {
    let before = """
      server$ todo-server --data server --listen 127.0.0.1:0
      todo-server: listening on http://127.0.0.1:<port:server>
      alice$ todo signup alice --server http://127.0.0.1:<port:server> --quiet
      bob$ todo signup bob --server http://127.0.0.1:<port:server> --quiet
      """
    let session = try Samples.readme()
    #expect(session.steps.count > 5)
    try await play([Page(name: "(before the session in README.md)", text: before), session])
  }

  @Test func theFirstFiveMinutesSucceed() async throws {
    let before = """
      server$ todo-server --data server --listen 127.0.0.1:0
      todo-server: listening on http://127.0.0.1:<port:server>
      bob$ todo signup bob --server http://127.0.0.1:<port:server> --quiet
      $ cp groceries.txt list.txt
      """
    let minutes = try Samples.firstMinutes(server: "http://127.0.0.1:<port:server>")
    #expect(minutes.steps.count > 12)
    try await play([Page(name: "(before the first five minutes)", text: before), minutes])
  }

  /// What README.md shows of a picture is what a page of `samples/` holds the program to.
  @Test func thePictureInTheReadmeIsTrue() throws {
    let readme = try String(contentsOf: Samples.folder.appending(path: "../README.md"), encoding: .utf8)
    let page = try String(contentsOf: Samples.folder.appending(path: "photo.transcript"), encoding: .utf8)
    let start = try #require(page.firstRange(of: "\nbob$ todo image show <id:sauce>\n")).upperBound
    let drawing = page[start...].prefix(upTo: page[start...].firstRange(of: "\n\n")?.lowerBound ?? page.endIndex)
      .split(separator: "\n")
    #expect(drawing.count > 10)
    #expect(readme.contains(drawing.map { "    \($0)" }.joined(separator: "\n")))
  }

  /// Plays pages one after the other.
  private func play(_ pages: [Page]) async throws {
    try await onStage { stage in for page in pages { try stage.play(page) } }
  }

  /// On a slow machine any command may show how far it is.
  @Test(.enabled("no terminal can be made here") { try await Samples.needsAreMet() })
  func whatATerminalDrewOverIsNotExpected() async throws {
    let text = "# terminal: 80 x 24\n\n$ printf '\\r\\033[K9 sent\\r\\033[Kdone\\n'\ndone\n"
    try await play([Page(name: "(progress)", text: text)])
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
