/// What `todo help <topic>` explains beside the commands.
enum HelpTopic: String, CaseIterable {
  case exit
  case dates
  case filters
  case references
  case scripts

  /// What it is about, in a few words.
  var summary: String {
    switch self {
    case .exit: "exit statuses"
    case .dates: "dates, times and repetitions as people write them"
    case .filters: "which todos are shown or changed"
    case .references: "how todos, lists and people are named"
    case .scripts: "JSON, standard input and exit statuses for scripts"
    }
  }

  var text: String {
    switch self {
    case .exit: Exit.table
    case .dates: Self.datesText
    case .filters: Self.filtersText
    case .references: Self.referencesText
    case .scripts: Self.scriptsText
    }
  }

  private static let datesText = """
    Dates, for --due, --start, due: and before:

      today  tomorrow  fri  next fri  this fri      a day of the week is the next one after today
      in 3 days  in 2 weeks  3d  2w  6mo            counted from today
      eow  eom  eoq  eoy                            the last day of this week, month, quarter, year
      next week  next month  sow  som               the first day of the next one
      27 nov  nov 27  27 nov 2027  27th  27.11.     without a year today or later
      2026-11-27  2026-W48-5                        ISO 8601
      tomorrow 18:00  fri at 9am  noon              with a time, that moment
      in 2 hours  45min  2026-11-27T18:00Z
      none                                          takes it away again

    Without a time it is that day, wherever one is. What can be read in two ways, such as 3/4, is refused.

    Repetitions, for --repeat

      daily  every 3 days  every week  every other week  every mon and thu  every workday
      every 2 weeks on tue  monthly  every 15th  every quarter  yearly
    """

  private static let filtersText = """
    Filters, for 'todo ls', 'todo today', 'todo search', 'todo done', 'todo edit' and others. A todo has to pass all of them.

      +bbq                 it has the tag
      @bob  @me  @none     it is somebody's task, yours, nobody's
      due:fri              it is due on that day; due:any and due:none whether it is due at all
      before:fri           it is due before that day or moment
      after:eom            it is due after it
      pri:high             its priority; pri:none
      in:Groceries         it is on that list

    A command that changes what passes asks first how many that are; scripts add --yes:

      todo done +bbq in:Groceries --yes
    """

  private static let referencesText = """
    A todo is named by its id as 'todo ls' shows it, or what that begins with (at least two characters); by List/title; or
    by its title, if only one open todo has it. Ids are the same for everybody on the list and never change.

      todo done k3fa        todo done "Groceries/oat milk"        todo done "oat milk"

    A list is named by its whole name; the case of letters does not matter. A person is bob or @bob. An invitation is named
    by its number, or by the name of its list.

    What fits several is refused, and the error lists them. Several in one command succeed or fail together. '-' reads
    references from standard input, one a line.
    """

  private static let scriptsText = """
    --json prints one object with "schema": 1; every member is documented in docs/json.md. Errors are one object on standard
    error, with a kind and candidates. --quiet prints nothing but errors. Exit statuses are in 'todo help exit'.

    Nothing asks where standard input or standard error is no terminal: what cannot be taken back needs --yes.
    '-' reads titles, texts and references from standard input, a line each.

      todo ls @me before:tomorrow --json | jq -r '.todos[].title'
      todo ls +old --json | jq -r '.todos[].id' | todo done -
      todo watch --json | while read -r line; do …; done

    TODO_HOME names the folder of profiles, TODO_PROFILE the profile; NO_COLOR switches colours off.
    """
}
