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

  /// What a list is called decides nothing, and its user hears where it stands in the way.
  @Test func aListMayBeCalledLikeACommand() async throws {
    try await play(
      """
      # terminal: 100 x 40
      alice$ todo lists add today
      created list today
      todo: hint: 'todo today' is a command; the list is shown by: todo ls today
      alice$ todo add log milk --quiet
      alice$ todo ls log
      log  1 open
        <id> milk
      """)
  }

  /// A list that was removed by mistake comes back with all that is on it.
  @Test func aListInTheTrashIsShownAndRestored() async throws {
    try await play(
      """
      # terminal: 100 x 40
      alice$ todo add Food milk --quiet
      alice$ todo lists rm Food
      removed list Food
      todo: hint: it is in the trash with 1 open todo: todo restore Food
      alice$ todo ls Food
      todo: error: the list 'Food' is in the trash
      todo: hint: take it out with: todo restore Food
      [exit 66]
      alice$ todo trash
      list Food  1 open · removed <time>
      todo: hint: take one out with: todo restore Food
      alice$ todo search milk
      nothing with milk
      alice$ todo restore food
      restored list Food
      alice$ todo lists rm Food --quiet && todo undo
      took back 'removed' list Food
      alice$ todo lists rm Food --quiet && todo lists add Food --quiet && todo restore Food
      restored list Food (2)
      alice$ todo lists rm "Food (2)" --quiet && todo trash empty "Food (2)" --yes
      deleted list Food (2)
      """)
  }

  @Test func aTitleThatReadsLikeAFilterIsFound() async throws {
    try await play(
      """
      alice$ todo add Home --literal "+1" --quiet
      alice$ todo done +1
      done <id> +1 · Home
      alice$ todo ls --done
      Home  nothing open
      ✓ <id> +1
      alice$ todo add Home milk --quiet; todo ls --done
      Home  1 done
      ✓ <id> +1
      alice$ todo rm +2
      todo: error: no open todo with +2
      todo: hint: 'todo ls '+2'' shows what there is
      [exit 66]
      """)
  }

  @Test func aFileWhoseNameSaysNothingIsNotWritten() async throws {
    try await play(
      """
      alice$ todo add Home milk --quiet; todo export backup
      todo: error: by its name nobody can tell what 'backup' holds
      todo: hint: let it end in .json, .txt, .ics or .md; or say it with --format: json, todotxt, taskwarrior, ical, markdown
      [exit 64]
      alice$ todo export backup --format json; todo import backup --format json
      wrote 1 todo to backup
      imported 0 todos, 1 known already
      """)
  }

  @Test func aHookThatCannotBeExecutedIsNamed() async throws {
    try await play(
      """
      alice$ mkdir alice/hooks; echo true > alice/hooks/on-add; todo add Home milk
      created list Home
      added <id> milk · Home
      todo: the hook on-add cannot be executed: chmod +x <text>/hooks/on-add'; what was changed is stored
      """)
  }

  /// Letters of either case are completed, and every value that a filter takes.
  @Test func completionKnowsWhatIsThere() async throws {
    try await play(
      """
      alice$ todo add Groceries "Oat milk" --quiet; todo complete-words -- ls gro; todo complete-words -- done OAT
      Groceries
      Oat milk\tGroceries
      alice$ todo complete-words -- ls pri:
      pri:low
      pri:medium
      pri:high
      pri:none
      """)
  }

  /// A proxy whose server is away is no server that says nonsense.
  @Test(arguments: [502, 503, 504])
  func aServerBehindAProxyMayBeAway(status: Int) async throws {
    try await play(
      Self.server + """
        server$ ^C
        server$ fake-server away-\(status) 127.0.0.1:<port:server>
        ...
        alice$ todo sync
        todo: error: the server cannot be reached
        todo: hint: <text>
        [exit 69]
        """)
  }

  /// Whoever answers has read what they answer.
  @Test func anAnsweredStrangerIsRead() async throws {
    try await play(
      Self.server + """
        bob$ todo signup bob --server 127.0.0.1:<port:server> --quiet
        bob$ todo message alice "hello" --quiet
        alice$ todo sync --quiet; todo chat bob --quiet; todo message bob "hi" --quiet; todo chat --json | grep -o '"unread":[0-9]'
        "unread":0
        """)
  }

  @Test func whatWasSharedWithoutTheServerSaysSo() async throws {
    try await play(
      Self.server + """
        bob$ todo signup bob --server 127.0.0.1:<port:server> --quiet
        alice$ todo add Groceries milk --quiet
        alice$ todo users bob --quiet
        alice$ todo share Groceries --with bob --no-sync
        bob (editor) gets Groceries with the next 'todo sync'
        alice$ todo share Groceries --with bob --no-sync --json | grep -o '"pending":true'
        "pending":true
        alice$ todo sync --quiet
        alice$ todo share Groceries --with bob
        shared Groceries with bob (editor)
        server$ ^C
        alice$ todo share Groceries --with bob --role viewer
        todo: the server cannot be reached, the change is sent with the next 'todo sync'
        bob (viewer) gets Groceries with the next 'todo sync'
        alice$ todo share Groceries --with bob --role owner
        todo: the server cannot be reached, the change is sent with the next 'todo sync'
        bob gets your offer of Groceries with the next 'todo sync': it is theirs when they accept, and you stay an admin
        server$ todo-server --data server --listen 127.0.0.1:<port:server>
        todo-server: listening on http://127.0.0.1:<port:server>
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

  @Test func allThatALogoutLosesIsNamedAtOnce() async throws {
    try await play(
      Self.server + """
        alice$ todo add Groceries milk --no-sync --quiet
        alice$ todo logout
        todo: error: your recovery words were never checked, and go from here: without them and another device this account is lost; <number> changes on this device would be lost
        todo: hint: run 'todo recovery' first, or, if you have them in a file: todo recovery --rehearse < <text>; run 'todo sync' first<text>; or add --yes to lose all of that
        [exit 64]
        alice$ todo logout --yes | head -1
        signed out alice
        """)
  }

  @Test func invitationsThatGoWithADeviceAreCounted() async throws {
    try await play(
      Self.server + """
        bob$ todo signup bob --server 127.0.0.1:<port:server> --quiet
        alice$ todo recovery --out words.txt --quiet
        alice$ todo recovery --rehearse --quiet < words.txt
        alice$ todo add Groceries milk --quiet
        alice$ todo share Groceries --with bob --quiet
        alice$ todo logout
        todo: error: 1 invitation of this device was not answered, and may go with it
        todo: hint: 'todo members' shows whose; share those lists again from another device of yours, or add --yes
        [exit 64]
        bob$ todo accept Groceries --quiet
        alice$ todo sync --quiet
        alice$ todo logout | head -1
        signed out alice
        """)
  }

  @Test func anInvitationOfAnEndedDeviceIsMarked() async throws {
    try await play(
      Self.server + """
        bob$ todo signup bob --server 127.0.0.1:<port:server> --quiet
        alice$ todo recovery --out words.txt --quiet
        alice$ todo recovery --rehearse --quiet < words.txt
        alice$ todo add Groceries milk --quiet
        alice$ todo share Groceries --with bob --quiet
        phone$ todo login alice --server 127.0.0.1:<port:server> --device phone --quiet < words.txt
        alice$ todo logout --yes --quiet
        phone$ todo sync --quiet
        phone$ todo members Groceries
        Groceries
          alice  owner
          bob    editor, invited <time> by alice, no answer yet, and the device that sent it has ended
        phone$ todo members Groceries --json | grep -o '"invitation_ended":[a-z]*'
        "invitation_ended":false
        "invitation_ended":true
        bob$ todo invites
        no invitations
        phone$ todo share Groceries --with bob --quiet
        phone$ todo members Groceries | grep bob
          bob    editor, invited <time> by alice, no answer yet
        bob$ todo accept Groceries
        accepted Groceries from alice
        """)
  }

  @Test func whoLeftOnAnotherDeviceReadsThatTheyDid() async throws {
    try await play(
      Self.server + """
        bob$ todo signup bob --server 127.0.0.1:<port:server> --quiet
        bob$ todo recovery --out words.txt --quiet
        alice$ todo add Flat rent --quiet
        alice$ todo share Flat --with bob --quiet
        bob$ todo accept Flat --quiet
        phone$ todo login bob --server 127.0.0.1:<port:server> --device phone --quiet < words.txt
        phone$ todo add Flat keys --quiet
        bob$ todo leave Flat --quiet
        phone$ todo sync | tail -1
        todo: error: nobody gets 1 change of yours on what is no longer shared with you
        todo: hint: nothing is lost; 'todo status' says what to do
        Flat was left by you <time>: 1 change of yours is kept here (todo status)
        phone$ todo lists
        Flat  2 open · left by you <time>
        phone$ todo lists --json | grep -o '"ended":{[^}]*}'
        "ended":{"kind":"unshared","since":"<text>","by":"you"}
        phone$ todo members Flat | head -1
        Flat  left by you <time>; until then:
        phone$ todo status | grep -A1 'Flat, left'
          Flat, left by you <time>
              you left it; what you had read stays here
        phone$ todo add Flat locks
        todo: error: 'Flat' was left by you <time>
        todo: hint: make it a list of your own: todo lists keep Flat; or ask alice to share it with you again
        [exit 77]
        """)
  }

  @Test func aListOfWhichNothingCameIsNotLeft() async throws {
    try await play(
      Self.server + """
        bob$ todo signup bob --server 127.0.0.1:<port:server> --quiet
        alice$ todo add Flat rent --quiet
        alice$ todo share Flat --with bob --quiet
        bob$ todo invites --quiet
        server$ ^C
        bob$ todo accept Flat --quiet
        bob$ todo leave Flat
        todo: the server cannot be reached, this is what was known before
        todo: error: nothing of 'Flat' has come to this device yet
        todo: hint: it comes with the next 'todo sync': leave it then
        [exit 75]
        server$ todo-server --data server --listen 127.0.0.1:<port:server>
        todo-server: listening on http://127.0.0.1:<port:server>
        bob$ todo leave Flat --quiet
        bob$ todo lists
        no lists yet
        """)
  }

  @Test func whoseNumberIsAnotherOneIsMarkedEverywhere() async throws {
    try await play(
      Self.server + """
        bob$ todo signup bob --server 127.0.0.1:<port:server> --quiet
        alice$ todo add Groceries milk --quiet
        alice$ todo share Groceries --with bob --quiet
        bob$ todo accept Groceries --as Shopping
        accepted Shopping from alice
        bob$ todo accept Groceries --as Food
        todo: error: that was accepted already, as 'Shopping'
        todo: hint: to call it otherwise: todo lists rename Shopping Food
        [exit 64]
        bob$ todo users verify alice --number "$(todo users verify alice --json | grep -o '"number":"[0-9 ]*' | cut -d '"' -f 4)" --quiet
        alice$ todo share Groceries --role owner --with bob --quiet
        bob$ todo invites | head -1
        <number>  Groceries: alice wants to make you its owner, verified
        alice$ todo users verify bob --number 000000000011111111112222222222333333333344444444445555555555
        todo: error: that is not the number of you and bob
        todo: hint: <text>; they stay on those they are on until you end that: todo unshare Groceries --with bob
        [exit 76]
        alice$ todo members Groceries | grep bob
          bob    editor, the numbers were not the same, <text>
          offered to bob, until <time>
        bob$ todo add Party cake --quiet
        bob$ todo share Party --code > code.txt
        alice$ todo accept "$(cat code.txt)"
        todo: error: the numbers of you and bob were not the same
        todo: hint: ask them another way, and compare once more: todo users verify bob
        [exit 76]
        """)
  }

  @Test func wordsThatWereCheckedAreNoReasonToWarn() async throws {
    try await play(
      Self.server + """
        bob$ todo signup bob --server 127.0.0.1:<port:server> --device laptop --quiet
        bob$ todo recovery --out words.txt --quiet
        bob-phone$ todo login bob --server 127.0.0.1:<port:server> --device phone --quiet < words.txt
        bob$ todo recovery --rehearse --quiet < words.txt
        bob$ todo sync --quiet
        bob-phone$ todo sync --quiet
        bob-phone$ todo devices revoke laptop
        todo: error: end the device 'laptop' (<device>), added <time>, so that it gets nothing new and sends nothing from now on: this cannot be taken back
        todo: hint: add --yes if that is what you want
        [exit 64]
        bob-phone$ todo devices revoke laptop --yes | tail -1
        what it could read until now stays readable on it
        bob-phone$ todo status --json | grep -o '"words_on":[a-z]*'
        "words_on":null
        """)
  }

  private func play(_ text: String) async throws {
    try await onStage { try $0.play(text: text) }
  }
}
