import Testing

/// Sessions with the real programs that are too small for a page of `samples/`.
@Suite struct SmallPageTests {
  private static let server = """
    server$ todo-server --data server --listen 127.0.0.1:0
    todo-server: listening on http://127.0.0.1:<port:server>
    alice$ todo signup alice --server 127.0.0.1:<port:server>
    signed up as alice on 127.0.0.1:<port:server>
    ...

    """

  @Test func aServerOnThisMachineNeedsNoScheme() async throws {
    try await play(
      Self.server + """
        bob$ todo signup bob --server 127.0.0.1:<port:server> --quiet
        alice$ todo users bob@127.0.0.1:<port:server>
        bob  <user>
        """)
  }

  @Test func aTitleWithADashIsNeverARequestForHelp() async throws {
    try await play(
      """
      alice$ todo add "-h 5 items"
      todo: error: unknown option '-h 5 items'
      todo: hint: 'todo help <command>' shows how it is used; a title that begins with '-' comes after '--'
      [exit 64]
      alice$ todo add Groceries "-dash" --quiet
      todo: error: unknown option '-dash'
      todo: hint: <text>
      [exit 64]
      alice$ todo add Groceries -- "-dash"
      created list Groceries
      added <id> -dash · Groceries
      alice$ todo add -h | head -1
      OVERVIEW: Add todos to a list.
      """)
  }

  @Test func whatWasSharedWithoutTheServerSaysSo() async throws {
    try await play(
      Self.server + """
        bob$ todo signup bob --server 127.0.0.1:<port:server> --quiet
        alice$ todo add Groceries milk --quiet
        alice$ todo users bob --quiet
        alice$ todo share Groceries --with bob --no-sync
        shared Groceries with bob (editor), not sent yet: it goes with the next 'todo sync'
        alice$ todo share Groceries --with bob --no-sync --json | grep -o '"pending":true'
        "pending":true
        alice$ todo sync --quiet
        alice$ todo share Groceries --with bob
        shared Groceries with bob (editor)
        alice$ todo share Groceries --with "Bob Smith"
        todo: error: no bob smith on 127.0.0.1:<port:server>
        todo: hint: a name is up to 32 of a-z, 0-9, '-' and '_', without spaces; 'todo whoami' shows them theirs
        [exit 67]
        """)
  }

  @Test func whatGoesWithAListIsNamed() async throws {
    try await play(
      Self.server + """
        alice$ todo add Work tea coffee --quiet
        alice$ todo status | sed -n 's/^ *\\([0-9]*\\)  naming the list Work$/\\1/p' > number
        alice$ todo sync --discard $(cat number)
        todo: error: give up naming the list Work, and with it adding 'tea' to Work, adding 'coffee' to Work<text>
        todo: hint: add --yes if that is what you want
        [exit 64]
        alice$ todo sync --discard $(cat number) --yes 2>&1 | grep '^todo: gave up' | grep -o "'[a-z]*'"
        'tea'
        'coffee'
        alice$ todo lists
        no lists yet
        """)
  }

  private func play(_ text: String) async throws {
    let mismatch = try await onThread { () -> String? in
      let stage = try Stage()
      defer { try? stage.clear() }
      do {
        try stage.play(Page(name: "(small)", text: text))
      } catch let mismatch as Mismatch {
        return mismatch.description
      }
      return nil
    }
    if let mismatch { Issue.record("\(mismatch)") }
  }
}
