import Testing

/// Small faults that users have seen, each with the program itself.
@Suite struct SmallFaultTests {
  @Test func aFolderThatIsNotTextIsNotAnotherOne() async throws {
    try await play(
      """
      alice$ TODO_HOME=$(printf 'a\\377b') todo ls
      todo: error: TODO_HOME is not UTF-8
      todo: hint: set TODO_HOME to a folder whose path is
      [exit 73]
      """)
  }

  @Test func aZoneThatNobodyKnowsIsSaid() async throws {
    try await play(
      """
      # terminal: 100 x 40
      alice$ TZ=No/Such_Zone todo lists add Home
      todo: TZ names a zone that is not known here, 'No/Such_Zone': times are those of UTC
      created list Home
      alice$ TZ=CET-1CEST todo lists add Work
      created list Work
      alice$ TZ=/usr/share/zoneinfo/Europe/Berlin todo lists add Play
      created list Play
      """)
  }

  @Test func whatIsMeantByEditIsSaid() async throws {
    try await play(
      """
      alice$ todo add Home milk --quiet
      alice$ todo edit milk due:sat
      todo: error: 'due:sat' says which todos, not what to change in them
      todo: hint: todo edit milk --due sat
      [exit 64]
      alice$ todo edit milk +cold
      todo: error: '+cold' says which todos, not what to change in them
      todo: hint: todo edit milk --tag cold
      [exit 64]
      alice$ todo edit milk @bob
      todo: error: '@bob' says which todos, not what to change in them
      todo: hint: todo edit milk --assign bob
      [exit 64]
      """)
  }

  /// The same line of a todo.txt with another day is another todo.
  @Test func whatIsKnownAlreadyIsNamed() async throws {
    try await play(
      """
      alice$ printf '2026-11-01 buy milk +Shop\\n' > todo.txt
      alice$ todo import todo.txt --quiet && todo done "buy milk" --quiet
      alice$ printf '2026-11-20 buy milk +Shop\\n2026-11-01 buy milk +Shop\\n' > todo.txt
      alice$ todo import todo.txt
      imported 1 todo on 1 list, 1 known already
      known already: buy milk
      alice$ todo ls Shop --all
      Shop  1 open
        <id> buy milk
      ✓ <id> buy milk
      """)
  }

  /// A rule that can be followed is kept, one that cannot is named, and its todo is there.
  @Test func aRuleThatCannotBeKeptIsNamed() async throws {
    try await play(
      """
      alice$ printf 'BEGIN:VCALENDAR\\nBEGIN:VTODO\\nUID:1\\nSUMMARY:five\\nDUE;VALUE=DATE:20991201\\nRRULE:FREQ=DAILY;COUNT=5\\nEND:VTODO\\n' > f.ics
      alice$ printf 'BEGIN:VTODO\\nUID:2\\nSUMMARY:work\\nDUE;VALUE=DATE:20991201\\nRRULE:FREQ=DAILY;BYDAY=MO,TU,WE,TH,FR\\nEND:VTODO\\n' >> f.ics
      alice$ printf 'BEGIN:VTODO\\nUID:3\\nSUMMARY:rent\\nDUE;VALUE=DATE:20991231\\nRRULE:FREQ=MONTHLY;BYMONTHDAY=-1\\nEND:VTODO\\nEND:VCALENDAR\\n' >> f.ics
      alice$ todo import f.ics
      created list Todo
      imported 3 todos on 1 list
      not kept: the rule FREQ=DAILY;COUNT=5
      alice$ todo ls Todo
      Todo  3 open
        <id> five · due 1 dec 2099
        <id> work · due 1 dec 2099 · every workday
        <id> rent · due 31 dec 2099 · every month on the 31st
      """)
  }

  /// What begins on a day and comes back is not due before it begins.
  @Test func aStartAloneIsTheFirstDay() async throws {
    try await play(
      """
      alice$ todo add Chores tax --start 2099-05-01 --repeat yearly
      created list Chores
      added <id> tax · due 1 may 2099 · from 1 may 2099 · every year · Chores
      """)
  }

  /// A child that comes in another file finds its whole.
  @Test func aPartOfAnotherFileFindsItsWhole() async throws {
    try await play(
      """
      alice$ printf 'BEGIN:VCALENDAR\\nBEGIN:VTODO\\nUID:1\\nSUMMARY:whole\\nEND:VTODO\\nEND:VCALENDAR\\n' > a.ics
      alice$ printf 'BEGIN:VCALENDAR\\nBEGIN:VTODO\\nUID:2\\nRELATED-TO:1\\nSUMMARY:part\\nEND:VTODO\\nEND:VCALENDAR\\n' > b.ics
      alice$ todo import a.ics --quiet && todo import b.ics --quiet
      alice$ todo ls
      Todo  2 open
        <id> whole
          <id> part
      """)
  }

  /// What hangs below a hook is ended with it.
  @Test func whatAHookHasStartedEndsWithIt() async throws {
    try await play(
      """
      alice$ mkdir -p "$TODO_HOME/hooks" && printf '#!/bin/sh\\nsleep 61\\n' > "$TODO_HOME/hooks/on-add"
      alice$ chmod +x "$TODO_HOME/hooks/on-add"
      alice$ todo add Home milk
      created list Home
      added <id> milk · Home
      todo: the hook on-add took longer than 10 seconds and was ended; what was changed is stored
      alice$ pgrep -fx "sleep 61" | wc -l
      0
      """)
  }

  private func play(_ text: String) async throws {
    try await onStage { try $0.play(text: text) }
  }
}
