import ArgumentParser

/// The options that stand anywhere.
struct GlobalOptions: ParsableArguments {
  @Option(help: ArgumentHelp("Use this profile instead of TODO_PROFILE or 'default'.", valueName: "name"))
  var profile: String?

  @Flag(help: "Print JSON for scripts.")
  var json = false

  @Flag(
    inversion: .prefixedNo,
    help: "Sync before showing or after changing something; with --no-sync not even where that is usual.")
  var sync: Bool?

  @Flag(help: "No colours and no broken lines, as in a pipe.")
  var plain = false

  @Flag(help: "Print nothing but errors.")
  var quiet = false

  @Flag(help: "Do not ask before what cannot be taken back.")
  var yes = false

  var voice: Voice { Voice(wantsJSON: json, isQuiet: quiet, isPlain: plain) }
}
