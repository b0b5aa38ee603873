import Testing

/// What the command line says, and how it ends, where somebody else's word decides what becomes of a change.
@Suite struct TrustPageTests {
  private static let friends = """
    server$ todo-server --data server --listen 127.0.0.1:0
    todo-server: listening on http://127.0.0.1:<port:server>
    alice$ todo signup alice --server 127.0.0.1:<port:server> --quiet
    bob$ todo signup bob --server 127.0.0.1:<port:server> --quiet
    alice$ todo add Groceries milk --quiet
    alice$ todo share Groceries --with bob --quiet
    bob$ todo accept Groceries --quiet
    alice$ todo sync --quiet

    """

  @Test func aListThatIsTakenOverIsDeletedOnceItIsOnes() async throws {
    try await play(
      Self.friends + """
        alice$ todo share Groceries --with bob --role owner --quiet
        bob$ todo sync --quiet
        server$ ^C
        bob$ todo accept Groceries --quiet
        bob$ todo lists rm Groceries --yes
        todo: the server cannot be reached, this is what was known before
        todo: error: you accepted to own 'Groceries', and alice has not handed it over yet
        todo: hint: it is yours to delete once their device has synced <text>; to leave it instead: todo leave Groceries
        [exit 75]
        server$ todo-server --data server --listen 127.0.0.1:<port:server>
        todo-server: listening on http://127.0.0.1:<port:server>
        bob$ todo lists rm Groceries --yes --quiet
        todo: error: you accepted to own 'Groceries', and alice has not handed it over yet
        todo: hint: <text>
        [exit 75]
        alice$ todo sync --quiet
        bob$ todo lists rm Groceries --yes
        deleted Groceries for everybody on it
        a copy of it is in your trash: todo restore Groceries
        what they have read of it stays with them: alice
        bob$ todo account delete --yes --quiet
        alice$ todo ls Groceries --sync | tail -1
          <id> milk
        """)
  }

  @Test func aChangeThatIsRefusedAtOnceFails() async throws {
    try await play(
      Self.friends + """
        alice$ todo share Groceries --with bob --role viewer --quiet
        bob$ todo add Groceries tea --sync
        added <id> tea · Groceries · with alice
        todo: error: the server refused adding 'tea' to Groceries: your role on the list does not permit it
        todo: hint: it is kept here, do not repeat it; ask its owner or an admin, then: todo sync --retry <number>; or give it up: todo sync --discard <number>
        [exit 77]
        bob$ todo add Own soap --sync
        created list Own
        added <id> soap · Own
        todo: the server refused 1 change, see 'todo status'
        """)
  }

  @Test func aChangeOnAStoppedListIsNotPromised() async throws {
    try await play(
      Self.friends + """
        server$ ^C
        $ cp -r server backup
        server$ todo-server --data server --listen 127.0.0.1:<port:server>
        todo-server: listening on http://127.0.0.1:<port:server>
        alice$ todo add Groceries bread --quiet --sync
        alice$ todo add Flat rent --quiet
        alice$ todo share Flat --with bob --quiet
        bob$ todo accept Flat --quiet
        bob$ todo sync --quiet
        server$ ^C
        $ rm -r server && mv backup server
        server$ todo-server --data server --listen 127.0.0.1:<port:server>
        todo-server: listening on http://127.0.0.1:<port:server>
        bob$ todo add Groceries tea --sync
        added <id> tea · Groceries · with alice
        todo: error: adding 'tea' to Groceries waits until the list can be read again: the server shows another past <text>
        todo: hint: it is kept here, do not repeat it; <text>: todo doctor --repair-server; <text>
        [exit 76]
        bob$ todo add Groceries jam
        added <id> jam · Groceries · with alice
        todo: adding 'jam' to Groceries waits until the list can be read again (todo status)
        bob$ todo status --no-sync | grep -A 2 '  Flat, '
          Flat, kept from you by the server since <time>
              the server was set back to a backup, and has lost who is on this list; what you had read stays here
              → give the server back what it lost: todo doctor --repair-server
        bob$ todo add Flat bills
        todo: error: 'Flat' is kept from you by the server since <time>
        todo: hint: the server was set back to a backup: give the server back what it lost: todo doctor --repair-server
        [exit 77]
        server$ ^C
        bob$ todo add Groceries salt --no-sync
        added <id> salt · Groceries · with alice
        todo: adding 'salt' to Groceries waits until the list can be read again (todo status)
        """)
  }

  @Test func aMessageThatGoesToNobodyFails() async throws {
    try await play(
      Self.friends + """
        bob$ todo account delete --yes --quiet
        alice$ todo message bob hello --sync
        not sent to bob<text>
        todo: error: not sent to bob<text>
        todo: hint: <text>
        [exit 77]
        """)
  }

  @Test func whoWasTakenForSomebodyElseCanHaveLess() async throws {
    try await play(
      Self.friends + """
        alice$ todo share Groceries --with bob --role admin --quiet
        alice$ todo users verify bob --number 000000000011111111112222222222333333333344444444445555555555 --quiet
        todo: error: that is not the number of you and bob
        todo: hint: <text>
        [exit 76]
        alice$ todo share Groceries --with bob --role admin
        todo: error: the numbers of you and bob were not the same
        todo: hint: <text>
        [exit 76]
        alice$ todo share Groceries --with bob --role viewer
        shared Groceries with bob (viewer)
        alice$ todo share Groceries --with bob --role editor --quiet
        todo: error: the numbers of you and bob were not the same
        todo: hint: <text>
        [exit 76]
        alice$ todo unshare Groceries --with bob | head -1
        took bob off Groceries
        """)
  }

  @Test func whoIsUnblockedHasToAskAgain() async throws {
    try await play(
      Self.friends + """
        alice$ todo users block bob --quiet
        alice$ todo users unblock bob
        bob  <user>
        todo: what bob sent while they were blocked is gone: ask them to invite you or write to you again
        alice$ todo users unblock bob
        bob  <user>
        """)
  }

  @Test func aDeviceThatAnotherOneAnsweredIsApprovedThere() async throws {
    try await play(
      Self.friends + """
        alice$ todo recovery --out words.txt --quiet
        phone$ todo login alice --server 127.0.0.1:<port:server> --device phone --quiet < words.txt
        tablet$ todo login alice --server 127.0.0.1:<port:server> --device tablet --approve --quiet
        todo: error: none of your devices has answered yet
        todo: hint: <text>
        [exit 75]
        alice$ todo devices --quiet
        phone$ todo devices approve 0000-0000
        todo: error: <text> has answered it
        todo: hint: approve it there; or 'todo devices deny', and ask once more on the new device
        [exit 75]
        alice$ todo devices approve phone
        todo: error: 'phone' (<device>) is one of your devices already
        todo: hint: <text>
        [exit 64]
        """)
  }

  @Test func whoHasNothingYetIsToldOfWhoWaits() async throws {
    try await play(
      Self.friends + """
        carol$ todo logout
        todo: error: no account is on this device
        todo: hint: there is nothing to sign out of; your lists are here as they are
        [exit 78]
        carol$ todo signup carol --server 127.0.0.1:<port:server> --quiet
        alice$ todo message carol hello --quiet
        carol$ todo sync --quiet
        carol$ todo | head -1
        1 message from alice, whom you have not met (todo chat)
        """)
  }

  private func play(_ text: String) async throws {
    try await onStage { try $0.play(text: text) }
  }
}
