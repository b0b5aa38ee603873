import CloudAPI
import GRDB
import Signing

/// A branch that is nested in another one from now on (spec §3.8): it keeps its id, its content and its log.
extension CloudTransaction {
  /// Whether a branch may hang below another one: it belongs to the same person, and may be shared here and there.
  func requireNesting(_ branch: BranchID, below outer: BranchID) throws {
    try requireNestable(outer)
    guard try nestedDepth(of: outer) + nestedHeight(of: branch) <= Limits.nesting else { throw TreeError.parentInvalid }
    var above: BranchID? = outer
    for _ in 0...Limits.nesting {
      guard above != branch else { throw TreeError.parentInvalid }
      above = try above.flatMap { try enclosing(of: $0) }
    }
    guard let permissions = try permissions(of: branch)?.body else {
      // One that nobody here has read is not this user's to share.
      guard try firstPermissions(of: branch) == nil else { throw TreeError.notPermitted }
      return
    }
    let me = try requireAccount().user
    guard try permissions.owner == ownerToBe(of: outer) ?? me, permissions.letters(of: me).contains(.share),
      try !permissions.isClosed && !isLeaving(branch)
    else { throw TreeError.notPermitted }
  }

  /// The owner of a branch, or of the one in which it is about to be made.
  private func ownerToBe(of branch: BranchID) throws -> UserID? {
    if let owner = try permissions(of: branch)?.body.owner { return owner }
    return try enclosing(of: branch).flatMap { try permissions(of: $0)?.body.owner }
  }

  /// How many branches hang below each other from one that hangs in a trunk down to this one.
  func nestedDepth(of branch: BranchID) throws -> Int {
    var depth = 0
    var above: BranchID? = branch
    while let here = above, depth <= Limits.nesting {
      above = try enclosing(of: here)
      depth += 1
    }
    return depth
  }

  func hasRoom(for branch: BranchID, levelsBelow levels: Int, _ outer: BranchID) throws -> Bool {
    try nestedDepth(of: outer) + levels - 1 + nestedHeight(of: branch) <= Limits.nesting
  }

  private func nestedHeight(of branch: BranchID) throws -> Int {
    try 1 + (nestedBranches(in: branch).map { try nestedHeight(of: $0) }.max() ?? 0)
  }

  /// Queues the record which says that the branch at a pointer hangs where that is now.
  func queueNesting(of pointer: Node) throws {
    guard pointer.trunk == nil, let branch = pointer.pointer, let cloudID = try cloudID(of: branch) else { return }
    let isKnown = try firstPermissions(of: branch) != nil
    let waiting = try permitOperations(of: branch).first { $0.user == nil && !$0.closes && $0.state != .sealed }
    let operation =
      try waiting.map { CloudOperation(sequence: $0.sequence) }
      ?? enqueue(.permit, branch: branch, node: nil, cloudID: cloudID)
    if isKnown {
      if let upload = try uploadOperation(of: pointer.id) { try addDependencies([operation], to: upload) }
    } else {
      try db.execute(sql: "UPDATE branches SET enclosing = ? WHERE id = ?", arguments: [pointer.branch, branch])
    }
  }

  /// What a record of this device's means for people, that says that a branch hangs elsewhere from now on.
  func finishNesting(of branch: BranchID, _ body: PermissionsBody, from before: CloudID?) throws {
    guard body.version > 1, let now = body.enclosing?.branch, try body.author.device == account()?.device,
      let old = try before.flatMap({ try self.branch($0) }), let new = try self.branch(now)
    else { return }
    try changePeople(of: branch, from: old, to: new)
  }

  /// Whoever had a branch because of what it hung in goes, whoever is around it now comes; who was let in on their own stays.
  private func changePeople(of branch: BranchID, from old: BranchID, to new: BranchID) throws {
    guard let me = try account()?.user, let body = try permissions(of: branch)?.body,
      let before = try permissions(of: old)?.body, let now = try permissions(of: new)?.body
    else { return }
    for inner in try nestedBranches(in: branch) { try changePeople(of: inner, from: old, to: new) }
    guard body.letters(of: me).contains(.share), !body.isClosed else { return }
    let users = Set((before.entries + now.entries).compactMap(\.user)).subtracting([me, body.owner])
    let queued = try Set(permitOperations(of: branch).filter { $0.letters != nil }.compactMap(\.user))
    for user in users.subtracting(queued).sorted() {
      let here = body.entry(of: user)?.letters ?? []
      let wanted = now.entry(of: user)?.letters ?? []
      guard here != wanted, here.isEmpty || here == before.entry(of: user)?.letters else { continue }
      try enqueue(
        .permit, branch: branch, node: nil, cloudID: body.branch, user: user, letters: wanted, read: cursor(of: branch))
    }
  }

  /// The branch in which the pointer to a branch hangs here, where that is no trunk.
  func place(of branch: BranchID) throws -> BranchID? {
    try BranchID.fetchOne(
      db,
      sql: """
        SELECT n.branch FROM nodes n JOIN branches b ON b.id = n.branch WHERE n.pointer = ? AND b.trunk IS NULL
        ORDER BY n.placed DESC, n.id LIMIT 1
        """, arguments: [branch])
  }

  /// Whether a branch hangs at another pointer, too: it does not go with this one.
  func hangsElsewhere(_ branch: BranchID, than pointer: NodeID) throws -> Bool {
    try Int.fetchOne(
      db, sql: "SELECT 1 FROM nodes WHERE pointer = ? AND id <> ? LIMIT 1", arguments: [branch, pointer])
      != nil
  }

  /// The branch around a branch, by the last of its records that names one.
  func namedEnclosing(of branch: BranchID) throws -> CloudID? {
    try permissionsHistory(of: branch).last { $0.enclosing != nil }?.enclosing?.branch
  }
}
