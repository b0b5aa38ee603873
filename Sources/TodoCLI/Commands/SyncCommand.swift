import ArgumentParser
import CloudAPI
import Glibc
import Sharing
import Signing
import Treesystem

/// `todo sync`
struct SyncCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "sync",
    abstract: "Send your changes and fetch those of others.",
    usage: "todo sync [--retry [<change>…] | --discard <change>…]",
    discussion: """
      What the server refused is kept. 'todo status' shows it, each change with its number: --retry tries some or all \
      again, --discard gives some up and what waits for them.

      Examples:
        todo sync
        todo sync --retry
        todo sync --discard 12
      """)

  @OptionGroup var options: GlobalOptions

  @Flag(help: "First take up again what the server refused.")
  var retry = false

  @Flag(help: "First give changes up for good.")
  var discard = false

  @Argument(
    help: ArgumentHelp(
      "The numbers of changes, as 'todo status' shows them; 12-40 is all of them.", valueName: "change"))
  var changes: [ChangeNumbers] = []

  func validate() throws {
    if retry, discard { throw ValidationError("--retry and --discard exclude each other") }
    if discard, changes.isEmpty { throw ValidationError("--discard needs the numbers of changes") }
    if !retry, !discard, !changes.isEmpty { throw ValidationError("numbers of changes need --retry or --discard") }
  }

  @Flag(help: .hidden)
  var background = false

  func run() async throws {
    guard options.sync != false else {
      throw Complaint.usage("'todo sync' cannot keep off the network", hint: "leave out --no-sync")
    }
    if background { return await Self.syncInBackground(options) }
    let session = try Session.open(options)
    _ = try session.requireAccount()
    let numbers = changes.flatMap(\.numbers)
    let discarded = discard ? try session.discard(numbers) : []
    let retried = retry ? try session.retry(numbers) : []
    let unread = Set(try session.read { try $0.unreadLists() }.filter { $0.sender != nil }.map(\.cloudID))
    let before = try session.read { try $0.leadingNowhere() }
    let told = try session.read { try $0.unbelievedOfMembers() }
    let (report, files) = try await session.syncWithFiles()
    let page = try session.read {
      SyncPage(
        report: report, refused: try $0.refusedCount(), ended: try $0.endedLists(), discarded: discarded,
        retried: retried, distrust: try $0.distrust(told: told), clockAhead: try $0.clockAhead(), files: files,
        fileTroubles: try $0.namedTroubles(files), unread: try $0.unreadLists().filter { $0.sender != nil },
        wereUnread: unread.union(told.nested), late: try $0.lateInvites(), wereLate: before.late,
        deletedInvites: try $0.deletedInvites().filter { !before.deleted.contains($0.number) })
    }
    try session.voice.tell(page)
    if let ahead = page.clockAhead { session.voice.note(ClockDifference(ahead: ahead).notice) }
    try session.tellComebacks()
    try session.tellNews()
    try await session.tellLogins()
    guard let complaint = Complaint(page) else { return }
    // What is complained of first must not hide this.
    if complaint.exit != .notVerified, !page.distrust.isEmpty {
      session.voice.note("\(page.distrust.words) (todo status)")
    }
    throw complaint
  }
}

extension SyncCommand {
  /// Without anybody to tell: what is wrong with the profile the next command says.
  private static func syncInBackground(_ options: GlobalOptions) async {
    do {
      guard let session = try Session.reopen(options) else { Glibc.exit(Exit.tryAgain.rawValue) }
      await session.syncInBackground()
    } catch {
      if error as? StoreError == .locked, let profile = try? Profile(named: options.profile, environment: environment) {
        SyncLog(folder: profile.directory).write("locked")
      }
      Glibc.exit(Exit.tryAgain.rawValue)
    }
  }
}

extension Session {
  /// That a device asks to be added is of no use to a script, and costs a request.
  fileprivate func tellLogins() async throws {
    guard voice.isConversation, let logins = try? await withCloud({ try await $0.logins() }), !logins.isEmpty else {
      return
    }
    voice.note("\(counted(logins.count, "device")) asks to be added: todo devices")
  }
}

extension CloudTransaction {
  /// What was accepted and leads nowhere, as far as it is known.
  fileprivate func leadingNowhere() throws -> (late: Set<BranchID>, deleted: Set<Int>) {
    (Set(try lateInvites().map(\.branch)), Set(try deletedInvites().map(\.number)))
  }
}

/// What a sync did.
struct SyncPage: Page {
  let report: SyncReport
  /// How many changes were refused, on lists that are shared with this user.
  var refused = 0
  /// The lists that have ended for this user.
  var ended: [EndedList] = []
  /// What was given up before, and what was taken up again.
  var discarded: [QueuedChange] = []
  var retried: [QueuedChange] = []
  /// What came until now and was not taken over.
  var distrust = Distrust()
  /// By how much this machine's clock is ahead of the server's, in milliseconds, where that is far.
  var clockAhead: Int64?
  /// What became of the files that waited, and those that were not believed.
  var files = TransferReport()
  var fileTroubles: [FileTrouble] = []
  /// Invitations that were accepted and led to nothing that could be believed; and the branches of which that was known before, with those that
  /// hang in lists.
  var unread: [UnreadList] = []
  var wereUnread: Set<CloudID> = []
  /// Invitations that were accepted too late; and the branches of which that was known before.
  var late: [LateInvite] = []
  var wereLate: Set<BranchID> = []
  /// Those to lists that their owners deleted, as this sync found out.
  var deletedInvites: [DeletedInvite] = []

