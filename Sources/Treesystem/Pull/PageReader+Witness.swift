import CloudAPI
import Signing

/// What a member signed may prove that they read another log than the one that is shown here (spec §4.4).
extension PageReader {
  /// Looks into a record that was not believed. Throws a `Contradiction` where its author, by the record in force a member,
  /// cites what is not in this log: whoever sees that believes nothing more, in whatever order the server shows it.
  func hear(_ line: Line, _ row: IncomingRow, in view: LocalBranchView, refusedFor reason: Refusal) throws {
    if Defence.witness.isDown { return }
    guard let (author, domain) = row.author, row.branch == view.branch, row.hash == line.hash, !row.isMessage,
      view.permissions?.body.entry(of: author.user) != nil, let keyring = try view.keyring(author.user),
      let device = keyring.device(author.device, at: min(author.keyringPosition, keyring.position)),
      view.verifies(device.signKey, row.signed.signature, domain, row.signed.body),
      var found = try contradiction(row, author.read, in: view)
    else { return }
    found.toldBy = Finding.Signer(author)
    found.reason = reason
    if found.known != nil { found.knownBy = try transaction.signer(of: view.id, from: found.line) }
    if try transaction.isForgotten(found, of: view.id) { return }
    throw found
  }

  /// Takes in a page, and does not listen to witnesses in one that does not end where it says itself: that is no log at all.
  func hearing<Result>(_ page: IncomingPage, after start: LogHead, _ body: () throws -> Result) throws -> Result {
    do {
      return try body()
    } catch let found as Contradiction {
      let end = page.end(after: start)
      guard end.line != page.headLine || end.hash.bytes == page.headHash || Defence.pageEnd.isDown else {
        throw Refusal.chainBroken
      }
      throw found
    }
  }

  private func contradiction(_ row: IncomingRow, _ read: LogHead, in view: LocalBranchView) throws -> Contradiction? {
    guard read.line <= view.head.line else {
      return Contradiction(kind: .omission, line: read.line, known: nil, told: read.hash)
    }
    let known = try view.logHash(at: read.line)
    if known != read.hash { return Contradiction(kind: .fork, line: read.line, known: known, told: read.hash) }
    return try misplaced(row, read, in: view)
  }

  /// A permissions record can only stand at the line after the one that its author had read. Shown anywhere else, where it
  /// would have followed, it belongs to another log.
  private func misplaced(_ row: IncomingRow, _ read: LogHead, in view: LocalBranchView) throws -> Contradiction? {
    guard case .permissions(let permissions) = row.record, read.line < view.head.line,
      let before = try transaction.permissionsRecord(of: view.id, before: read.line + 1),
      permissions.body.previous == before.hash, permissions.body.version == before.body.version + 1
    else { return nil }
    let line = Line(number: read.line + 1, kind: .permissions, cloudID: view.branch, hash: permissions.hash)
    let (known, told) = (try view.logHash(at: line.number), read.appending(line).hash)
    // One that stands here where it belongs is only repeated.
    return known == told ? nil : Contradiction(kind: .fork, line: line.number, known: known, told: told)
  }
}
