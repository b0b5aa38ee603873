import CloudAPI
import Signing

extension BatchRun {
  /// Puts a permissions record in force; the first one makes its branch.
  func permit(_ permit: WirePermit) throws -> LogHead {
    let unverified = try UnverifiedPermissions(try SignedRecord(permit.permissions))
    let body = unverified.body
    try checkAuthor(body.author)
    if let head = try storage.head(of: body.branch, atRecord: unverified.hash) { return head }
    try requireGivenBack(body.branch)
    if let enclosing = body.enclosing { try requireInForce(enclosing) }
    try requireOwn(body)
    let branch = try StoredBranch(body.branch, in: storage, memory)
    try branch.checkOlderKeys(of: body)
    // First whether the signer may: who signed the newest ones is many long records to read.
    let verified = try verify(unverified, in: branch)
    try branch.checkRenewals(of: body) { try branch.renewers(Limits.renewalsLookedAt) }
    let head = try branch.append(verified, to: storage)
    if body.isClosed { try storage.noteClosing(of: body.branch, at: now) }
    // It has no past that could be lost.
    if awaitsOwners, body.version == 1 { try storage.noteGivenBack(body.branch) }
    return head
  }

  /// Whose id somebody else has taken is told so: no pull would cure it.
  private func requireOwn(_ body: PermissionsBody) throws {
    guard body.version == 1, try storage.head(of: body.branch) != nil,
      try !storage.letters(of: caller.user, on: body.branch).contains(.read)
    else { return }
    throw Refusal.firstRecordWrong
  }

  /// Nobody nests a branch by letters that they had once; whoever did not know of the newer record does it again.
  private func requireInForce(_ enclosing: Enclosing) throws {
    guard try storage.permissions(of: enclosing.branch)?.hash != enclosing.permissions,
      try storage.permissions(of: enclosing.branch, named: enclosing.permissions) != nil
    else { return }
    throw Refusal.permissionsSuperseded
  }
}

extension BranchView {
  /// What all records of an epoch repeat leaves room in them.
  func checkOlderKeys(of body: PermissionsBody) throws(Refusal) {
    guard body.epoch == permissions?.body.epoch || body.olderKeys.count <= Limits.olderKeys else {
      throw .limitExceeded
    }
  }

  /// Whoever may not share signs few of a branch's records that are not due. `renewers` are who signed the newest ones.
  func checkRenewals(of body: PermissionsBody, renewers: () throws -> [UserID?]) throws {
    let user = body.author.user
    // Whoever leaves does that once.
    guard let before = permissions?.body, body.version > 1, body.entry(of: user) != nil,
      !before.letters(of: user).contains(.share), try !isDue(body, after: before),
      try renewers().count(where: { $0 == user }) >= Limits.renewalsOfMember
    else { return }
    throw Refusal.limitExceeded
  }

  /// Whether a record tells what the one before could not know: that somebody's device has ended, or that they have another user key
  /// (spec §3.3). Positions never go back, so there are no more of them than of such keyring entries.
  func isDue(_ body: PermissionsBody, after before: PermissionsBody) throws -> Bool {
    try zip(before.entries, body.entries).contains { old, new in
      guard let user = new.user, user == old.user, new.keyringPosition > old.keyringPosition else { return false }
      if new.generation != old.generation { return true }
      return try keyring(user)?.devices.values.contains {
        $0.isActive(at: old.keyringPosition) && !$0.isActive(at: new.keyringPosition)
      } ?? false
    }
  }
}

extension StoredBranch {
  /// Who signed the newest records, the newest first; nil for one that was due.
  func renewers(_ limit: Int) throws -> [UserID?] {
    let bodies = try storage.newestPermissions(of: branch, limit: limit + 1).map { try memory.permissions($0).body }
    return try zip(bodies, bodies.dropFirst()).map { try isDue($0, after: $1) ? nil : $0.author.user }
  }
}

extension StoredBranch {
  /// Appends a permissions record and puts it in force.
  @discardableResult
  func append(_ permissions: Permissions, to storage: any CloudStorageTransaction) throws -> LogHead {
    let line = Line(number: head.line + 1, kind: .permissions, cloudID: branch, hash: permissions.hash)
    let head = head.appending(line)
    try storage.append(line, head: head, to: branch, by: permissions.body.author.user)
    try storage.putInForce(permissions, at: line.number, by: permissions.body.author.user)
    return head
  }
}
