import CloudAPI
import Signing
import Synchronization

extension Cloud {
  /// Drops files that nothing has listed for long enough; looks at most once an hour, and takes a few at a time. Rows first: a row says
  /// that bytes are there, so it may not outlive them. Bytes that outlive their row are found at the next start.
  func collectFiles() {
    let now = clock.now()
    guard collected.withLock({ $0 <= now }) else { return }
    collected.withLock { $0 = now + ServerLimits.sweepInterval }
    do {
      let due = now - fileRules.keep
      guard try storage.read({ try $0.hasFilesToCollect(unlistedBefore: due) }) else { return }
      let limit = ServerLimits.filesCollectedAtOnce
      let gone = try storage.write { try $0.collectFiles(unlistedBefore: due, now: now, limit: limit) }
      if gone.count == limit { collected.withLock { $0 = now } }
      for blob in gone { try blobs.delete(blob) }
    } catch {
      report(error)
    }
  }

  /// Drops what was kept of closed branches for long enough, and goes on with deletions that the server's end interrupted. Looks at most once an
  /// hour; where there is more than one piece, the next request goes on.
  func sweep() {
    let now = clock.now()
    guard swept.withLock({ $0 <= now }) else { return }
    swept.withLock { $0 = now + ServerLimits.sweepInterval }
    finishDeletions()
    do {
      let due = now - grace
      guard try storage.read({ try $0.hasClosed(before: due) }) else { return }
      _ = try storage.write { try $0.purge(closedBefore: due, limit: ServerLimits.nodesPurgedAtOnce) }
      swept.withLock { $0 = now }
    } catch {
      report(error)
    }
  }

  /// Drops the contents of what has expired by this server's clock (spec §8.8); looks at most once a minute, before anything is answered.
  func burnExpired() {
    let now = clock.now()
    guard burnt.withLock({ $0 <= now }) else { return }
    burnt.withLock { $0 = now + ServerLimits.burnInterval }
    do {
      guard try storage.read({ try $0.hasExpired(by: now) }) else { return }
      let gone = try storage.write { try $0.burn(expiredBy: now, limit: ServerLimits.burntAtOnce) }
      if gone == ServerLimits.burntAtOnce { burnt.withLock { $0 = now } }
    } catch {
      report(error)
    }
  }

  /// Takes away bytes that no row names: what a server that was ended had written and not noted, or forgotten and not deleted. To be called
  /// before anything is answered. Storage without an account has just been made, and says nothing of bytes that lie there: whoever has lost their
  /// database, and puts a backup back, wants them.
  public func removeLeftovers() throws {
    guard try storage.read({ try $0.hasAccounts() }) else { return }
    for blob in try blobs.list() {
      let parts: Set<UInt64>? = try storage.read { storage in
        guard let file = try storage.file(numbered: blob.number), file.content == blob.content else { return nil }
        return Set(try storage.parts(of: file))
      }
      guard let parts else {
        try blobs.delete(blob)
        continue
      }
      for part in try blobs.parts(of: blob).subtracting(parts) { try blobs.delete(BlobPart(blob, part)) }
    }
  }
}
