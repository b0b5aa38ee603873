import CloudAPI
import Signing
import SwiftProtobuf

extension Cloud {
  /// Takes lines back that this server lost, from whoever reads them (spec §4.5). Records vouch for themselves; nothing is
  /// taken that does not continue what is here. Signatures are checked before anybody else has to wait.
  func restore(_ request: CloudRequest) throws -> CloudResponse {
    let caller = try authenticate(request)
    guard acceptsRestores else { throw Refusal.restoreClosed }
    var part = try RestorePart(try decode(WireRestoreRequest.self, request.body))
    for keyring in part.keyrings where try !takeBack(keyring, of: request) {
      if let lost = try? Keyring(user: keyring.user, entries: keyring.entries) { part.lost.append(lost) }
    }
    try checkSignatures(of: part)
    return try restore(part, for: caller)
  }

  private func restore(_ part: RestorePart, for caller: Caller) throws -> CloudResponse {
    let before = desk(caller.user, part)
    // No line is to be kept: it is only asked what is lacking.
    let isEmpty = part.lines.isEmpty && before == nil
    if isEmpty, !part.more {
      let (work, endsWait) = try storage.read { storage in
        let work = try judge(part, nil, for: caller.user, in: storage)
        return (work, try awaitsOwners && isOwner(caller.user, of: work) && !storage.isGivenBack(part.branch))
      }
      // For an owner, to have nothing more is to have given back: that is kept, once.
      if !endsWait { return try lacking(at: work.head, part.branch) }
    }
    guard !part.more else {
      let work = try storage.read { try judge(part, before, for: caller.user, in: $0) }
      try restorations.keep(work, of: caller.user, now: clock.now())
      return answer(Self.restored(work.head))
    }
    let (work, moves) = try storage.write { storage in
      let work = try judge(part, before, for: caller.user, in: storage) {
        try $0.store(in: storage, from: caller.user, room: fileRules.quotaForPermissions)
      }
      // When it was closed nobody can tell any more: its grace period begins anew.
      if !isEmpty, work.permissions?.body.isClosed == true { try storage.noteClosing(of: part.branch, at: clock.now()) }
      if awaitsOwners, isOwner(caller.user, of: work) { try storage.noteGivenBack(part.branch) }
      return (work, hub.isIdle ? [] : try storage.moves(of: [part.branch: true]))
    }
    hub.announce(moves)
    return try lacking(at: work.head, part.branch)
  }

  private func isOwner(_ user: UserID, of work: Restoration) -> Bool { work.permissions?.body.owner == user }

  /// The nodes whose contents are not here. They are looked for once for each head: that is all nodes of the branch.
  private func lacking(at head: LogHead, _ branch: CloudID) throws -> CloudResponse {
    var restored = Self.restored(head)
    restored.bare = try restorations.bare(of: branch, at: head) {
      try storage.read { storage in
        storage.allow(ServerLimits.restorationWork)
        return try storage.bareNodes(of: branch, at: clock.now())
      }
    }.map { data($0.bytes) }
    return answer(restored)
  }

  private static func restored(_ head: LogHead) -> WireRestored {
    .with {
      $0.line = head.line
      $0.logHash = data(head.hash.bytes)
    }
  }

  /// What the same user gave back before of the same branch, where this goes on with it.
  private func desk(_ user: UserID, _ part: RestorePart) -> Restoration? {
    restorations.take(part.branch, of: user, now: clock.now()).flatMap { $0.head == part.after ? $0 : nil }
  }

  /// Judges a part on top of those before it. Who may not read the branch before or after hears nothing else.
  private func judge(
    _ part: RestorePart, _ before: Restoration?, for user: UserID, in storage: any CloudStorageReader,
    then store: (Restoration) throws -> Void = { _ in }
  ) throws -> Restoration {
    storage.allow(ServerLimits.restorationWork)
    let mayRead = try storage.letters(of: user, on: part.branch).contains(.read)
    do {
      let stored = try StoredBranch(part.branch, in: storage, memory)
      // Somebody else was faster, or the server has gone on: then what is here decides.
      let work = before.flatMap { $0.base == stored.head ? $0 : nil }
      var restored = RestoredBranch(work ?? Restoration(continuing: stored), on: stored)
      try restored.take(part.lost)
      try restored.take(part.lines, after: part.after, rows: part.rows)
      guard mayRead || restored.permissions?.body.entry(of: user)?.letters.contains(.read) == true else {
        throw Refusal.letterMissing
      }
      try store(restored.work)
      return restored.work
    } catch is Refusal where !mayRead {
      throw Refusal.letterMissing
    }
  }

