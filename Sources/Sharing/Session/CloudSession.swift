public import CloudAPI
public import Signing
public import Treesystem

/// One profile at work: its database, its way to the server, and its app. Commands are written against this.
public final class CloudSession: Sendable {
  /// The profile.
  public let database: CloudDatabase
  private let transport: any CloudTransport
  private let authority: String
  private let engine: SyncEngine
  private let app: any TreesystemDelegate

  /// `authority` is the server's host and port, as it stands in signatures; `batchOperations` and `pageLines` are how many
  /// operations are sent and lines are asked for in one request at most; `readsAhead` allows child tasks in a pull.
  public init(
    database: CloudDatabase, transport: any CloudTransport & CloudStreaming, authority: String,
    app: any TreesystemDelegate,
    batchOperations: Int = Limits.batchOperations, pageLines: Int = Limits.pageLines, readsAhead: Bool = true
  ) {
    let transport = DatedTransport(transport, database)
    self.database = database
    self.transport = transport
    self.authority = authority
    self.app = app
    engine = SyncEngine(
      database: database, transport: transport, authority: authority, delegate: SharingDelegate(app: app),
      batchOperations: batchOperations, pageLines: pageLines, readsAhead: readsAhead)
  }

  /// Makes an account under a handle. Nothing is uploaded before the next sync.
  public func signUp(handle: String, server: String, token: String = "") async throws {
    try await database.signUp(handle: handle, server: server, token: token, over: transport, authority: authority)
  }

  /// Signs this device in with the root that the 24 words stand for.
  public func logIn(root: RootKey, handle: String, server: String) async throws {
    try await database.logIn(root: root, handle: handle, server: server, over: transport, authority: authority)
  }

  /// Asks the account's devices to add this one, or goes on with that (`CloudDatabase.askToLogIn`).
  public func askToLogIn(handle: String, server: String, name: String) async throws -> LoginStep {
    try await database.askToLogIn(
      handle: handle, server: server, name: name, over: transport, authority: authority)
  }

  /// Looks how far that is.
  public func loginStep() async throws -> LoginStep {
    try await database.loginStep(over: transport, authority: authority)
  }

  /// Takes the account, which the user has confirmed.
  public func finishLogIn(server: String) async throws {
    try await database.finishLogIn(server: server, over: transport, authority: authority)
  }

  /// The devices that want to be added to this account.
  public func logins() async throws -> [OpenLogin] { try await engine.logins() }

  /// The one that shows a code.
  public func login(showing code: LoginCode) async throws -> OpenLogin { try await engine.login(showing: code) }

  /// Adds a device whose code was compared, under the name that it has said: it may never come to saying it again.
  public func approve(_ login: LoginID, code: LoginCode) async throws -> DeviceID {
    try await engine.approve(login, code: code) { transaction, device, name in
      if try transaction.name(of: device) == nil, !name.isEmpty { try transaction.setName(name, of: device) }
    }
  }

  /// Lets a device know that it is not added.
  public func deny(_ login: LoginID) async throws { try await engine.deny(login) }

  /// Finds a person by handle. Whoever was met under it before is meant; only strangers are asked for.
  public func lookUp(handle: String) async throws -> Person? {
    if let known = try database.read({ try $0.person(handle: handle) }) { return known }
    guard let keyring = try await engine.lookUp(handle: handle) else { return nil }
    return try database.write { try $0.pin(keyring.user) }
  }

  /// Finds a person by handle, whom the server means by it now: they may be somebody else than was met under it.
  public func lookUpAgain(handle: String) async throws -> PersonNow? {
    let known = try database.read { try $0.person(handle: handle) }
    guard let keyring = try await engine.lookUp(handle: handle) else {
      return known.map { PersonNow(person: $0, hasChanged: false) }
    }
    return try database.write { transaction in
      try transaction.pin(keyring.user).map { person in
        PersonNow(person: person, hasChanged: known.map { $0.user != person.user } ?? false)
      }
    }
  }

  /// Reads what is new of the account's own keyring, also where this device has ended.
  public func askAboutAccount() async throws { try await engine.askAboutAccount() }

