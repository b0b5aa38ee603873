import CloudAPI
import Signing

extension BatchRun {
  /// Puts a permissions record in force; the first one makes its branch.
  func permit(_ permit: WirePermit) throws -> LogHead {
    let unverified = try UnverifiedPermissions(try SignedRecord(permit.permissions))
    let body = unverified.body
    try checkAuthor(body.author)
    if let head = try storage.head(of: body.branch, atRecord: unverified.hash) { return head }
    let branch = try StoredBranch(body.branch, in: storage, memory)
    try checkRenewals(of: body)
    let head = try branch.append(try verify(unverified, in: branch), to: storage)
    if body.isClosed { try storage.noteClosing(of: body.branch, at: now) }
    return head
  }

  private func checkRenewals(of body: PermissionsBody) throws {
    let user = body.author.user
    // Whoever leaves does that once.
    guard body.version > 1, body.entry(of: user) != nil,
      try !storage.letters(of: user, on: body.branch).contains(.share)
    else { return }
    let signed = try storage.newestPermissions(of: body.branch, limit: ServerLimits.renewalsLookedAt)
      .filter { try PermissionsBody(decoding: $0.body).author.user == user }
    guard signed.count < ServerLimits.renewalsOfMember else { throw Refusal.limitExceeded }
  }
}

extension StoredBranch {
  /// Appends a permissions record and puts it in force.
  @discardableResult
  func append(_ permissions: Permissions, to storage: any CloudStorageTransaction) throws -> LogHead {
    let line = Line(number: head.line + 1, kind: .permissions, cloudID: branch, hash: permissions.hash)
    let head = head.appending(line)
    try storage.append(line, head: head, to: branch)
    try storage.putInForce(permissions, at: line.number)
    return head
  }
}
