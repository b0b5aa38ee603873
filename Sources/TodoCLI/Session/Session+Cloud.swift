import CloudAPI
import CloudClient
import Sharing
import TodoCore
import Treesystem

extension Session {
  /// The account, or a complaint with the line that signs up.
  func requireAccount() throws -> Account {
    guard let account = try read({ try $0.account() }) else { throw Complaint.notSignedUp }
    return account
  }

  /// Works with a server, and shows what it waits for where that takes long. Connects with the first request.
  func withCloud<Result>(
    at server: String, _ doing: String = "asking the server",
    _ body: (CloudSession, ProgressLine) async throws -> Result
  ) async throws -> Result {
    let (cloud, answers) = try cloud(at: server)
    let unsent: @Sendable () -> Int = { [database] in (try? database.read { try $0.pendingOperationCount() }) ?? 0 }
    let line = ProgressLine(voice, doing, silence: { answers.silence }, unsent: unsent)
    return try await line.shown { try await body(cloud, line) }
  }

  /// The way to a server, over which events come too.
  func cloud(at server: String) throws -> (session: CloudSession, answers: AnswerClock) {
    // What the server answers has to be kept.
    if isReadOnly { throw StoreError.notWritable }
    let address = try address(of: server)
    let answers = AnswerClock(HTTPTransport(server: address))
    try settleDiskLimits()
    let cloud = CloudSession(database: database, transport: answers, authority: address.authority, app: TodoDelegate())
    return (cloud, answers)
  }

  /// Where a server is, or a complaint about its name.
  func address(of server: String) throws -> ServerAddress {
    do {
      return try ServerAddress(server)
    } catch {
      throw Complaint(error, server)
    }
  }

  /// Works with a server that somebody named to sign up or in. There is no account yet that could name another.
  func withNewCloud<Result>(at server: String, _ body: (CloudSession) async throws -> Result) async throws -> Result {
    do {
      return try await withCloud(at: server) { cloud, _ in try await body(cloud) }
    } catch CloudFailure.nonsense {
      var complaint = Complaint(CloudFailure.nonsense as any Error)
      complaint.hint = "check the name after --server: '\(Complaint.shortened(server))'"
      throw complaint
    }
  }

  /// Works with the account's server.
  func withCloud<Result>(_ body: (CloudSession) async throws -> Result) async throws -> Result {
    try await withCloud("asking the server") { cloud, _ in try await body(cloud) }
  }

  /// The same, for what tells how far it is.
  func withCloud<Result>(
    _ doing: String, _ body: (CloudSession, ProgressLine) async throws -> Result
  ) async throws -> Result {
    do {
      return try await withCloud(at: requireAccount().server, doing, body)
    } catch CloudFailure.refused(.deviceUnknown) {
      throw try ended() ?? CloudFailure.refused(.deviceUnknown)
    }
  }

  /// What is to be said where the account has ended on this device; nil if nothing signed says that.
  private func ended() throws -> Complaint? { try read { try $0.endedHere() }.map { Complaint($0) } }

  /// Syncs now, in the foreground. Files that wait follow in the background.
  @discardableResult
  func sync() async throws -> SyncReport {
    let report = try await syncEntries()
    if try read({ try $0.hasFilesToTransfer() }) { _ = startBackgroundSync() }
    return report
  }

  /// The same, and files stay where they are.
  func syncEntries() async throws -> SyncReport {
    let report = try await withCloud("syncing") { cloud, line in try await cloud.sync { line.update($0) } }
    runArrivalHook()
    // Somebody came while this one had the turn.
    if try read({ try $0.wantsAnotherSync() }) { _ = startBackgroundSync() }
    return report
  }

  /// Syncs before a command that shows something, with `--sync`.
  func syncIfAsked() async throws {
    if options.sync == true { _ = try await syncWithFiles() }
  }

  /// Syncs before a command about other people, if that is possible. What is here is better than nothing.
  /// Returns why it was not possible.
  /// - Parameter isBeforeChange: whether the sync after a change says that the server cannot be reached.
  @discardableResult
  func syncIfPossible(isBeforeChange: Bool = false) async throws -> CloudFailure? {
    if options.sync == true { _ = try await syncWithFiles() }
    guard options.sync == nil, try read({ try $0.account() }) != nil else { return nil }
    do {
      try await sync()
      return nil
    } catch let failure as CloudFailure {
      if failure == .unreachable, isBeforeChange { return failure }
      voice.note("\(Complaint(failure as any Error).message), this is what was known before")
      return failure
    } catch let complaint as Complaint where complaint.kind == Complaint.endedKind {
      voice.note("\(complaint.message), this is what was known before")
      return .refused(.deviceUnknown)
    }
  }

  /// Syncs after a change: one whose point is that others hear of it, or any with `--sync`. It is stored already.
  /// - Parameters:
  ///   - files: whether the point of the change is a file, which is waited for; with `--sync` every file that waits is, as with `todo sync`.
  ///   - isStrict: whether `--sync` complains of what was refused or did not go; else the command says that of its own.
  ///   - check: complains if the server refused this very change.
  /// - Returns: whether it came to its end.
  @discardableResult
  func syncAfterwards(
    files: Bool = false, isStrict: Bool = true, _ check: (CloudTransaction) throws -> Void = { _ in }
  ) async throws -> Bool {
    guard options.sync != false else { return false }
    let before = try read { try $0.refusedNumbers() }
    do {
      _ = files || options.sync == true ? try await syncWithFiles().0 : try await sync()
    } catch let failure as CloudFailure {
      let complaint = Complaint(failure as any Error)
      if options.sync == true { throw complaint.afterChange }
      let stopped = try read { try $0.stopped(since: opened) }
      voice.note(stopped?.notice ?? "\(complaint.message), the change is sent with the next 'todo sync'")
      return false
    }
    let refused = try read { try $0.refusedCount() }
    if refused > 0 { try read(check) }
    if isStrict, options.sync == true, let complaint = try read({ try $0.complaintAfterSync(before) }) {
      throw complaint
    }
    if refused > 0 { voice.note("the server refused \(counted(refused, "change")), see 'todo status'") }
    return true
  }

  /// The person with a handle, or a complaint that says how they sign up.
  func requirePerson(_ handle: String) async throws -> Person {
    let server = try requireAccount().server
    let name = try plainHandle(handle, server: server)
    if let person = try await withCloud({ try await $0.lookUp(handle: name) }) { return person }
    throw Complaint.unknownUser(name, server: server)
  }
}

/// `bob`, `@bob` and `bob@host` (for one's own server) are `bob`.
func plainHandle(_ text: String, server: String) throws -> String {
  let handle = (text.hasPrefix("@") ? String(text.dropFirst()) : text).lowercased()
  let parts = handle.split(separator: "@", maxSplits: 1, omittingEmptySubsequences: false)
  if parts.count == 2 {
    guard let own = try? ServerAddress(server), let other = try? ServerAddress(String(parts[1])),
      own.authority == other.authority
    else {
      throw Complaint(
        "other_server", .unknownUser, "'\(parts[1])' is not your server", hint: "you can share with people on \(server)"
      )
    }
  }
  return String(parts[0])
}