  /// Ends a device of this account (`SyncEngine.endDevice`).
  public func endDevice(_ device: DeviceID, withAdded: Bool) async throws {
    try await engine.endDevice(device, withAdded: withAdded)
  }

  /// Ends this device (`SyncEngine.endThisDevice`).
  public func endThisDevice() async throws { try await engine.endThisDevice() }

  /// Deletes the account (`SyncEngine.deleteAccount`).
  public func deleteAccount() async throws { try await engine.deleteAccount() }

  /// Takes the address that this session was made for as that of the account's server (`SyncEngine.moveAccount`).
  public func moveAccount(to server: String) async throws { try await engine.moveAccount(to: server) }

  /// Reads a branch from its first line again and repairs what is missing of it here.
  public func repull(_ branch: BranchID) async throws { try await engine.repull(branch) }

  /// Gives the server back what it lost (`SyncEngine.repairServer`).
  public func repairServer(progress: (@Sendable (SyncProgress) -> Void)? = nil) async throws -> [ServerRepair] {
    try await engine.repairServer(progress: progress)
  }

  /// Brings this device and the server together.
  public func sync(progress: (@Sendable (SyncProgress) -> Void)? = nil) async throws -> SyncReport {
    let unread = try prepare()
    var report = try await engine.sync(progress: progress)
    try pinMembers()
    if try letGoOfDeleted(unread) { report = try await report.followed(by: engine.sync(progress: progress)) }
    return report
  }

  /// The same, unless another sync of this profile is under way: then that one goes round once more, and this returns nil.
  public func syncUnlessBusy() async throws -> SyncReport? {
    let unread = try prepare()
    guard let report = try await engine.syncUnlessBusy() else { return nil }
    try pinMembers()
    // What that leaves to send the next one does.
    _ = try letGoOfDeleted(unread)
    return report
  }

  /// Sends the files that wait and fetches what is wanted of others (`SyncEngine.transferFiles`). A sync has to follow where some were sent.
  public func transferFiles(_ watcher: SyncEngine.TransferWatcher? = nil) async throws -> TransferReport {
    try await engine.transferFiles(watcher)
  }

  /// The same, unless another transfer of this profile runs (`SyncEngine.transferFilesUnlessBusy`).
  public func transferFilesUnlessBusy() async throws -> TransferReport? { try await engine.transferFilesUnlessBusy() }

  /// Has sections of a node's file here (`SyncEngine.fetchFile`).
  public func fetchFile(
    _ components: NodeComponents, of node: NodeID, _ watcher: SyncEngine.TransferWatcher? = nil
  ) async throws {
    try await engine.fetchFile(components, of: node, watcher)
  }

  /// A connection that signs as this device.
  func connection() throws -> CloudConnection { try engine.connection() }

  /// What the server says from now on about this user's trunks, and about the branches that a sync asks about while this is open (spec §6.5):
  /// so sync once it is.
  public func events(over streaming: some CloudStreaming) async throws -> CloudEvents {
    try await engine.connection().events(over: streaming)
  }

  /// Returns what was accepted and not read yet.
  private func prepare() throws -> [Int: BranchID] {
    try database.write { transaction in
      try transaction.tellRootErased()
      try transaction.endWrongInvites()
      try transaction.deleteIdleMessages()
      try transaction.deleteSentSignals()
      try transaction.finishBurning()
      try transaction.settleUsedCodes()
      if let app = app as? any SharingApp { try app.prepareForSync(in: transaction) }
      return try transaction.acceptedUnread()
    }
  }

  private func letGoOfDeleted(_ unread: [Int: BranchID]) throws -> Bool {
    if unread.isEmpty { return false }
    return try database.write { try $0.letGoOfDeleted(unread) }
  }

  private func pinMembers() throws {
    // Whoever shares a list with us is somebody we have met. That a keyring is here says nothing: a server may send any.
    try database.write { transaction in
      let me = try transaction.requireAccount().user
      for user in try transaction.readers() where user != me { try transaction.pin(user) }
    }
  }
}

extension SyncReport {
  /// What this and another one did, and what is left after that.
  fileprivate func followed(by next: SyncReport) -> SyncReport {
    var both = next
    both.received += received
    both.sent += sent
    return both
  }
}
