import Testing

/// Small inputs after what people have reported of other programs, each with the program itself.
@Suite struct SmallCaseTests {
  @Test func whatIsNoDateSaysWhy() async throws {
    try await play(
      """
      alice$ todo add Home x --due 27/11/2099
      todo: error: '27/11/2099' is not read: some write the day first, others the month
      todo: hint: write it as 27 nov, 27.11. or 2026-11-27
      [exit 65]
      alice$ todo add Home x --due 99:99
      todo: error: '99:99' is no time of day
      todo: hint: the day goes from 00:00 to 23:59
      [exit 65]
      alice$ todo ls due.before:today
      todo: error: no list named 'due.before:today'
      todo: hint: 'todo lists' shows them all
      [exit 66]
      """)
  }

  /// As people say it.
  @Test func whatComesBackIsSaidInManyWays() async throws {
    try await play(
      """
      alice$ todo add Home a --due 2099-01-31 --repeat yearly
      created list Home
      added <id> a · due 31 jan 2099 · every year · Home
      alice$ todo add Home b --due 2099-01-31 --repeat "every month"
      added <id> b · due 31 jan 2099 · every month on the 31st · Home
      alice$ todo add Home c --due 2099-01-04 --repeat "every other sun"
      added <id> c · due 4 jan 2099 · every 2 weeks on sun · Home
      alice$ todo add Home d --due "in two weeks" --quiet && todo ls Home --json | grep -o '"due":"' | wc -l
      4
      """)
  }

  @Test func doctorNamesVersionsInALine() async throws {
    try await play(
      """
      alice$ todo add Home milk --quiet
      alice$ todo doctor | grep -e versions -e lock
      · lock      no passphrase: anybody who can read this disk can read your lists (todo lock)
      ✓ versions  <text>
      """)
  }

  /// A note that is too long costs neither its todo nor the file.
  @Test func aLongNoteIsShortened() async throws {
    try await play(
      """
      alice$ printf 'BEGIN:VCALENDAR\\nBEGIN:VTODO\\nUID:1\\nSUMMARY:long\\nDESCRIPTION:%012000d\\nEND:VTODO\\n' 0 > l.ics
      alice$ printf 'BEGIN:VTODO\\nUID:2\\nSUMMARY:short\\nEND:VTODO\\nEND:VCALENDAR\\n' >> l.ics
      alice$ todo import l.ics
      created list Todo
      imported 2 todos on 1 list
      1 todo with a title or a note that was too long, and is shortened
      alice$ todo export --format markdown | grep -c 0000
      1
      alice$ todo ls
      Todo  2 open
        <id> long
        <id> short
      """)
  }

  /// What is done on a day that nobody knows is not of 1970, in no format.
  @Test(arguments: ["json", "todotxt", "taskwarrior", "ical", "markdown"])
  func doneOnADayThatNobodyKnows(_ format: String) async throws {
    try await play(
      """
      alice$ printf 'x tap\\n' > t.txt && printf -- '- [x] lamp\\n' > m.md
      alice$ todo import t.txt --quiet && todo import m.md --quiet
      alice$ todo ls --all --json | grep -c 1970
      0
      [exit 1]
      alice$ todo export --format \(format) > out && grep -c -e tap -e lamp out
      2
      alice$ grep -c -e 1970 -e '"end":"[^2]' -e COMPLETED: out
      0
      [exit 1]
      """)
  }

  /// Settings may be a link to a file elsewhere.
  @Test func settingsThatAreALinkStayOne() async throws {
    try await play(
      """
      alice$ todo config week-start saturday --quiet
      alice$ mkdir dotfiles && mv "$TODO_HOME/config.toml" dotfiles/todo.toml
      alice$ ln -s "$PWD/dotfiles/todo.toml" "$TODO_HOME/config.toml"
      alice$ todo config week-start sunday --quiet
      alice$ test -L "$TODO_HOME/config.toml" && grep week dotfiles/todo.toml
      week-start = "sunday"
      """)
  }

