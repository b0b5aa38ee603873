import ArgumentParser
import Treesystem

/// `todo doctor`
struct DoctorCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "doctor",
    abstract: "Check everything on this device, and the way to the server.",
    usage: "todo doctor [--repair] [--repair-server] [--give-up-lost] [--forget <number>…]",
    discussion: """
      With --repair it mends what it can: it fetches again, corrects file modes, and computes again what follows from \
      what is stored. It never gives up a change of yours. With --no-sync it leaves the server alone.

      With --repair-server it gives a server that was restored from a backup back what it lost and this device has. \
      Everybody who shares a list can do so; whoever may write sends what the server lost of contents anew.

      What no device has that could send it is lost: --give-up-lost deletes it for everybody, where you may write and in \
      your inbox, so that nobody waits for it any more.

      What the server showed that cannot all be true is kept until it is put aside: 'todo status' shows it, each with its \
      number. --forget puts it aside, and what it stopped goes on.

      Examples:
        todo doctor
        todo doctor --repair
        todo doctor --forget 3
      """)

  @OptionGroup var options: GlobalOptions

  @Flag(help: "Mend what can be mended.")
  var repair = false

  @Flag(help: "Give the server back what it lost.")
  var repairServer = false

  @Flag(help: "Delete for everybody what the server lost and nobody gave back.")
  var giveUpLost = false

  @Option(
    name: .customLong("forget"), parsing: .upToNextOption,
    help: ArgumentHelp("Put aside what was found of the server.", valueName: "number"))
  var forgotten: [Int64] = []

  func run() async throws {
    let session = try Session.open(options)
    try session.forget(forgotten)
    let repairs = repairServer ? try await session.repairServer() : []
    let givenUp = giveUpLost ? try await session.giveUpLost() : []
    let checks = try await repairs + givenUp + session.examine(mending: repair)
    try session.voice.tell(DoctorPage(checks: checks))
    if let complaint = Complaint(checks) { throw complaint }
  }
}

extension Session {
  /// Puts findings aside, all of them or none.
  fileprivate func forget(_ numbers: [Int64]) throws {
    try database.write { transaction in
      for number in numbers where try !transaction.forgetFinding(number) {
        throw Complaint(
          "unknown_finding", .notFound, "nothing that was found of the server has the number \(number)",
          hint: "'todo status' shows what was found, each with its number")
      }
    }
  }

  /// All checks, those first without which others mean little.
  fileprivate func examine(mending: Bool) async throws -> [Check] {
    var checks = [try checkDatabase(), try checkFiles(mending: mending)]
    guard checks[0].isWell else { return checks + [checkOpenLock(), try checkVersions()] }
    checks.append(try checkLock())
    if mending { checks += try await fetchAgain() }
    checks += [
      try checkTodos(mending: mending), try checkLists(), try checkImages(), try checkHistory(mending: mending),
    ].compactMap { $0 }
    guard try read({ try $0.account() }) != nil else { return checks + [try checkVersions()] }
    let unknown = await askAboutAccount()
    checks += [try checkAccess(unknown), try checkTrust(mending: mending), try checkPast()]
    checks += [try checkEnded(), try checkQueue(mending: mending)].compactMap { $0 }
    if options.sync != false { checks += try await checkServer() }
    return checks + [try checkVersions()]
  }
}

/// One thing that was examined.
struct Check {
  /// One word.
  let name: String
  /// What was found, in half a sentence.
  let found: String
  /// Nil if all is well.
  var problem: Problem?
  /// Whether it was not well, and is now.
  var isMended = false
  /// Whether it is as its user wants it, as far as anybody can tell, and no reason to be at ease.
  var isOpen = false

  struct Problem {
    let exit: Exit
    /// A line each.
    let advice: [String]
    /// Whether `--repair` may help.
    var isMendable = false
  }

  init(_ name: String, _ found: String, _ problem: Problem? = nil, isMended: Bool = false) {
    self.name = name
    self.found = found
    self.problem = problem
    self.isMended = isMended
  }

  var isWell: Bool { problem == nil }
}

/// What an examination found: a line for each check, and for what failed what to do.
struct DoctorPage: Page {
  let checks: [Check]

  func lines(_ style: Style) -> [String] {
    let width = checks.map(\.name.count).max() ?? 0
    return checks.flatMap { check in
      let mark = !check.isWell ? style.bad("✗") : check.isOpen ? style.quiet("·") : style.good("✓")
      let mended = check.isMended ? " (mended)" : ""
      return ["\(mark) \(style.quiet(pad(check.name, to: width)))  \(harmless(check.found))\(mended)"]
        + (check.problem?.advice ?? []).map { "  \(pad("", to: width))  → \(harmless($0))" }
    }
  }

  var members: [JSON.Member] {
    let checks: [JSON] = checks.map { check in
      [
        "check": .string(check.name), "well": .bool(check.isWell), "mended": .bool(check.isMended),
        "found": .string(check.found), "advice": .array((check.problem?.advice ?? []).map { .string($0) }),
        "exit": .int(Int64(check.problem?.exit.rawValue ?? 0)),
      ]
    }
    return [
      .init(key: "well", value: .bool(self.checks.allSatisfy(\.isWell))), .init(key: "checks", value: .array(checks)),
    ]
  }
}

extension Complaint {
  /// What an examination comes to; nil if all is well.
  fileprivate init?(_ checks: [Check]) {
    let failed = checks.filter { !$0.isWell }
    guard let first = failed.first?.problem else { return nil }
    let mendable = failed.contains { $0.problem?.isMendable == true }
    self.init(
      "not_well", first.exit, "\(failed.count) of \(counted(checks.count, "check")) failed",
      hint: mendable ? "'todo doctor --repair' mends what can be mended" : "what to do stands below each")
  }
}
