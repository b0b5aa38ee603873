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
    let head = try branch.append(try verify(unverified, in: branch), to: storage)
    if body.isClosed { try storage.noteClosing(of: body.branch, at: now) }
    return head
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