  /// An editor may remove its file: what was written before is not named as kept where there is none.
  @Test func anEditorThatRemovesItsFileLosesNothing() async throws {
    try await play(
      """
      # terminal: 100 x 40
      alice$ todo add Home tea --quiet
      alice$ printf '#!/bin/sh\\nrm "$1"\\n' > editor; chmod +x editor
      alice$ EDITOR=./editor todo edit tea
      <text>
      todo: hint: nothing was changed
      edit it again? [Y/n]<text>
      todo: error: nothing was changed
      todo: hint: 'todo help edit' shows the options
      [exit 73]
      """)
  }

  /// An editor that is set to another encoding: what was written is what is stored.
  @Test func anEditorMayWriteLatin1() async throws {
    try await play(
      """
      # terminal: 100 x 40
      alice$ todo add Home tea --quiet
      alice$ printf '#!/bin/sh\\nprintf "title: gr\\\\374ner tea\\\\n" > "$1"\\n' > editor; chmod +x editor
      alice$ EDITOR=./editor todo edit tea
      edited <id> grüner tea · Home
      """)
  }

  /// Parts of parts come to an end, and it is said.
  @Test func partsOfPartsComeToAnEnd() async throws {
    try await play(
      """
      alice$ for i in $(seq 40); do printf 'BEGIN:VTODO\\nUID:%s\\nRELATED-TO:%s\\nSUMMARY:t%s\\nEND:VTODO\\n' $i $((i-1)) $i; done > b
      alice$ (printf 'BEGIN:VCALENDAR\\n'; cat b; printf 'END:VCALENDAR\\n') > deep.ics && todo import deep.ics
      created list Todo
      imported 40 todos on 1 list
      not kept: what it is a part of, 2 times
      """)
  }

  /// A backup keeps by which clock something comes back, and what is on a list in the trash.
  @Test func aBackupKeepsClocksAndTheTrash() async throws {
    try await play(
      """
      alice$ TZ=Asia/Tokyo todo add Team call --due "2099-03-22 09:00" --repeat weekly --quiet
      alice$ todo add Gone two --quiet && todo lists rm Gone --quiet
      alice$ todo export backup.json
      wrote 2 todos to backup.json
      bob$ TZ=Europe/Berlin todo import backup.json --quiet; todo trash
      <id> two · Gone · removed <text>
      bob$ TZ=Europe/Berlin todo done call --quiet; TZ=Asia/Tokyo todo ls Team
      Team  1 open
        <id> call · due 29 mar 2099 09:00 · every week
      ✓ <id> call · due 22 mar 2099 09:00 · every week
      """)
  }

  /// A date that cannot be read stays in the title, and is named.
  @Test func aDateThatCannotBeReadIsNamed() async throws {
    try await play(
      """
      alice$ printf 'pay due:2027-02-30 +Bills\\nrent due:2099-12-01 +Bills\\n' > t.txt && todo import t.txt
      created list Bills
      imported 2 todos on 1 list
      not kept: what 'due:2027-02-30' says
      alice$ printf -- '- [ ] lamp due:2027-02-30\\n' > m.md && todo import m.md --list Bills
      imported 1 todo on 1 list
      not kept: what 'due:2027-02-30' says
      alice$ todo ls Bills
      Bills  3 open
        <id> pay due:2027-02-30
        <id> rent · due 1 dec 2099
        <id> lamp due:2027-02-30
      """)
  }

  @Test func whatIsWhollyDoneIsDone() async throws {
    try await play(
      """
      alice$ printf 'BEGIN:VCALENDAR\\nBEGIN:VTODO\\nUID:1\\nSUMMARY:paint\\nPERCENT-COMPLETE:100\\n' > d.ics
      alice$ printf 'DTSTART;VALUE=DATE:20990101\\nDURATION:P2D\\nEND:VTODO\\nEND:VCALENDAR\\n' >> d.ics
      alice$ todo import d.ics --quiet; todo ls --all
      Todo  nothing open
      ✓ <id> paint · due 2 jan 2099
      """)
  }

  private func play(_ text: String) async throws {
    try await onStage { try $0.play(text: text) }
  }
}