  func lines(_ style: Style) -> [String] {
    let isQuiet =
      report.sent == 0 && report.received == 0 && report.unsent == 0 && files.sent == 0 && files.arrived.isEmpty
    let left = report.unsent == 0 ? "" : ", \(report.unsent) left"
    let sent = files.sent == 0 ? "" : ", with \(counted(files.sent, "image"))"
    let came = files.arrived.isEmpty ? "" : ", with \(counted(files.arrived.count, "image"))"
    let facts = isQuiet ? "in sync" : "\(report.sent) sent\(sent), \(report.received) received\(came)\(left)"
    let old = !distrust.isEmpty && distrust.isTold ? [distrust.words] : []
    let nowhere = (unread.map(\.notice) + late.map(\.notice) + old).map { "\(harmless($0)) (todo status)" }
    return [facts] + ended.map { harmless($0.notice) } + nowhere
      + deletedInvites.map { harmless(Complaint($0).message) }
  }

  var members: [JSON.Member] {
    let troubles: [JSON] = report.troubles.sorted { $0.key < $1.key }.map { branch, reason in
      ["branch": .string(branch.description), "reason": .string(reason.rawValue)]
    }
    return [
      .init(key: "sent", value: .int(Int64(report.sent))), .init(key: "received", value: .int(Int64(report.received))),
      .init(key: "unsent", value: .int(Int64(report.unsent))),
      .init(key: "refused", value: .int(Int64(report.refused))),
      .init(key: "troubles", value: .array(troubles)),
      .init(key: "quarantined", value: .int(Int64(distrust.quarantined))),
      .init(key: "unreadable", value: .int(Int64(distrust.unreadable))),
      .init(key: "findings", value: .int(Int64(distrust.findings))),
      .init(key: "unshared", value: .array(ended.filter { $0.kind == .unshared }.map(\.json))),
      .init(key: "deleted", value: .array(ended.filter { $0.kind == .deleted }.map(\.json))),
      .init(key: "clock_ahead", value: clockAhead.map { .int($0 / 1000) } ?? .null),
      .init(key: "files_sent", value: .int(Int64(files.sent))),
      .init(key: "files_fetched", value: .int(Int64(files.arrived.count))),
      .init(key: "sections_fetched", value: .int(Int64(files.fetched))),
      .init(key: "files_refused", value: .int(Int64(files.refused))),
      .init(key: "file_troubles", value: .array(fileTroubles.map(\.json))),
      .init(key: "discarded", value: .array(discarded.map(\.json))),
      .init(key: "retried", value: .array(retried.map(\.json))),
    ]
  }
}

extension Complaint {
  /// What a sync could not do; nil if it did everything.
  init?(_ page: SyncPage) {
    let report = page.report
    // To have been taken off a list is nothing that went wrong; 'todo' and 'todo status' say it. An invitation that led to nothing is
    // told as an error once, whoever sent it.
    let troubles = report.troubles.filter { $0.value != .branchDenied && !page.wereUnread.contains($0.key) }
    if let reason = troubles.values.first {
      self.init(
        "not_verified", .notVerified,
        "\(counted(troubles.count, "list")) cannot be read any further (\(reason.rawValue))",
        hint: "nothing of it was believed; 'todo status' says what to do")
    } else if page.refused > 0 {
      self.init(
        "refused", .notPermitted, "the server refused \(counted(page.refused, "change"))",
        hint: "nothing is lost; 'todo status' shows why, and what to do")
    } else if report.refused > 0 {
      self.init(
        "not_shared", .notPermitted,
        "nobody gets \(counted(report.refused, "change")) of yours on what is no longer shared with you",
        hint: "nothing is lost; 'todo status' says what to do")
    } else if let late = page.late.first(where: { !page.wereLate.contains($0.branch) }) {
      self.init(
        "not_shared", .notPermitted, late.notice,
        hint: "'todo status' says what to do")
    } else if report.unsent > 0 {
      self.init(
        "unsent", .tryAgain, "\(counted(report.unsent, "change")) not sent yet",
        hint: "try again later; 'todo status' says what they wait for")
    } else if let trouble = page.fileTroubles.first {
      self.init(trouble, of: page.fileTroubles.count)
    } else if !page.distrust.isEmpty, !page.distrust.isTold {
      self.init(
        "not_verified", .notVerified, page.distrust.words,
        hint: "nothing of it was taken over; 'todo status' says what, and what to do")
    } else {
      return nil
    }
  }
}