  /// The end of a keyring that is here, as much of it as may come in a day; one that does not continue it is left alone, and nobody gets an
  /// account this way. Returns false where there is none.
  private func takeBack(_ part: RestorePart.KeyringEnd, of request: CloudRequest) throws -> Bool {
    guard let before = try storage.read({ try memory.keyring(of: part.user, in: $0) }) else { return false }
    guard let whole = try? Self.extend(before, by: part.entries, from: part.position) else { return true }
    let new = Array(whole.entries.dropFirst(before.entries.count))
    let room = KeyringRoom(before: before, after: whole, entries: new)
    let some = new.prefix(allowance.takeWhatFits(room, of: part.user, now: clock.now()))
    guard !some.isEmpty, let after = try? Self.extend(before, by: Array(some), from: before.position + 1) else {
      return true
    }
    do {
      try KeyringRoom(before: before, after: after, entries: Array(some)).check()
      try storage.write { storage in
        guard try storage.keyringHead(of: part.user)?.hash == before.head else { throw Refusal.chainBroken }
        try keep(after, before, of: request, in: storage)
        if after.deleted != nil { try beginDeletingBranches(of: part.user, in: storage) }
      }
      if after.deleted != nil { finishDeletions() }
    } catch is Refusal {
      return true
    } catch let problem as Problem where problem.reason == .tooMany {
      return true
    }
    hub.end(of: part.user) { after.device($0) != nil }
    return true
  }

  /// Before anybody else has to wait for it: checking them is most of the work of giving lines back.
  private func checkSignatures(of part: RestorePart) throws {
    let authors = CheckedRecords.authors(of: part.rows, at: part.lines)
    var keyrings = try storage.read { storage in
      storage.allow(ServerLimits.restorationWork)
      var keyrings: [UserID: Keyring] = [:]
      for user in authors { keyrings[user] = try memory.anyKeyring(of: user, in: storage) }
      return keyrings
    }
    for lost in part.lost where lost.position > keyrings[lost.user]?.position ?? 0 { keyrings[lost.user] = lost }
    CheckedRecords.check(part.rows, at: part.lines, by: keyrings, memory.signatures)
  }
}

/// One request's lines, within the limits of one.
private struct RestorePart {
  struct KeyringEnd {
    let user: UserID
    let entries: [SignedRecord]
    let position: UInt32
  }

  let branch: CloudID
  let after: LogHead
  let lines: [Line]
  let rows: [UInt64: SignedRecord]
  let keyrings: [KeyringEnd]
  /// Those of people who have no account here. They were verified.
  var lost: [Keyring] = []
  let more: Bool

  init(_ message: WireRestoreRequest) throws {
    guard message.lines.count <= Limits.restoreLines * Line.length, message.rows.count <= Limits.restoreLines,
      message.rows.reduce(0, { $0 + $1.record.body.count }) <= Limits.batchBytes + Limits.recordBytes,
      message.keyrings.count <= Limits.requestItems,
      message.keyrings.reduce(0, { $0 + $1.entries.count }) <= Limits.restoreEntries
    else { throw Refusal.limitExceeded }
    branch = try fixed(message.branch)
    after = try LogHead(told: message.afterLine, message.afterHash)
    lines = try Line.decode(Array(message.lines))
    rows = Dictionary(
      try message.rows.map { ($0.line, try SignedRecord($0.record)) }, uniquingKeysWith: { first, _ in first })
    keyrings = message.keyrings.compactMap { KeyringEnd($0) }
    more = message.more
  }
}

extension RestorePart.KeyringEnd {
  /// Nil: it is none.
  fileprivate init?(_ wire: WireKeyring) {
    guard let user = UserID(bytes: wire.user), let entries = try? wire.entries.map({ try SignedRecord($0) }),
      let first = entries.first, let position = try? KeyringEntryBody(decoding: first.body).position
    else { return nil }
    self.init(user: user, entries: entries, position: position)
  }
}

extension CloudStorageReader {
  /// The live nodes whose header lists what is not here, as many as one answer names.
  fileprivate func bareNodes(of branch: CloudID, at time: Int64) throws -> [CloudID] {
    var bare: [CloudID] = []
    for node in try nodes(of: branch) where node.isLive {
      let header = try node.header()
      // What has expired is not wanted back.
      if header.expires != 0, header.expires <= UInt64(max(0, time)) { continue }
      let isWhole = try header.contents.allSatisfy { try contentHash($0.content, in: branch) == $0.hash }
      if !isWhole { bare.append(node.cloudID) }
      if bare.count == Limits.restoreBare { break }
    }
    return bare
  }
}
